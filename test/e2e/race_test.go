//go:build race

package e2e

// raceEnabled has the server process built with the race detector as well.
const raceEnabled = true
