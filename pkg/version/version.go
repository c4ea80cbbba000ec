// Package version tells which build of the product this is.
package version

import "runtime/debug"

// version is set at build time by the linker.
var version string

// Version returns the version of the build, as git describes it. Without one it is the commit that Go
// recorded, or the version of the module that was installed, and "dev" if there is none.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	return of(info)
}

// revisionDigits is the number of digits by which a commit is named.
const revisionDigits = 12

func of(info *debug.BuildInfo) string {
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && setting.Value != "" {
			return "dev-" + setting.Value[:min(revisionDigits, len(setting.Value))]
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return "dev"
}
