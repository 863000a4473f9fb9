package dispatcher

import (
	"context"
	"sync"
	"time"

	"livehost/streams/event"
)

// MemoryLedger is a Ledger within one process: for a program whose log is its
// only memory, and for tests.
type MemoryLedger struct {
	mu     sync.Mutex
	fences map[event.RoomID]int64
	claims *recent[claimKey, claimed]
}

type claimKey struct {
	room    event.RoomID
	channel string
	danmaku event.DanmakuID
}

type claimed struct {
	delivery event.DeliveryID
	fence    int64
	ended    bool
}

// NewMemoryLedger keeps claims for at least ttl of wall time.
func NewMemoryLedger(ttl time.Duration) *MemoryLedger {
	return &MemoryLedger{fences: map[event.RoomID]int64{}, claims: newRecent[claimKey, claimed](ttl)}
}

// Acquire implements Ledger.
func (l *MemoryLedger) Acquire(_ context.Context, room event.RoomID) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fences[room]++
	return l.fences[room], nil
}

// Begin implements Ledger.
func (l *MemoryLedger) Begin(_ context.Context, c Claim) (Grant, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Fence < l.fences[c.Room] {
		return Grant{}, ErrFenced
	}
	var g Grant
	for _, id := range c.Danmaku {
		key := claimKey{c.Room, c.Channel, id}
		have, ok := l.claims.get(key)
		switch {
		case !ok || !have.ended && have.delivery == c.Delivery && have.fence == c.Fence:
			l.claims.put(key, claimed{delivery: c.Delivery, fence: c.Fence}, time.Now().UnixMilli())
			g.Granted = append(g.Granted, id)
		case have.ended:
			g.Done = append(g.Done, id)
		default:
			g.Unknown = append(g.Unknown, id)
		}
	}
	return g, nil
}

// Finish implements Ledger.
func (l *MemoryLedger) Finish(_ context.Context, c Claim, state ClaimState) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range c.Danmaku {
		key := claimKey{c.Room, c.Channel, id}
		if state == ClaimReleased {
			l.claims.delete(key)
			continue
		}
		l.claims.put(key, claimed{delivery: c.Delivery, fence: c.Fence, ended: true}, time.Now().UnixMilli())
	}
	return nil
}
