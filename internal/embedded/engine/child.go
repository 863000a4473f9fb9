package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// ChildConfig is what the child process is started with.
type ChildConfig struct {
	Library     string // path of the engine library
	DataDir     string // the engine's files; one process at a time
	Socket      string // unix socket to serve on, created with mode 0600
	Port        int    // also serve on this loopback port; 0: none
	MemoryBytes int64  // the engine's own limit
	Connections int    // statements at once
}

// ready is what the child prints on its standard output once it serves.
const ready = "ready"

// lockWithin is how long a child waits for the directory: the child of a parent
// that was killed just now is about to end.
const lockWithin = 5 * time.Second

// ErrLocked says that another process has the data directory.
var ErrLocked = errors.New("the ClickHouse data directory is in use by another process")

// Serve is the main function of the child: it serves until stdin ends, which is
// when the parent is gone, however it went.
func Serve(cfg ChildConfig, stdin io.Reader, stdout io.Writer, log *slog.Logger) error {
	unlock, err := lock(cfg.DataDir)
	if err != nil {
		return err
	}
	defer unlock()
	lib, err := open(cfg.Library)
	if err != nil {
		return err
	}
	p, err := newPool(lib, filepath.Join(cfg.DataDir, "store"), cfg.Connections, []string{
		fmt.Sprintf("--max_server_memory_usage=%d", cfg.MemoryBytes),
		"--mark_cache_size=33554432",
	})
	if err != nil {
		return err
	}
	greeting, err := p.hello()
	if err != nil {
		return err
	}
	listeners, err := cfg.listen()
	if err != nil {
		return err
	}
	err = p.serve(&handler{pool: p, hello: greeting, log: log, ids: rand.Text}, listeners, stdin, stdout)
	if err == nil { // nobody else clears the folder of the socket when the parent was killed
		_ = os.Remove(filepath.Dir(cfg.Socket))
	}
	return err
}

// endWithin bounds each step of the end: a client that does not leave, a
// statement that cannot be killed. What was acknowledged is on disk by then.
const endWithin = 2 * time.Second

func (p *pool) serve(h http.Handler, listeners []net.Listener, stdin io.Reader, stdout io.Writer) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { failed <- srv.Serve(l) }()
	}
	fmt.Fprintln(stdout, ready)
	gone := make(chan struct{})
	go func() { _, _ = io.Copy(io.Discard, stdin); close(gone) }()
	var err error
	select {
	case err = <-failed:
	case <-gone:
	}
	ctx, cancel := context.WithTimeout(context.Background(), endWithin)
	defer cancel()
	if srv.Shutdown(ctx) != nil {
		_ = srv.Close() // ends the requests' contexts, which kills their statements
	}
	closed := make(chan struct{})
	go func() { p.close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(endWithin):
	}
	return err
}

func (cfg ChildConfig) listen() ([]net.Listener, error) {
	_ = os.Remove(cfg.Socket) // left by a killed child; the lock says it is ours
	old := unix.Umask(0o177)
	unixListener, err := net.Listen("unix", cfg.Socket)
	unix.Umask(old)
	if err != nil {
		return nil, fmt.Errorf("engine socket: %w", err)
	}
	if cfg.Port == 0 {
		return []net.Listener{unixListener}, nil
	}
	tcp, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", cfg.Port))
	if err != nil {
		return nil, fmt.Errorf("--clickhouse-port %d: %w; choose another port", cfg.Port, err)
	}
	return []net.Listener{unixListener, tcp}, nil
}

func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("engine data directory: %w", err)
	}
	path := filepath.Join(dir, "livehost.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("engine data directory: %w; is %s writable?", err, dir)
	}
	for deadline := time.Now().Add(lockWithin); unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Close()
			return nil, fmt.Errorf("%w: %s; stop it or choose another --data folder", ErrLocked, dir)
		}
	}
	return func() { f.Close() }, nil
}
