package dispatcher

import (
	"context"
	"sync"
	"time"
)

// Turn is an owner's turn at a room's voice: its lease. It ends by itself, and what the
// owner says with it. An outlet begins nothing that would outlast it, and renews it while
// somebody else has the floor. A nil Turn does not end. It is safe for concurrent use.
type Turn struct {
	renew func(context.Context) (until time.Time, err error)
	timer *time.Timer // ends what is said

	mu    sync.Mutex
	until time.Time
}

// NewTurn calls over when it ends, at until or when renew last moved that. Stop it.
func NewTurn(until time.Time, renew func(context.Context) (time.Time, error), over func()) *Turn {
	return &Turn{renew: renew, until: until, timer: time.AfterFunc(time.Until(until), over)}
}

// Left is the wall time for which the turn lasts.
func (t *Turn) Left() time.Duration {
	if t == nil {
		return 1<<63 - 1
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Until(t.until)
}

// Renew makes the turn as long as it was at first, from now on. ErrFenced when the room
// has a later owner; after another error it lasts as long as it did.
func (t *Turn) Renew(ctx context.Context) error {
	if t == nil {
		return nil
	}
	until, err := t.renew(ctx)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer.Stop() { // else it is over already
		t.until = until
		t.timer.Reset(time.Until(until))
	}
	return nil
}

// Stop ends the turn without a word.
func (t *Turn) Stop() { t.timer.Stop() }
