package redisclient

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"livehost/internal/config"
)

// Config is how to reach Redis. Durations are wall time.
type Config struct {
	Addrs    []string      `yaml:"addrs"` // host:port; several make a cluster client
	Username string        `yaml:"username"`
	Password config.Secret `yaml:"password"`
	Timeout  time.Duration `yaml:"timeout"` // of one command
}

// DefaultConfig is everything but the addresses.
func DefaultConfig() Config { return Config{Timeout: time.Second} }

// Validate reports every problem.
func (c Config) Validate() error {
	var problems []error
	if len(c.Addrs) == 0 {
		problems = append(problems, errors.New("addrs: empty; name at least one host:port, or use --embedded"))
	}
	for _, addr := range c.Addrs {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			problems = append(problems, fmt.Errorf("addrs: %q is not host:port", addr))
		}
	}
	if c.Timeout <= 0 {
		problems = append(problems, errors.New("timeout: must be positive"))
	}
	return errors.Join(problems...)
}

// Client is a Redis client, as the redis* adapters take it.
type Client = redis.UniversalClient

// Quiet keeps the client library, for the whole process, from writing to standard
// error by itself: what failed is the error of the call, and logged as such.
func Quiet() { logging.Disable() }

// New makes the client; it connects on first use. The caller closes it.
func New(c Config) Client {
	return redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs: c.Addrs, Username: c.Username, Password: string(c.Password),
		DialTimeout: c.Timeout, ReadTimeout: c.Timeout, WriteTimeout: c.Timeout,
		ContextTimeoutEnabled: true,
	})
}
