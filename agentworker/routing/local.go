package routing

import (
	"container/heap"
	"context"
	"errors"
	"time"

	"livehost/agentworker/model"
	"livehost/internal/fault"
)

// local waits for a slot by this process's own count.
func (r *Router) local(ctx context.Context, avoid string) (*replica, error) {
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
		return nil, r.full()
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
		if rep.inFlight >= rep.limit(now, r.cfg.BreakAfter) {
			continue
		}
		if best == nil || better(rep, best, avoid) {
			best = rep
		}
	}
	return best
}

// limit is how many requests the replica may have now: none while its breaker is
// open, one to probe it when it is half open.
func (rep *replica) limit(now time.Time, breakAfter int) int {
	switch {
	case rep.failures < breakAfter*failure:
		return rep.Slots
	case rep.openTill.After(now):
		return 0
	}
	return 1
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
