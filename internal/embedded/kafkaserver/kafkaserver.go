package kafkaserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Config is the embedded broker's configuration.
type Config struct {
	DataDir string `yaml:"data_dir"` // where the log is kept; empty: in memory, gone at Close
	Port    int    `yaml:"port"`     // loopback port; 0: any free one
	// CleanInterval is the wall time between two passes of retention and compaction.
	CleanInterval time.Duration `yaml:"clean_interval"`
}

// DefaultConfig keeps the log in memory on a free port and cleans every minute.
func DefaultConfig() Config { return Config{CleanInterval: time.Minute} }

// Validate reports every problem.
func (c Config) Validate() error {
	var errs []error
	if c.Port < 0 || c.Port > 65535 {
		errs = append(errs, fmt.Errorf("port: %d is not one of 0..65535", c.Port))
	}
	if c.CleanInterval <= 0 {
		errs = append(errs, fmt.Errorf("clean_interval: %v is not positive", c.CleanInterval))
	}
	return errors.Join(errs...)
}

// Server is a running broker.
type Server struct {
	cfg     Config
	cluster *kfake.Cluster
	addrs   []string
	lock    *os.File // nil without a data directory
	close   sync.Once
}

// Start opens the data directory and listens. log gets the broker's complaints.
// A port in use, an unwritable or an occupied directory is an error of one line
// that says what to do.
func Start(cfg Config, log *slog.Logger) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("embedded kafka: %w", err)
	}
	s := &Server{cfg: cfg}
	opts := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ClusterID("livehost-embedded"),
		kfake.WithLogger(logger{log}),
		kfake.ListenFn(listen),
	}
	if cfg.Port != 0 {
		opts = append(opts, kfake.Ports(cfg.Port))
	}
	if cfg.DataDir != "" {
		if err := s.openDir(); err != nil {
			return nil, err
		}
		opts = append(opts, kfake.DataDir(filepath.Join(cfg.DataDir, "log")))
	}
	cluster, err := kfake.NewCluster(opts...)
	if err != nil {
		s.unlock()
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("embedded kafka: port %d is in use; stop what listens there, or configure another port or 0 for any", cfg.Port)
		}
		return nil, fmt.Errorf("embedded kafka: open log in %q: %w; move the directory away to start with an empty log", cfg.DataDir, err)
	}
	s.cluster = cluster
	s.addrs = cluster.ListenAddrs()
	cluster.ControlKey(int16(kmsg.Produce), stampAppendTime)
	return s, nil
}

// Addrs are the addresses to give to clients.
func (s *Server) Addrs() []string { return s.addrs }

// Run applies retention and compaction until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	tick := time.NewTicker(s.cfg.CleanInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			s.cluster.Compact() // applies retention, too
		}
	}
}

// Close ends the listener and all connections, and writes what a fast start
// needs. It may be called more than once.
func (s *Server) Close() {
	s.close.Do(func() {
		s.cluster.Close()
		s.unlock()
	})
}

// openDir makes the data directory this process's own. The lock goes with the
// process, however that ends.
func (s *Server) openDir() error {
	dir := s.cfg.DataDir
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("embedded kafka: data directory %q cannot be made: %w; configure a directory that can be written", dir, err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return fmt.Errorf("embedded kafka: data directory %q cannot be written: %w; configure a directory that can be written", dir, err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("embedded kafka: data directory %q is in use by another process; stop it, or configure another directory", dir)
		}
		return fmt.Errorf("embedded kafka: data directory %q cannot be locked: %w; configure a directory on a local disk", dir, err)
	}
	s.lock = lock
	// The members saved at the last Close were of a process that is gone. Kept,
	// they would hold the partitions until their sessions end.
	err = os.Remove(filepath.Join(dir, "log", "session_state.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.unlock()
		return fmt.Errorf("embedded kafka: data directory %q: %w; configure a directory that can be written", dir, err)
	}
	return nil
}

func (s *Server) unlock() {
	if s.lock != nil {
		s.lock.Close()
	}
}

// listen retries briefly: after kill -9 and an immediate restart the kernel may
// still be closing the former process's socket.
func listen(network, address string) (net.Listener, error) {
	for try := 0; ; try++ {
		ln, err := net.Listen(network, address)
		if err == nil || try == 10 || !errors.Is(err, syscall.EADDRINUSE) {
			return ln, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// logger passes the broker's warnings on; its lower levels tell a protocol
// developer about every request.
type logger struct{ log *slog.Logger }

func (l logger) Logf(level kfake.LogLevel, format string, args ...any) {
	switch level {
	case kfake.LogLevelError:
		l.log.Error("embedded kafka", "detail", fmt.Sprintf(format, args...))
	case kfake.LogLevelWarn:
		l.log.Warn("embedded kafka", "detail", fmt.Sprintf(format, args...))
	}
}
