package redisserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Config is the embedded Redis's configuration.
type Config struct {
	Port int           `yaml:"port"` // loopback port; 0: any free one
	Tick time.Duration `yaml:"tick"` // wall time between two expiries of keys
}

// DefaultConfig listens on a free port and expires keys ten times a second.
func DefaultConfig() Config { return Config{Tick: 100 * time.Millisecond} }

// Validate reports every problem.
func (c Config) Validate() error {
	var errs []error
	if c.Port < 0 || c.Port > 65535 {
		errs = append(errs, fmt.Errorf("port: %d is not one of 0..65535", c.Port))
	}
	if c.Tick <= 0 {
		errs = append(errs, fmt.Errorf("tick: %v is not positive", c.Tick))
	}
	return errors.Join(errs...)
}

// Server is a running Redis.
type Server struct {
	redis *miniredis.Miniredis
	tick  time.Duration
}

// Start listens. A port in use is an error of one line that says what to do.
func Start(cfg Config) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("embedded redis: %w", err)
	}
	s := &Server{redis: miniredis.NewMiniRedis(), tick: cfg.Tick}
	err := s.redis.StartAddr(net.JoinHostPort("127.0.0.1", strconv.Itoa(cfg.Port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("embedded redis: port %d is in use; stop what listens there, or configure another port or 0 for any", cfg.Port)
	case err != nil:
		return nil, fmt.Errorf("embedded redis: listen on port %d: %w", cfg.Port, err)
	}
	return s, nil
}

// Addr is the address to give to clients.
func (s *Server) Addr() string { return s.redis.Addr() }

// Run makes keys expire until ctx ends. The server's own clock-driven expiry
// walks over all keys at every command; this walks once a tick.
func (s *Server) Run(ctx context.Context) error {
	tick := time.NewTicker(s.tick)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			s.redis.FastForward(now.Sub(last))
			last = now
		}
	}
}

// Close ends the listener and all connections; what was kept is gone.
func (s *Server) Close() { s.redis.Close() }
