// Command cluster starts a control plane for trying things out, and leaves it running.
//
//	cluster up      start it, with kube-controller-manager
//	cluster down    stop it and remove its data
//	cluster status  say what runs; the exit code is 1 unless all of it does
//	cluster build   only build the binaries
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"k8saibom.dev/k8s-aibom/test/controlplane"
)

const usage = `usage: cluster up|down|status|build [--dir DIR]

  up      start etcd, kube-apiserver and kube-controller-manager; they outlive this command
  down    stop them and remove their data
  status  say what runs; the exit code is 1 unless all of it does
  build   only build the binaries
`

var (
	errUsage      = errors.New("unknown command")
	errNotRunning = errors.New("the control plane does not run")
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// run does one command line.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet("cluster "+args[0], flag.ContinueOnError)
	dir := flags.String("dir", ".cluster", "the control plane's `directory`")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errUsage
	}
	path, err := filepath.Abs(*dir)
	if err != nil {
		return fmt.Errorf("resolving --dir: %w", err)
	}
	switch args[0] {
	case "up":
		return up(ctx, path, out)
	case "down":
		return down(ctx, path, out)
	case "status":
		return status(path, out)
	case "build":
		return build(ctx, out)
	default:
		return errUsage
	}
}

// up starts the control plane unless it runs. One that runs only in part is stopped first; its data stays.
func up(ctx context.Context, dir string, out io.Writer) error {
	statuses, err := controlplane.DetachedStatus(dir)
	if err != nil {
		return err
	}
	if complete(statuses) {
		fmt.Fprintln(out, "The control plane is running already.")
		printUse(out, dir)
		return nil
	}
	if err := controlplane.StopDetached(ctx, dir); err != nil {
		return err
	}
	cp, err := controlplane.Start(ctx, controlplane.Options{DataDir: dir, ControllerManager: true, Detach: true})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The control plane is running at %s, its logs are in %s.\n", cp.URL(), filepath.Dir(cp.Logs(controlplane.Etcd)))
	fmt.Fprintf(out, "kubectl of the same release: %s\n", cp.Binaries().Kubectl)
	printUse(out, dir)
	return nil
}

func down(ctx context.Context, dir string, out io.Writer) error {
	statuses, err := controlplane.DetachedStatus(dir)
	if err != nil {
		return err
	}
	if err := controlplane.StopDetached(ctx, dir); err != nil {
		return err
	}
	if err := controlplane.RemoveData(dir); err != nil {
		return err
	}
	if len(statuses) == 0 {
		fmt.Fprintln(out, "The control plane was not running.")
	} else {
		fmt.Fprintln(out, "The control plane is stopped, its data is removed.")
	}
	return nil
}

func status(dir string, out io.Writer) error {
	statuses, err := controlplane.DetachedStatus(dir)
	if err != nil {
		return err
	}
	for _, s := range statuses {
		state := "ended"
		if s.Running {
			state = "running"
		}
		fmt.Fprintf(out, "%-24s %-8s pid %d\n", s.Process, state, s.PID)
	}
	if !complete(statuses) {
		return errNotRunning
	}
	printUse(out, dir)
	return nil
}

func build(ctx context.Context, out io.Writer) error {
	b, err := controlplane.Build(ctx)
	if err != nil {
		return err
	}
	for _, path := range []string{b.Etcd, b.KubeAPIServer, b.KubeControllerManager, b.Kubectl} {
		fmt.Fprintln(out, path)
	}
	return nil
}

// complete reports whether every process that up starts is running.
func complete(statuses []controlplane.ProcessStatus) bool {
	running := map[controlplane.Process]bool{}
	for _, s := range statuses {
		running[s.Process] = s.Running
	}
	return running[controlplane.Etcd] && running[controlplane.APIServer] && running[controlplane.ControllerManager]
}

func printUse(out io.Writer, dir string) {
	fmt.Fprintf(out, "\n  export KUBECONFIG=%s\n\nTo stop it: make cluster-down (or: cluster down --dir %s)\n", filepath.Join(dir, "kubeconfig"), dir)
}
