package trajectory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"livehost/streams"
	"livehost/streams/event"
)

// Caps of one step's texts, in bytes: tool results are kept whole, as no tool's answer is
// longer (tool.MaxAnswer), and a record of the log can hold them. What is cut is said in
// place.
const (
	MaxInput     = 64 << 10
	MaxOutput    = 256 << 10
	MaxReasoning = 8 << 10
)

// Recorder takes the steps of one run. It is safe for concurrent use.
type Recorder struct {
	pub  streams.Publisher
	base event.Step // ids and versions of every step

	mu      sync.Mutex
	idle    *sync.Cond
	seq     int
	pending []event.Event
	busy    bool
	err     error
}

// New begins the record of a run; base holds what all its steps share.
func New(pub streams.Publisher, base event.Step) *Recorder {
	r := &Recorder{pub: pub, base: base}
	r.idle = sync.NewCond(&r.mu)
	return r
}

// SetVersions gives the steps added from now on their versions.
func (r *Recorder) SetVersions(v event.Versions) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base.Versions = v
}

// Add records a step; ids, number and versions are filled in. ctx only carries
// values to the publisher: a step is published even when the run was cancelled.
func (r *Recorder) Add(ctx context.Context, s event.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	s.Schema, s.Seq = event.SchemaVersion, r.seq
	s.RunID, s.WindowID, s.RoomID, s.Variant, s.Versions = r.base.RunID, r.base.WindowID, r.base.RoomID, r.base.Variant, r.base.Versions
	s.Input, s.Output, s.Reasoning = clip(s.Input, MaxInput), clip(s.Output, MaxOutput), clip(s.Reasoning, MaxReasoning)
	r.pending = append(r.pending, s)
	if !r.busy {
		r.busy = true
		go r.publish(context.WithoutCancel(ctx))
	}
}

// publish sends what is pending, one batch after the other, until nothing is.
func (r *Recorder) publish(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.pending) > 0 {
		batch := r.pending
		r.pending = nil
		r.mu.Unlock()
		err := r.pub.Publish(ctx, batch...)
		r.mu.Lock()
		r.err = errors.Join(r.err, err)
	}
	r.busy = false
	r.idle.Broadcast()
}

// Flush waits until every step is in the log, or ctx ends.
func (r *Recorder) Flush(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.idle.Broadcast()
	})()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.busy && ctx.Err() == nil {
		r.idle.Wait()
	}
	err := r.err
	if r.busy {
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("trajectory %s: %w", r.base.RunID, err)
	}
	return nil
}

// clip keeps the head and tail of a text that is too long.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := s[:most*3/4], s[len(s)-most/4:]
	for !utf8.ValidString(head) && len(head) > 0 {
		head = head[:len(head)-1]
	}
	return fmt.Sprintf("%s [... %d bytes left out ...] %s", head, len(s)-most, strings.ToValidUTF8(tail, ""))
}
