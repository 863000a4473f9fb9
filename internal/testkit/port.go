package testkit

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Ports of which the system gives none to whoever asks for any port, or connects:
// below Linux's range for that, above what services usually have.
const (
	firstPort = 10_000
	lastPort  = 32_000
)

// Port is a port of 127.0.0.1 for a server that cannot be told to take any, or that
// has to come back to its own. A port that was bound for a moment to learn its number
// could be some connection's by the time the server wants it.
func Port(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatalf("no port from %d to %d is free", firstPort, lastPort)
	return 0
}
