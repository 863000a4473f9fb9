package dispatcher

import (
	"context"
	"errors"
	"sync"
	"time"

	"livehost/internal/clock"
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

// claimAgain counts the lease from now when the log took long to take started; false when
// the room is another's by now. While the ledger is away the lease is what it was.
func (d *Dispatcher) claimAgain(rm *room, it *item, claim Claim, begun time.Time) (again time.Time, ok bool) {
	if time.Since(begun) < leaseMargin {
		return begun, true
	}
	ctx, cancel := clock.WithWallTimeout(rm.p.ctx, detached)
	defer cancel()
	again, err := d.beginAgain(ctx, claim)
	switch {
	case errors.Is(err, ErrFenced):
		d.giveUp(rm, it, errNotOurs)
		return begun, false
	case err != nil:
		return begun, true
	}
	return again, true
}

// beginAgain repeats a claim that was granted: its lease lasts from begun, before the
// ledger's answer. ErrFenced when the room has a later owner.
func (d *Dispatcher) beginAgain(ctx context.Context, claim Claim) (begun time.Time, err error) {
	begun = time.Now()
	_, err = d.deps.Ledger.Begin(ctx, claim)
	return begun, err
}

// turn is the owner's, for the lease that a claim begun then took: for a while less, to
// fall silent in. Claiming again renews it.
func (d *Dispatcher) turn(claim Claim, begun time.Time, over func()) *Turn {
	until := func(begun time.Time) time.Time { return begun.Add(claim.Lease - leaseMargin) }
	return NewTurn(until(begun), func(ctx context.Context) (time.Time, error) {
		again, err := d.beginAgain(ctx, claim)
		return until(again), err
	}, over)
}

// stillOurs asks the ledger whether the end of speech is ours to tell, when that is in
// doubt: a process that was stopped for longer than its lease, or was cut off from its
// group, may have lost the room. When the ledger is away the speech that we did counts.
func (d *Dispatcher) stillOurs(rm *room, claim Claim, turn *Turn) bool {
	if turn.Left()+leaseMargin >= 0 && !rm.p.isDraining() {
		return true
	}
	ctx, cancel := clock.WithWallTimeout(context.WithoutCancel(rm.p.ctx), detached)
	defer cancel()
	claim.Lease = 0
	_, err := d.beginAgain(ctx, claim)
	return !errors.Is(err, ErrFenced)
}

// leaseMargin is the wall time for falling silent before a lease ends.
const leaseMargin = 500 * time.Millisecond

// errLeaseOver cuts speech off that took longer than its lease.
var errLeaseOver = errors.New("the lease of the room's voice is over")

// lease is the wall time for which speech of that length takes the voice: real audio is
// within a third of the estimate nearly always, and a new owner must not wait long.
func (d *Dispatcher) lease(length time.Duration) time.Duration {
	return d.deps.Clock.Wall(length+length/2) + d.cfg.LeaseSlack
}
