package routing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"livehost/agentworker/model"
	"livehost/internal/clock"
	"livehost/internal/fault"
)

// Config bounds the router. Durations are room time.
type Config struct {
	QueueMax   int           // waiters for a slot; one more is refused
	BreakAfter int           // consecutive failures that open a replica's breaker; a used-up budget counts a third
	BreakFor   time.Duration // how long it stays open; then one request probes
	MinTokens  int           // least max tokens sent, however little time is left

	Shared SharedConfig // of slots that several processes share
}

// DefaultConfig suits one to a few dozen replicas.
func DefaultConfig() Config {
	return Config{QueueMax: 256, BreakAfter: 3, BreakFor: 5 * time.Second, MinTokens: 32, Shared: defaultShared()}
}

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	if c.QueueMax < 1 {
		errs = append(errs, fmt.Errorf("queue_max: %d is below 1", c.QueueMax))
	}
	if c.BreakAfter < 1 {
		errs = append(errs, fmt.Errorf("break_after: %d is below 1", c.BreakAfter))
	}
	if c.BreakFor <= 0 {
		errs = append(errs, fmt.Errorf("break_for: %v is not positive", c.BreakFor))
	}
	if c.MinTokens < 1 {
		errs = append(errs, fmt.Errorf("min_tokens: %d is below 1", c.MinTokens))
	}
	return errors.Join(append(errs, c.Shared.Validate())...)
}

// Replica is one policy server and how many requests it takes at once.
type Replica struct {
	Name  string
	Key   string // by which all processes know it; empty: Name
	Model model.Model
	Slots int
}

// Deps are the collaborators.
type Deps struct {
	Clock    *clock.Clock
	Log      *slog.Logger
	Replicas []Replica
	Slots    Slots // shared with other processes; nil: all slots are this process's
}

// Router is a model.Model over replicas.
type Router struct {
	cfg   Config
	clock *clock.Clock
	log   *slog.Logger
	slots Slots

	mu       sync.Mutex
	replicas []*replica
	waiting  waiters
	shared   shared
}

// replica is guarded by Router.mu.
type replica struct {
	Replica
	inFlight int
	failures int       // consecutive, in thirds
	openTill time.Time // room time
	rate     float64   // decode tokens per second of room time, learned; 0 before the first answer
}

// New makes a router; there must be at least one slot.
func New(cfg Config, deps Deps) (*Router, error) {
	r := &Router{cfg: cfg, clock: deps.Clock, log: deps.Log, slots: deps.Slots, shared: newShared()}
	errs := []error{cfg.Validate()}
	names := map[string]bool{}
	for i, rep := range deps.Replicas {
		if rep.Name == "" || names[rep.Name] {
			errs = append(errs, fmt.Errorf("replicas[%d]: name %q is empty or taken", i, rep.Name))
		}
		if rep.Slots < 1 {
			errs = append(errs, fmt.Errorf("replicas[%d]: %d slots", i, rep.Slots))
		}
		names[rep.Name] = true
		if rep.Key == "" {
			rep.Key = rep.Name
		}
		r.replicas = append(r.replicas, &replica{Replica: rep})
	}
	if len(r.replicas) == 0 {
		errs = append(errs, errors.New("replicas: none"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("routing: %w", err)
	}
	return r, nil
}

// Slots is how many requests all replicas take at once.
func (r *Router) Slots() int {
	n := 0
	for _, rep := range r.replicas {
		n += rep.Slots
	}
	return n
}

// Complete waits for a slot until ctx ends and has that replica answer within
// req.Budget.
func (r *Router) Complete(ctx context.Context, req model.Request) (model.Response, error) {
	asked := time.Now()
	got, err := r.acquire(ctx, req)
	if err != nil {
		return model.Response{Wait: time.Since(asked)}, err
	}
	rep, wait := got.replica, time.Since(asked)
	callCtx, cancel := ctx, context.CancelFunc(func() {})
	if req.Budget > 0 {
		callCtx, cancel = r.clock.WithTimeout(ctx, req.Budget)
	}
	defer cancel()
	req.MaxTokens = r.maxTokens(callCtx, rep, req.MaxTokens)
	resp, err := rep.Model.Complete(callCtx, req)
	resp.Replica, resp.Wait, resp.LocalSlots = rep.Name, wait, got.degraded
	r.release(got, req.Budget, resp, err)
	return resp, err
}

// maxTokens bounds the answer to what the replica can write in the time left.
func (r *Router) maxTokens(ctx context.Context, rep *replica, most int) int {
	deadline, ok := ctx.Deadline()
	r.mu.Lock()
	rate := rep.rate
	r.mu.Unlock()
	if !ok || rate == 0 {
		return most
	}
	left := time.Until(deadline).Seconds() * r.clock.Speed()
	fits := max(int(left*rate), r.cfg.MinTokens)
	if most == 0 {
		return fits
	}
	return min(most, fits)
}

// failure is what a failed call counts towards the breaker; a slow one is worth a
// third: tails are long, and a replica set aside for them makes the others slow.
const (
	failure = 3
	slow    = 1
)

// slot is a granted one.
type slot struct {
	*replica
	ticket   string // of the shared slot; empty: counted here alone
	degraded bool   // counted here alone because the shared slots are away
}

// acquire waits for a slot until ctx ends.
func (r *Router) acquire(ctx context.Context, req model.Request) (slot, error) {
	if r.slots != nil {
		got, err := r.share(ctx, req)
		if !errors.Is(err, errSlotsAway) {
			return got, err
		}
	}
	rep, err := r.local(ctx, req.Avoid)
	return slot{replica: rep, degraded: r.slots != nil}, err
}

// full is the refusal of one request too many.
func (r *Router) full() error {
	return &model.Error{Class: model.NoSlot, Err: fault.Errorf(fault.Exhausted, "%d requests wait for a slot already", r.cfg.QueueMax)}
}

func (r *Router) release(got slot, budget time.Duration, resp model.Response, err error) {
	rep := got.replica
	defer r.giveBack(got)
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.inFlight--
	if err == nil {
		rep.failures = 0
		rep.learn(resp, r.clock.Speed())
	} else if n := r.counts(model.ClassOf(err), budget, resp); n > 0 {
		rep.failures += n
		if rep.failures >= r.cfg.BreakAfter*failure {
			rep.openTill = r.clock.Now().Add(r.cfg.BreakFor)
			r.log.Warn("policy replica set aside", "replica", rep.Name, "failures", rep.failures/failure, "err", err)
		}
	}
	r.serve()
}

// counts is how much a failure says against the replica.
func (r *Router) counts(class model.Class, budget time.Duration, resp model.Response) int {
	switch class {
	case model.Canceled, model.Rejected:
		return 0
	case model.Timeout:
		if budget == 0 || resp.Took < r.clock.Wall(budget)*9/10 {
			return 0 // the run's deadline cut it short
		}
		return slow
	default:
		return failure
	}
}

// learn updates the decode rate: tokens after the first over the time since it.
func (rep *replica) learn(resp model.Response, speed float64) {
	decode := (resp.Took - resp.FirstToken).Seconds() * speed
	if resp.Usage.Completion < 8 || decode <= 0 {
		return
	}
	const weight = 0.2
	rate := float64(resp.Usage.Completion) / decode
	if rep.rate == 0 {
		rep.rate = rate
		return
	}
	rep.rate += weight * (rate - rep.rate)
}
