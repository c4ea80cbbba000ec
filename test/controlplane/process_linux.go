package controlplane

import "syscall"

// endWithParent has the kernel kill the process when the one that starts it ends, in whatever way.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
