package policy

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"livehost/internal/embedded/policy/latency"
)

// ModelID is the model's id in requests and responses.
const ModelID = "scripted-policy"

// ModelName is what the policy calls itself wherever it shows.
const ModelName = "livehost-scripted-policy (rule-based, not a language model)"

// Config of the fleet.
type Config struct {
	Addr      string        `koanf:"addr" yaml:"addr"`             // host:port of the first replica, the next ones follow; port 0: any free ones
	Replicas  int           `koanf:"replicas" yaml:"replicas"`     // how many replicas, each on its own port
	Slots     int           `koanf:"slots" yaml:"slots"`           // requests a replica works on at a time
	Queue     int           `koanf:"queue" yaml:"queue"`           // requests that may wait for a slot of a replica
	QueueWait time.Duration `koanf:"queue_wait" yaml:"queue_wait"` // how long they wait, in room time
	Overload  int           `koanf:"overload" yaml:"overload"`     // HTTP status when there is no slot: 429 or 503
	Profile   string        `koanf:"profile" yaml:"profile"`       // latency profile: h20-mtp, h20 or instant
	Seed      uint64        `koanf:"seed" yaml:"seed"`             // of alternatives and latencies
	Hostile   string        `koanf:"hostile" yaml:"hostile"`       // "", or how it misbehaves: obey or lie; for tests
}

// DefaultConfig is four replicas of two slots with the measured profile.
func DefaultConfig() Config {
	return Config{
		Addr: "127.0.0.1:0", Replicas: 4, Slots: 2, Queue: 2, QueueWait: 200 * time.Millisecond,
		Overload: http.StatusTooManyRequests, Profile: latency.H20MTP, Seed: 1,
	}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	if _, err := c.addr(0); err != nil {
		errs = append(errs, fmt.Errorf("addr: %w", err))
	}
	if c.Replicas < 1 {
		errs = append(errs, fmt.Errorf("replicas: %d is not at least 1", c.Replicas))
	}
	if c.Slots < 1 {
		errs = append(errs, fmt.Errorf("slots: %d is not at least 1", c.Slots))
	}
	if c.Queue < 0 {
		errs = append(errs, fmt.Errorf("queue: %d is negative", c.Queue))
	}
	if c.QueueWait < 0 {
		errs = append(errs, fmt.Errorf("queue_wait: %v is negative", c.QueueWait))
	}
	if c.Overload != http.StatusTooManyRequests && c.Overload != http.StatusServiceUnavailable {
		errs = append(errs, fmt.Errorf("overload: %d is neither 429 nor 503", c.Overload))
	}
	if _, err := latency.ProfileNamed(c.Profile); err != nil {
		errs = append(errs, fmt.Errorf("profile: %w", err))
	}
	if err := validHostile(c.Hostile); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// addr is where replica i listens.
func (c Config) addr(i int) (string, error) {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", fmt.Errorf("port %q: %w", port, err)
	}
	if n != 0 {
		n += uint64(i)
	}
	return net.JoinHostPort(host, strconv.FormatUint(n, 10)), nil
}
