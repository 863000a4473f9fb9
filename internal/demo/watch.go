package demo

import (
	"context"
	"sync"
	"time"

	"livehost/streams"
	"livehost/streams/event"
)

// Watch follows which accepted danmaku have no outcome yet.
type Watch struct {
	mu      sync.Mutex
	pending map[event.DanmakuID]bool
	ended   map[event.DanmakuID]bool
	changed chan struct{} // capacity 1
}

// NewWatch has seen nothing.
func NewWatch() *Watch {
	return &Watch{pending: map[event.DanmakuID]bool{}, ended: map[event.DanmakuID]bool{}, changed: make(chan struct{}, 1)}
}

// Run follows the log until ctx ends.
func (w *Watch) Run(ctx context.Context, reader streams.Reader) error {
	return reader.Follow(ctx, []string{event.TopicDanmaku, event.TopicOutcome}, false, w.take)
}

func (w *Watch) take(r streams.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch r.Topic {
	case event.TopicDanmaku:
		// The topics are read side by side: the outcome may come first.
		if d, err := event.Decode[event.Danmaku](r.Value); err == nil && !w.ended[d.DanmakuID] {
			w.pending[d.DanmakuID] = true
		}
	case event.TopicOutcome:
		if o, err := event.Decode[event.Outcome](r.Value); err == nil {
			w.ended[o.DanmakuID] = true
			delete(w.pending, o.DanmakuID)
		}
	}
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Pending is how many accepted danmaku have no outcome.
func (w *Watch) Pending() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.pending)
}

// quiet is how long, in wall time, nothing must be pending: what was just
// published may not have been followed yet.
const quiet = 300 * time.Millisecond

// Settle returns true when nothing has been pending for a moment, false when ctx
// ends first.
func (w *Watch) Settle(ctx context.Context) bool {
	t := time.NewTimer(quiet)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-w.changed:
			t.Reset(quiet)
		case <-t.C:
			if w.Pending() == 0 {
				return true
			}
			t.Reset(quiet)
		}
	}
}
