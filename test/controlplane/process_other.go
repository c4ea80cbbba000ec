//go:build !linux

package controlplane

import "syscall"

// endWithParent does nothing where there is no parent death signal: Stop is then the only end.
func endWithParent(*syscall.SysProcAttr) {}
