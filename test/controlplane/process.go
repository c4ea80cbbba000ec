package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

const (
	// gracePeriod is what a process that keeps its data gets to end by itself.
	gracePeriod = 5 * time.Second
	// killTimeout bounds the wait for the end of a killed process.
	killTimeout = 10 * time.Second
	// probePeriod is how often a starting process is asked whether it is ready.
	probePeriod = 50 * time.Millisecond
	// probeTimeout bounds one such question.
	probeTimeout = 5 * time.Second
)

// A Process names one process of a control plane.
type Process string

// The processes of a control plane.
const (
	Etcd              Process = "etcd"
	APIServer         Process = "kube-apiserver"
	ControllerManager Process = "kube-controller-manager"
)

// A command is a process as it can be started, again and again.
type command struct {
	name   Process
	binary string
	args   []string
	log    string // appended to
	home   string // the working folder
	// pidFile is set for a process that outlives this one. See detached.go.
	pidFile string
}

// A process is a started command.
type process struct {
	command
	pid  int
	done chan struct{} // closed when the process has ended and exit is set
	exit error
}

// start starts the command. The process ends with the one that started it, unless it has a pidFile.
func (c command) start() (*process, error) {
	log, err := os.OpenFile(c.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", c.name, err)
	}
	defer log.Close()
	cmd := exec.Command(c.binary, c.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Dir = c.home
	// No proxy, cloud or Go setting of the caller reaches the process.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "TMPDIR=" + c.home}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c.pidFile == "" {
		endWithParent(cmd.SysProcAttr)
	} else {
		lock, err := newPIDFile(c.pidFile)
		if err != nil {
			return nil, err
		}
		defer lock.Close()
		cmd.ExtraFiles = []*os.File{lock}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}

	p := &process{command: c, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The parent death signal is sent when the thread that forked ends, so the thread stays as long as the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		started <- err
		if err != nil {
			return
		}
		p.exit = cmd.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.name, err)
	}
	if c.pidFile != "" {
		if err := os.WriteFile(c.pidFile, []byte(strconv.Itoa(p.pid)+"\n"), 0o644); err != nil {
			return nil, errors.Join(fmt.Errorf("writing the pid file of %s: %w", c.name, err), p.stop(0))
		}
	}
	return p, nil
}

// running reports whether the process has not ended yet.
func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// stop ends the process and its group: at once, or with some time to end by itself.
func (p *process) stop(grace time.Duration) error {
	if p == nil || !p.running() {
		return nil
	}
	if grace > 0 {
		if err := signalGroup(p.pid, syscall.SIGTERM); err != nil {
			return fmt.Errorf("stopping %s: %w", p.name, err)
		}
		select {
		case <-p.done:
		case <-time.After(grace):
		}
	}
	if err := signalGroup(p.pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("killing %s: %w", p.name, err)
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(killTimeout):
		return fmt.Errorf("killing %s (pid %d): still there after %v", p.name, p.pid, killTimeout)
	}
}

// signalGroup signals a process and its children. That they are gone is no error.
func signalGroup(pid int, signal syscall.Signal) error {
	if err := syscall.Kill(-pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// await asks probe until it has no error. It fails when ctx ends or the process does, with the end of the process's log.
func (p *process) await(ctx context.Context, what string, probe func(context.Context) error) error {
	tick := time.NewTicker(probePeriod)
	defer tick.Stop()
	var last error
	for {
		asked, cancel := context.WithTimeout(ctx, probeTimeout)
		err := probe(asked)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil {
			last = err // else the error is only that time is up
		}
		select {
		case <-p.done:
			return fmt.Errorf("waiting for %s: %s ended: %w\n%s", what, p.name, exitError(p.exit), p.tail())
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w (last answer: %w)\n%s", what, ctx.Err(), last, p.tail())
		case <-tick.C:
		}
	}
}

func (p *process) tail() string {
	return fmt.Sprintf("--- end of %s:\n%s", filepath.Base(p.log), tailFile(p.log))
}

// exitError is err, or what stands for it when the process ended without one.
func exitError(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}
