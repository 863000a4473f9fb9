package kafka

import (
	"errors"
	"fmt"
	"time"

	"livehost/internal/fault"
)

// Config is how to reach the brokers and how consumers behave. All durations
// are wall time.
type Config struct {
	Brokers  []string `yaml:"brokers"`   // host:port of some brokers
	ClientID string   `yaml:"client_id"` // names this process in the brokers' logs and quotas
	// InstanceID, unique to a process and stable over its restarts, makes group
	// membership static: after kill -9 the same process takes its partitions back
	// at once, and a restart within SessionTimeout moves nothing. Empty:
	// dynamic, where partitions of a killed process wait for SessionTimeout.
	InstanceID     string        `yaml:"instance_id"`
	SessionTimeout time.Duration `yaml:"session_timeout"` // silence after which a member is gone; brokers allow 6 s and more
	DrainBudget    time.Duration `yaml:"drain_budget"`    // for what is under way in partitions that move to another member
	CommitInterval time.Duration `yaml:"commit_interval"` // between two commits of progress
	RetryMin       time.Duration `yaml:"retry_min"`       // first wait before a record is handed over again; doubles each time
	RetryMax       time.Duration `yaml:"retry_max"`       // longest such wait
	// RetryFor bounds how long a record is handed over again and again because
	// something it needs is away; then it is a dead letter, to be replayed. Meanwhile
	// its partition is not committed past it.
	RetryFor time.Duration `yaml:"retry_for"`
	// WatchInterval is between two looks for topics that were deleted and created again, or have new partitions.
	WatchInterval time.Duration `yaml:"watch_interval"`
	TLS           TLS           `yaml:"tls"`
	SASL          SASL          `yaml:"sasl"`
}

// DefaultConfig is everything but the brokers.
func DefaultConfig() Config {
	return Config{
		ClientID:       "livehost",
		SessionTimeout: 10 * time.Second,
		DrainBudget:    5 * time.Second,
		CommitInterval: 200 * time.Millisecond,
		RetryMin:       100 * time.Millisecond,
		RetryMax:       10 * time.Second,
		RetryFor:       24 * time.Hour,
		WatchInterval:  5 * time.Second,
	}
}

// Validate reports every problem.
func (c Config) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(len(c.Brokers) > 0, "brokers: at least one host:port is needed")
	check(c.ClientID != "", "client_id: is empty")
	check(c.SessionTimeout >= 6*time.Second, "session_timeout: %v is below 6s, the least that brokers allow", c.SessionTimeout)
	check(c.DrainBudget > 0, "drain_budget: %v is not positive", c.DrainBudget)
	check(c.CommitInterval > 0, "commit_interval: %v is not positive", c.CommitInterval)
	check(c.RetryMin > 0, "retry_min: %v is not positive", c.RetryMin)
	check(c.RetryMax >= c.RetryMin, "retry_max: %v is below retry_min %v", c.RetryMax, c.RetryMin)
	check(c.RetryFor >= c.RetryMax, "retry_for: %v is below retry_max %v", c.RetryFor, c.RetryMax)
	check(c.WatchInterval > 0, "watch_interval: %v is not positive", c.WatchInterval)
	return errors.Join(append(errs, c.TLS.validate(), c.SASL.validate())...)
}

// delay is the wait before the next attempt: what the error asks for, or the backoff.
func (c Config) delay(err error, attempt int) time.Duration {
	if after := fault.RetryAfter(err); after > 0 {
		return after
	}
	return c.backoff(attempt)
}

// backoff doubles from RetryMin with each attempt, counted from 0, up to RetryMax.
func (c Config) backoff(attempt int) time.Duration {
	d := c.RetryMin
	for ; attempt > 0 && d < c.RetryMax; attempt-- {
		d *= 2
	}
	return min(d, c.RetryMax)
}
