package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// kubectlTimeout bounds one run of kubectl by Kubectl.
const kubectlTimeout = 2 * time.Minute

// Kubectl runs kubectl as the admin and returns what it printed. The error has the arguments and the error output.
func (c *ControlPlane) Kubectl(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(ctx, kubectlTimeout)
	defer cancel()
	cmd := c.KubectlCommand(ctx, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("kubectl %q: %w: %s", args, err, lastLines(errOut.String(), tailLines))
	}
	return out.String(), errOut.String(), err
}

// KubectlCommand returns kubectl, ready to run as the admin until ctx ends, for those who need its standard input, its
// running output, or another KUBECONFIG or PATH in its environment. It reads nothing of the user's own configuration.
func (c *ControlPlane) KubectlCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.options.Binaries.Kubectl, args...)
	home := c.runDir()
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + home,
		"KUBECONFIG=" + c.Kubeconfig(),
		"KUBECACHEDIR=" + filepath.Join(home, "kubectl-cache"),
		"KUBERC=off",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // its plugins as well
	cmd.WaitDelay = killTimeout
	return cmd
}
