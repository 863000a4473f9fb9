package agentworker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"livehost/agentworker/runner"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/internal/telemetry"
	"livehost/streams"
	"livehost/streams/event"
)

// Config bounds the stage.
type Config struct {
	MaxRuns      int           `yaml:"max_runs"`      // runs at once: the policy's slots and a few
	RunsPerRoom  int           `yaml:"runs_per_room"` // runs at once of one room and variant
	RunLimit     time.Duration `yaml:"run_limit"`     // room; one run
	AnswerMargin time.Duration `yaml:"answer_margin"` // room; a run ends this long before answer_by
	FullNeeds    time.Duration `yaml:"full_needs"`    // room; with less left a run takes the compact route; grows with what runs take
	CompactNeeds time.Duration `yaml:"compact_needs"` // room; with less left a danmaku expires
	Lease        time.Duration `yaml:"lease"`         // wall; of a claim
	ClaimTimeout time.Duration `yaml:"claim_timeout"` // wall; of one call to the claims
	Drain        time.Duration `yaml:"drain"`         // wall; what running runs get when the stage stops
	ReadBack     time.Duration `yaml:"read_back"`     // wall; how far the log is read back on assignment
}

// DefaultConfig is DESIGN section 1, for the embedded policy's eight slots.
func DefaultConfig() Config {
	return Config{
		MaxRuns: 10, RunsPerRoom: 2, RunLimit: 10 * time.Second, AnswerMargin: time.Second,
		FullNeeds: 3 * time.Second, CompactNeeds: 700 * time.Millisecond,
		Lease: 12 * time.Second, ClaimTimeout: 500 * time.Millisecond, Drain: 12 * time.Second, ReadBack: 10 * time.Minute,
	}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	for name, n := range map[string]int{"max_runs": c.MaxRuns, "runs_per_room": c.RunsPerRoom} {
		if n < 1 {
			errs = append(errs, fmt.Errorf("%s: %d is below 1", name, n))
		}
	}
	for name, d := range map[string]time.Duration{
		"run_limit": c.RunLimit, "answer_margin": c.AnswerMargin, "full_needs": c.FullNeeds, "compact_needs": c.CompactNeeds,
		"lease": c.Lease, "claim_timeout": c.ClaimTimeout, "drain": c.Drain, "read_back": c.ReadBack,
	} {
		if d <= 0 {
			errs = append(errs, fmt.Errorf("%s: %v is not positive", name, d))
		}
	}
	if c.CompactNeeds > c.FullNeeds {
		errs = append(errs, fmt.Errorf("compact_needs: %v is above full_needs %v", c.CompactNeeds, c.FullNeeds))
	}
	if c.Lease <= c.RunLimit {
		errs = append(errs, fmt.Errorf("lease: %v does not outlast run_limit %v", c.Lease, c.RunLimit))
	}
	return errors.Join(errs...)
}

// Releases gives a variant its release at this moment, with the merchant's overlay.
type Releases interface {
	Resolve(variant event.Variant, merchant event.MerchantID) (*runner.Release, error)
}

// Deps are the collaborators.
type Deps struct {
	Clock     *clock.Clock
	Log       *slog.Logger
	Publisher streams.Publisher
	Reader    streams.Reader
	Claims    Claims
	Releases  Releases
	Runner    *runner.Runner

	Telemetry *telemetry.Instruments // nil: none
}

// Agent is the stage.
type Agent struct {
	cfg    Config
	deps   Deps
	log    *slog.Logger
	claims *layered
	pace   *pace

	wake chan struct{} // one signal: something to start

	mu         sync.Mutex
	sched      *schedule
	closed     bool
	partitions map[int32]*partition
}

// partition is what the stage keeps for one partition of window.v1.
type partition struct {
	replied map[event.WindowID]bool // reply.v1 was in the log at assignment
	revoked bool
	cancel  context.CancelFunc
	ctx     context.Context // of its runs
	runs    sync.WaitGroup
}

// New makes the stage.
func New(cfg Config, deps Deps) (*Agent, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("agentworker: %w", err)
	}
	return &Agent{
		cfg: cfg, deps: deps, log: deps.Log, wake: make(chan struct{}, 1),
		claims:     &layered{local: NewMemoryClaims(), shared: deps.Claims, log: deps.Log},
		pace:       &pace{least: cfg.FullNeeds, most: cfg.RunLimit * 3 / 4},
		sched:      newSchedule(cfg.MaxRuns, cfg.RunsPerRoom),
		partitions: map[int32]*partition{},
	}, nil
}

// Binding is the stage's consumer group.
func (a *Agent) Binding() streams.Binding {
	return streams.Binding{Group: "agentworker", Topics: []string{event.TopicWindow}, Handler: a, Drain: a.cfg.Drain}
}

// Handle takes a window into the schedule.
func (a *Agent) Handle(_ context.Context, r streams.Record, ack streams.Ack) {
	w, err := event.Decode[event.Window](r.Value)
	if err != nil {
		ack(err)
		return
	}
	j := &job{window: w, partition: r.Partition, ack: ack, received: time.Now(), deadline: time.UnixMilli(w.AnswerByMs).Add(-a.cfg.AnswerMargin)}
	a.mu.Lock()
	p := a.partition(r.Partition)
	switch {
	case a.closed || p.revoked:
		err = errStopping
	case p.replied[w.WindowID]:
		j = nil // its reply is in the log: all it caused is
	default:
		a.sched.add(j)
	}
	a.mu.Unlock()
	if err != nil || j == nil {
		ack(err)
		return
	}
	a.signal()
}

var errStopping = fault.Errorf(fault.Canceled, "agentworker: stopping")

// partition is the state of a partition; the caller holds mu.
func (a *Agent) partition(n int32) *partition {
	p := a.partitions[n]
	if p == nil {
		p = &partition{}
		p.ctx, p.cancel = context.WithCancel(context.Background())
		a.partitions[n] = p
	}
	return p
}

func (a *Agent) signal() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Run starts runs until ctx ends; then it lets the running ones finish within
// Config.Drain and gives the waiting windows back.
func (a *Agent) Run(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		a.start(timer)
		select {
		case <-a.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return a.stop()
}

// start begins every run that may begin, and sets the timer for the next lease end.
func (a *Agent) start(timer *time.Timer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for j := a.sched.next(now); j != nil; j = a.sched.next(now) {
		p := a.partition(j.partition)
		p.runs.Add(1)
		go a.process(p, j)
	}
	if at := a.sched.wake(now); !at.IsZero() {
		timer.Reset(at.Sub(now))
	}
}

func (a *Agent) stop() error {
	a.mu.Lock()
	a.closed = true
	left := a.sched.drop(func(*job) bool { return true })
	var parts []*partition
	for _, p := range a.partitions {
		parts = append(parts, p)
	}
	a.mu.Unlock()
	giveBack(left)
	drained := time.AfterFunc(a.cfg.Drain, func() {
		for _, p := range parts {
			p.cancel()
		}
	})
	defer drained.Stop()
	for _, p := range parts {
		p.runs.Wait()
		p.cancel()
	}
	return nil
}

func giveBack(jobs []*job) {
	for _, j := range jobs {
		j.ack(errStopping)
	}
}

// Revoked starts nothing more for the partition, lets its runs finish within ctx
// and forgets it.
func (a *Agent) Revoked(ctx context.Context, n int32) {
	a.mu.Lock()
	p := a.partition(n)
	p.revoked = true
	left := a.sched.drop(func(j *job) bool { return j.partition == n })
	a.mu.Unlock()
	giveBack(left)
	stop := context.AfterFunc(ctx, p.cancel)
	defer stop()
	p.runs.Wait()
	p.cancel()
	a.mu.Lock()
	if a.partitions[n] == p {
		delete(a.partitions, n)
	}
	a.mu.Unlock()
}
