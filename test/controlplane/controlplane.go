package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// A ControlPlane is a running control plane. Its methods are safe for concurrent use.
type ControlPlane struct {
	options     Options
	dir         string
	data        *dataDir
	credentials *credentials
	ports       ports
	kubeconfigs atomic.Int64

	// mu orders the starts and stops of processes.
	mu        sync.Mutex
	stopped   bool
	processes map[Process]*process
}

// ports are the loopback ports of the processes.
type ports struct{ etcd, etcdPeer, apiServer, controllers int }

// Start starts a control plane and waits until it is ready: kube-apiserver says so, and the default namespace is there,
// with its service account if the controller manager runs. The context bounds the start only, along with
// Options.StartTimeout. An error has the end of the log of the process that failed, and nothing is left running.
func Start(ctx context.Context, options Options) (*ControlPlane, error) {
	options, err := options.complete(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, options.StartTimeout)
	defer cancel()

	c := &ControlPlane{options: options, processes: map[Process]*process{}}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the control plane: %w", err), c.Stop())
	}
	if options.Detach {
		c.data.owner.Close() // from here on the locks of the processes tell that the directory is in use
	}
	return c, nil
}

func (c *ControlPlane) start(ctx context.Context) error {
	if err := c.prepare(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.run(ctx, Etcd); err != nil {
		return err
	}
	if err := c.run(ctx, APIServer); err != nil {
		return err
	}
	if err := c.processes[APIServer].await(ctx, "the default namespace", c.exists("/api/v1/namespaces/default")); err != nil {
		return err
	}
	if !c.options.ControllerManager {
		return nil
	}
	if err := c.run(ctx, ControllerManager); err != nil {
		return err
	}
	return c.processes[ControllerManager].await(ctx, "the default service account",
		c.exists("/api/v1/namespaces/default/serviceaccounts/default"))
}

// prepare makes the folders, the ports and the credentials.
func (c *ControlPlane) prepare(ctx context.Context) error {
	var err error
	if c.data, err = openDataDir(ctx, c.options.DataDir); err != nil {
		return err
	}
	c.dir = c.data.path
	if c.options.LogDir == "" {
		c.options.LogDir = filepath.Join(c.dir, "logs")
	}
	for _, dir := range []string{c.options.LogDir, c.etcdDir(), c.runDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("making the control plane's folders: %w", err)
		}
	}
	for _, port := range []*int{&c.ports.etcd, &c.ports.etcdPeer, &c.ports.apiServer, &c.ports.controllers} {
		if *port, err = freePort(); err != nil {
			return err
		}
	}
	if c.credentials, err = newCredentials(filepath.Join(c.dir, "pki")); err != nil {
		return err
	}
	return writeKubeconfig(c.Kubeconfig(), "admin", c.AdminConfig())
}

// run starts one process and waits until it is ready. The caller holds mu.
func (c *ControlPlane) run(ctx context.Context, name Process) error {
	if c.stopped {
		return fmt.Errorf("starting %s: the control plane is stopped", name)
	}
	if p := c.processes[name]; p != nil && p.running() {
		return nil
	}
	cmd, err := c.command(name)
	if err != nil {
		return err
	}
	p, err := cmd.start()
	if err != nil {
		return err
	}
	c.processes[name] = p
	return p.await(ctx, string(name), c.ready(name))
}

// command says how a process is started.
func (c *ControlPlane) command(name Process) (command, error) {
	cmd := command{name: name, log: c.Logs(name), home: c.runDir()}
	if c.options.Detach {
		cmd.pidFile = pidFile(c.dir, name)
	}
	switch name {
	case Etcd:
		cmd.binary, cmd.args = c.options.Binaries.Etcd, c.etcdArgs()
	case APIServer:
		cmd.binary, cmd.args = c.options.Binaries.KubeAPIServer, append(c.apiServerArgs(), c.options.APIServerArgs...)
	case ControllerManager:
		kubeconfig, err := c.controllerManagerKubeconfig()
		if err != nil {
			return command{}, err
		}
		cmd.binary, cmd.args = c.options.Binaries.KubeControllerManager, c.controllerManagerArgs(kubeconfig)
	default:
		return command{}, fmt.Errorf("there is no process %q", name)
	}
	return cmd, nil
}

// Stop ends the processes and removes the temporary directory. Stopping again does nothing.
func (c *ControlPlane) Stop() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return nil
	}
	c.stopped = true
	grace := gracePeriod
	if c.data != nil && c.data.temporary {
		grace = 0 // there is nothing to save
	}
	var errs []error
	for _, name := range stopOrder {
		errs = append(errs, c.processes[name].stop(grace))
	}
	releasePorts(c.ports.etcd, c.ports.etcdPeer, c.ports.apiServer, c.ports.controllers)
	return errors.Join(append(errs, c.data.close())...)
}

// stopOrder has each process before the one that it needs.
var stopOrder = []Process{ControllerManager, APIServer, Etcd}

// KillAPIServer ends kube-apiserver at once, as a crash would. Its data is in etcd.
func (c *ControlPlane) KillAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.processes[APIServer].stop(0)
}

// RestartAPIServer ends kube-apiserver if it runs, and starts it again on the same port with the same credentials.
func (c *ControlPlane) RestartAPIServer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.options.StartTimeout)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.processes[APIServer].stop(0); err != nil {
		return err
	}
	return c.run(ctx, APIServer)
}

// Logs is the path of a process's log.
func (c *ControlPlane) Logs(name Process) string {
	return filepath.Join(c.options.LogDir, string(name)+".log")
}

// Binaries are the programs that run.
func (c *ControlPlane) Binaries() Binaries { return c.options.Binaries }

func (c *ControlPlane) etcdDir() string { return filepath.Join(c.dir, "etcd") }
func (c *ControlPlane) runDir() string  { return filepath.Join(c.dir, "run") }
