// Package architecture has no code. Its tests hold the module to its layout: which package
// imports which, what the pure core may use, why each dependency is there, and that the
// documentation names what the code has.
package architecture
