package agentworker

import (
	"sync"
	"time"

	"livehost/streams/event"
)

// pace learns how long a run on the full route takes, so that one that cannot end
// in time takes the compact route from the start instead of failing at its
// deadline. Room time; safe for concurrent use.
type pace struct {
	least, most time.Duration

	mu   sync.Mutex
	mean time.Duration
}

// observe takes a finished run in. A run that changed to the compact route tells
// nothing; one that ended in the conservative reply took at least as long.
func (p *pace) observe(rep *event.Reply) {
	if rep == nil || rep.Fallback == "compact" {
		return
	}
	const share = 8 // of the new value: 1 in 8
	took := time.Duration(rep.Timing.RunMs) * time.Millisecond
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mean == 0 {
		p.mean = p.least
	}
	p.mean += (took - p.mean) / share
}

// full is the time below which the full route is not begun.
func (p *pace) full() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return min(max(p.mean, p.least), p.most)
}
