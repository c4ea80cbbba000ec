// Package version tells which build of the product this is.
package version

import "runtime/debug"

// version is set at build time by the linker.
var version string

// Version returns the version of the build, as git describes it; without one
// the commit that Go recorded, and "dev" if there is none.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				return "dev-" + setting.Value[:min(12, len(setting.Value))]
			}
		}
	}
	return "dev"
}
