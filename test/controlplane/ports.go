package controlplane

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports are taken from below the range that kernels use for outgoing connections (from 32768 on Linux), so that no
// client takes the port of a process between its choice and its start, or while the process is restarted.
const (
	firstPort = 20000
	lastPort  = 32000
)

// takenPorts are the ports handed out in this process, so that control planes started at the same time keep apart.
var takenPorts = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// freePort returns a loopback port that nobody listens on. It stays reserved in this process until releasePorts.
func freePort() (int, error) {
	takenPorts.Lock()
	defer takenPorts.Unlock()
	last := errors.New("all are in use")
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if takenPorts.ports[port] {
			continue
		}
		l, err := net.Listen("tcp", loopback(port))
		if err != nil {
			last = err
			continue
		}
		l.Close()
		takenPorts.ports[port] = true
		return port, nil
	}
	return 0, fmt.Errorf("finding a free port from %d to %d: %w", firstPort, lastPort, last)
}

// releasePorts lets freePort hand out these ports again.
func releasePorts(ports ...int) {
	takenPorts.Lock()
	defer takenPorts.Unlock()
	for _, p := range ports {
		delete(takenPorts.ports, p)
	}
}

// loopback is the address of a port on the loopback interface.
func loopback(port int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
