package routing

import (
	"container/heap"
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
}

// DefaultConfig suits one to a few dozen replicas.
func DefaultConfig() Config {
	return Config{QueueMax: 256, BreakAfter: 3, BreakFor: 5 * time.Second, MinTokens: 32}
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
	return errors.Join(errs...)
}

// Replica is one policy server and how many requests it takes at once.
type Replica struct {
	Name  string
	Model model.Model
	Slots int
}

// Deps are the collaborators.
type Deps struct {
	Clock    *clock.Clock
	Log      *slog.Logger
	Replicas []Replica
}

// Router is a model.Model over replicas.
type Router struct {
	cfg   Config
	clock *clock.Clock
	log   *slog.Logger

	mu       sync.Mutex
	replicas []*replica
	waiting  waiters
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
	r := &Router{cfg: cfg, clock: deps.Clock, log: deps.Log}
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
	rep, err := r.acquire(ctx, req.Avoid)
	if err != nil {
		return model.Response{Wait: time.Since(asked)}, err
	}
	wait := time.Since(asked)
	callCtx, cancel := ctx, context.CancelFunc(func() {})
	if req.Budget > 0 {
		callCtx, cancel = r.clock.WithTimeout(ctx, req.Budget)
	}
	defer cancel()
	req.MaxTokens = r.maxTokens(callCtx, rep, req.MaxTokens)
	resp, err := rep.Model.Complete(callCtx, req)
	resp.Replica, resp.Wait = rep.Name, wait
	r.release(rep, req.Budget, resp, err)
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

func (r *Router) acquire(ctx context.Context, avoid string) (*replica, error) {
	r.mu.Lock()
	if err := ctx.Err(); err != nil {
		r.mu.Unlock()
		return nil, noSlot(err)
	}
	if len(r.waiting) == 0 {
		if rep := r.pick(avoid); rep != nil {
			rep.inFlight++
			r.mu.Unlock()
			return rep, nil
		}
	}
	if len(r.waiting) >= r.cfg.QueueMax {
		r.mu.Unlock()
		return nil, &model.Error{Class: model.NoSlot, Err: fault.Errorf(fault.Exhausted, "%d requests wait for a slot already", r.cfg.QueueMax)}
	}
	w := &waiter{avoid: avoid, got: make(chan *replica, 1)}
	w.deadline, _ = ctx.Deadline()
	heap.Push(&r.waiting, w)
	probe := r.probeTimer()
	r.mu.Unlock()
	defer probe.Stop()
	for {
		select {
		case rep := <-w.got:
			return rep, nil
		case <-probe.C:
			r.mu.Lock()
			r.serve()
			probe.Reset(r.clock.Wall(r.cfg.BreakFor))
			r.mu.Unlock()
		case <-ctx.Done():
			return nil, r.leave(w, ctx.Err())
		}
	}
}

// probeTimer fires when a breaker that is open now may be tried again; a waiter
// must not depend on another request's end when nothing is in flight.
func (r *Router) probeTimer() *time.Timer {
	wait := r.cfg.BreakFor
	for _, rep := range r.replicas {
		if left := r.clock.Until(rep.openTill); left > 0 && left < wait {
			wait = left
		}
	}
	return r.clock.NewTimer(wait)
}

func (r *Router) leave(w *waiter, cause error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.at >= 0 {
		heap.Remove(&r.waiting, w.at)
	} else { // served between the end of the context and here
		(<-w.got).inFlight--
		r.serve()
	}
	return noSlot(cause)
}

func noSlot(cause error) error {
	if errors.Is(cause, context.Canceled) {
		return &model.Error{Class: model.Canceled, Err: fault.Wrap(fault.Canceled, cause)}
	}
	return &model.Error{Class: model.NoSlot, Err: fault.Errorf(fault.Unavailable, "no slot before the deadline: %w", cause)}
}

// pick is the healthy replica with a free slot and the fewest in flight, another
// than avoid when there is one. The caller holds mu.
func (r *Router) pick(avoid string) *replica {
	var best *replica
	now := r.clock.Now()
	for _, rep := range r.replicas {
		limit := rep.Slots
		if rep.failures >= r.cfg.BreakAfter*failure {
			if rep.openTill.After(now) {
				continue
			}
			limit = 1 // half open: one probe
		}
		if rep.inFlight >= limit {
			continue
		}
		if best == nil || better(rep, best, avoid) {
			best = rep
		}
	}
	return best
}

func better(a, b *replica, avoid string) bool {
	if (a.Name == avoid) != (b.Name == avoid) {
		return b.Name == avoid
	}
	return a.inFlight < b.inFlight
}

// serve hands free slots to the waiters in deadline order. The caller holds mu.
func (r *Router) serve() {
	for len(r.waiting) > 0 {
		rep := r.pick(r.waiting[0].avoid)
		if rep == nil {
			return
		}
		rep.inFlight++
		w, _ := heap.Pop(&r.waiting).(*waiter)
		w.got <- rep
	}
}

// failure is what a failed call counts towards the breaker; a slow one is worth a
// third: tails are long, and a replica set aside for them makes the others slow.
const (
	failure = 3
	slow    = 1
)

func (r *Router) release(rep *replica, budget time.Duration, resp model.Response, err error) {
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

type waiter struct {
	deadline time.Time // wall; zero goes last
	avoid    string
	got      chan *replica
	at       int // index in the heap; -1 when served
}

type waiters []*waiter

func (w waiters) Len() int { return len(w) }

func (w waiters) Less(i, j int) bool {
	a, b := w[i].deadline, w[j].deadline
	if a.IsZero() != b.IsZero() {
		return b.IsZero()
	}
	return a.Before(b)
}

func (w waiters) Swap(i, j int) { w[i], w[j] = w[j], w[i]; w[i].at, w[j].at = i, j }

// Push and Pop are container/heap's.
func (w *waiters) Push(x any) {
	v, _ := x.(*waiter)
	v.at = len(*w)
	*w = append(*w, v)
}

// Pop removes the last element.
func (w *waiters) Pop() any {
	old := *w
	last := old[len(old)-1]
	*w = old[:len(old)-1]
	last.at = -1
	return last
}
