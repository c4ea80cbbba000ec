package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 15 * time.Second
	pollInterval = 50 * time.Millisecond
)

// A server is a running aibom-apiserver that serves manifests.
type server struct {
	command *exec.Cmd
	dir     string // of the kubeconfig; removed at the end
	output  bytes.Buffer
	ended   chan struct{}
}

func start(ctx context.Context, program, manifests string) (*server, error) {
	dir, err := os.MkdirTemp("", "aibom-demo-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the kubeconfig: %w", err)
	}
	s := &server{dir: dir, ended: make(chan struct{})}
	s.command = exec.CommandContext(ctx, program,
		"--standalone", "--manifests", manifests, "--secure-port", "0", "--write-kubeconfig", s.kubeconfig())
	s.command.Stdout, s.command.Stderr = &s.output, &s.output
	s.command.Cancel = func() error { return s.command.Process.Signal(syscall.SIGTERM) }
	s.command.WaitDelay = stopTimeout
	if err := s.command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s (make build makes it): %w", program, err), os.RemoveAll(dir))
	}
	go func() {
		defer close(s.ended)
		_ = s.command.Wait() // its exit code says less than its output, which client shows
	}()
	return s, nil
}

func (s *server) kubeconfig() string { return filepath.Join(s.dir, "kubeconfig") }

// client returns a client once the server is ready.
func (s *server) client(ctx context.Context) (*client, error) {
	deadline := time.After(startTimeout)
	for {
		c, err := newClient(s.kubeconfig())
		if err == nil {
			_, err = c.get(ctx, "/readyz", "")
		}
		if err == nil {
			return c, nil
		}
		select {
		case <-s.ended:
			return nil, fmt.Errorf("the server ended before it was ready; it said:\n%s", s.output.String())
		case <-deadline:
			return nil, fmt.Errorf("the server was not ready after %s: %w", startTimeout, err)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pollInterval):
		}
	}
}

// stop ends the server, and kills it if it takes too long.
func (s *server) stop() error {
	_ = s.command.Process.Signal(syscall.SIGTERM) // it may have ended already
	select {
	case <-s.ended:
	case <-time.After(stopTimeout):
		_ = s.command.Process.Kill()
		<-s.ended
	}
	return os.RemoveAll(s.dir)
}
