package routing

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"livehost/agentworker/model"
	"livehost/internal/clock"
)

// Slots hands out the slots of replicas that several processes send to, the
// earliest deadline first. Implementations are safe for concurrent use.
type Slots interface {
	// Take takes a slot of one of the replicas and returns its place in Ask.Replicas;
	// -1 when there is none yet: then the ticket waits, and is kept its place in the
	// queue for Ask.Patience. A ticket has one slot, however often it asks.
	Take(ctx context.Context, a Ask) (int, error)
	// Give gives a slot back before its lease ends.
	Give(ctx context.Context, l Lease) error
}

// Ask is a request for one slot. Durations are wall time, from now.
type Ask struct {
	Ticket   string // of the request, the same in each of its asks
	Replicas []Want // that it may be sent to
	Avoid    int    // place of the one that is taken only when no other is there; -1: none
	Left     time.Duration
	Lease    time.Duration // after which the slot is free again, whatever became of us
	Patience time.Duration
	Held     []Lease // the slots this process has, for a store that came back empty
}

// Want is a replica, and how many slots it has.
type Want struct {
	Replica string
	Slots   int
}

// Lease is a slot that a ticket has.
type Lease struct {
	Replica string
	Ticket  string
	Ends    time.Time // wall
}

// SharedConfig is how slots are shared. Durations are wall time.
type SharedConfig struct {
	Poll    time.Duration // between two asks of a request that waits
	Timeout time.Duration // of one ask
	Margin  time.Duration // a lease outlives its call by this: the replica notices an abort late
	Away    time.Duration // after a failed ask the store is left alone for this long
}

func defaultShared() SharedConfig {
	return SharedConfig{Poll: 20 * time.Millisecond, Timeout: 500 * time.Millisecond, Margin: time.Second, Away: 2 * time.Second}
}

// Validate lists every problem.
func (c SharedConfig) Validate() error {
	var errs []error
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"poll", c.Poll}, {"timeout", c.Timeout}, {"margin", c.Margin}, {"away", c.Away}} {
		if d.d <= 0 {
			errs = append(errs, fmt.Errorf("shared.%s: %v is not positive", d.name, d.d))
		}
	}
	return errors.Join(errs...)
}

// errSlotsAway says that the shared slots cannot be asked: local limits hold.
var errSlotsAway = errors.New("the shared slots are away")

// shared is what the router keeps of the slots it shares; Router.mu guards it.
type shared struct {
	process  string // in tickets
	asked    int
	waiting  map[string]time.Time // deadlines by ticket
	held     map[string]Lease     // by ticket
	changed  chan struct{}        // closed when one of ours was given back or waits no more
	awayTill time.Time            // wall
}

func newShared() shared {
	return shared{process: rand.Text(), waiting: map[string]time.Time{}, held: map[string]Lease{}, changed: make(chan struct{})}
}

// tell wakes those who wait here. The caller holds mu.
func (s *shared) tell() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// ahead is how many that wait here have an earlier deadline. The caller holds mu.
func (s *shared) ahead(ticket string) int {
	n := 0
	for _, deadline := range s.waiting {
		if deadline.Before(s.waiting[ticket]) {
			n++
		}
	}
	return n
}

// share waits for a shared slot until ctx ends. Its error is errSlotsAway when the
// store does not answer.
func (r *Router) share(ctx context.Context, req model.Request) (slot, error) {
	ticket, err := r.queue(ctx)
	if err != nil {
		return slot{}, err
	}
	defer r.unqueue(ticket)
	for {
		if err := ctx.Err(); err != nil {
			return slot{}, noSlot(err)
		}
		ask, reps, changed := r.ask(ctx, req, ticket)
		i, err := r.take(ctx, ask)
		if err != nil {
			return slot{}, err
		}
		if i >= 0 {
			return r.granted(reps[i], ask), nil
		}
		timer := time.NewTimer(r.cfg.Shared.Poll)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// queue is a new ticket, while there is room for one more to wait.
func (r *Router) queue(ctx context.Context) (ticket string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.shared.waiting) >= r.cfg.QueueMax {
		return "", r.full()
	}
	r.shared.asked++
	ticket = fmt.Sprintf("%s/%d", r.shared.process, r.shared.asked)
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(forEver)
	}
	r.shared.waiting[ticket] = deadline
	return ticket, nil
}

// forEver is how long a request without a deadline waits.
const forEver = time.Hour

func (r *Router) unqueue(ticket string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.shared.waiting, ticket)
	r.shared.tell()
}

// ask is what a request may have now: nothing while as many as there are slots go
// before it here, so that a long queue does not ask all at once. reps are its
// replicas, changed the news that it is worth asking again.
func (r *Router) ask(ctx context.Context, req model.Request, ticket string) (a Ask, reps []*replica, changed <-chan struct{}) {
	a = Ask{Ticket: ticket, Avoid: -1, Left: forEver, Patience: 5 * r.cfg.Shared.Poll}
	if deadline, ok := ctx.Deadline(); ok {
		a.Left = time.Until(deadline)
	}
	a.Lease = a.Left + r.cfg.Shared.Margin
	if b := r.clock.Wall(req.Budget); b > 0 && b < a.Left {
		a.Lease = b + r.cfg.Shared.Margin
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	changed = r.shared.changed
	if r.shared.ahead(ticket) >= r.Slots() {
		return a, nil, changed
	}
	now := r.clock.Now()
	for _, rep := range r.replicas {
		limit := rep.limit(now, r.cfg.BreakAfter)
		if limit == 0 {
			continue
		}
		if rep.Name == req.Avoid {
			a.Avoid = len(reps)
		}
		a.Replicas = append(a.Replicas, Want{Replica: rep.Key, Slots: limit})
		reps = append(reps, rep)
	}
	for _, l := range r.shared.held {
		a.Held = append(a.Held, l)
	}
	return a, reps, changed
}

// take asks the store once, until ctx ends: what the store grants after that is given
// back.
func (r *Router) take(ctx context.Context, a Ask) (int, error) {
	if len(a.Replicas) == 0 {
		return -1, nil // all are set aside, or others go first
	}
	r.mu.Lock()
	away := time.Now().Before(r.shared.awayTill)
	r.mu.Unlock()
	if away {
		return -1, errSlotsAway
	}
	type answer struct {
		place int
		err   error
	}
	answers := make(chan answer)
	go func() {
		i, err := r.asked(ctx, a)
		select {
		case answers <- answer{i, err}:
		case <-ctx.Done():
			if i >= 0 {
				r.give(Lease{Replica: a.Replicas[i].Replica, Ticket: a.Ticket})
			}
		}
	}()
	select {
	case got := <-answers:
		return got.place, got.err
	case <-ctx.Done():
		return -1, nil
	}
}

// asked is the store's answer; an end of ctx does not cut it off, for a slot may have
// been taken.
func (r *Router) asked(ctx context.Context, a Ask) (int, error) {
	ctx, cancel := clock.WithWallTimeout(context.WithoutCancel(ctx), r.cfg.Shared.Timeout)
	defer cancel()
	i, err := r.slots.Take(ctx, a)
	if err == nil {
		return i, nil
	}
	now := time.Now()
	r.mu.Lock()
	first := !now.Before(r.shared.awayTill) // of those that asked at the same time
	r.shared.awayTill = now.Add(r.cfg.Shared.Away)
	r.mu.Unlock()
	if first {
		r.log.WarnContext(ctx, "the shared slots are away, going on with this process's own limits", "err", err)
	}
	return -1, errSlotsAway
}

func (r *Router) granted(rep *replica, a Ask) slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	rep.inFlight++
	r.shared.held[a.Ticket] = Lease{Replica: rep.Key, Ticket: a.Ticket, Ends: time.Now().Add(a.Lease)}
	return slot{replica: rep, ticket: a.Ticket}
}

// giveBack gives a shared slot back, and tells those who wait here. The answer does
// not wait for it.
func (r *Router) giveBack(got slot) {
	if got.ticket == "" {
		return
	}
	r.mu.Lock()
	lease := r.shared.held[got.ticket]
	delete(r.shared.held, got.ticket)
	r.mu.Unlock()
	go r.give(lease)
}

func (r *Router) give(l Lease) {
	ctx, cancel := clock.WithWallTimeout(context.Background(), r.cfg.Shared.Timeout)
	defer cancel()
	if err := r.slots.Give(ctx, l); err != nil {
		r.log.WarnContext(ctx, "a shared slot was not given back, its lease ends it", "replica", l.Replica, "err", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shared.tell()
}
