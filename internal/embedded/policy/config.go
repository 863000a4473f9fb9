package policy

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"livehost/internal/embedded/policy/latency"
)

// ModelID is the model's id in requests and responses.
const ModelID = "scripted-policy"

// ModelName is what the policy calls itself wherever it shows.
const ModelName = "livehost-scripted-policy (rule-based, not a language model)"

// Config of the fleet.
type Config struct {
	Replicas  int           `koanf:"replicas" yaml:"replicas"`     // how many replicas, each on its own loopback port
	Slots     int           `koanf:"slots" yaml:"slots"`           // requests a replica works on at a time
	Queue     int           `koanf:"queue" yaml:"queue"`           // requests that may wait for a slot of a replica
	QueueWait time.Duration `koanf:"queue_wait" yaml:"queue_wait"` // how long they wait, in room time
	Overload  int           `koanf:"overload" yaml:"overload"`     // HTTP status when there is no slot: 429 or 503
	Profile   string        `koanf:"profile" yaml:"profile"`       // latency profile: h20-mtp, h20 or instant
	Seed      uint64        `koanf:"seed" yaml:"seed"`             // of alternatives and latencies
}

// DefaultConfig is four replicas of two slots with the measured profile.
func DefaultConfig() Config {
	return Config{
		Replicas: 4, Slots: 2, Queue: 2, QueueWait: 200 * time.Millisecond,
		Overload: http.StatusTooManyRequests, Profile: latency.H20MTP, Seed: 1,
	}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
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
	return errors.Join(errs...)
}
