package policy

import (
	"context"
	"errors"
	"sync/atomic"
)

// errBusy says that a replica has neither a slot nor a place to wait.
var errBusy = errors.New("no free slot")

// slots bounds the requests a replica works on, with a short queue before them.
type slots struct {
	free     chan struct{}
	inFlight atomic.Int32
	waiting  atomic.Int32
	queue    int32
}

func newSlots(n, queue int) *slots {
	s := &slots{free: make(chan struct{}, n), queue: int32(queue)}
	for range n {
		s.free <- struct{}{}
	}
	return s
}

// take gets a slot, waiting until ctx ends if the queue has room; errBusy if not.
func (s *slots) take(ctx context.Context) error {
	select {
	case <-s.free:
		s.inFlight.Add(1)
		return nil
	default:
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > s.queue {
		return errBusy
	}
	select {
	case <-s.free:
		s.inFlight.Add(1)
		return nil
	case <-ctx.Done():
		return errBusy
	}
}

func (s *slots) release() {
	s.inFlight.Add(-1)
	s.free <- struct{}{}
}

// working is how many requests hold a slot.
func (s *slots) working() int { return int(s.inFlight.Load()) }
