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
	leases map[event.RoomID]lease
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

// lease is who may speak in a room, and until when.
type lease struct {
	fence    int64
	delivery event.DeliveryID
	until    time.Time
}

// NewMemoryLedger keeps claims for at least ttl of wall time.
func NewMemoryLedger(ttl time.Duration) *MemoryLedger {
	return &MemoryLedger{fences: map[event.RoomID]int64{}, leases: map[event.RoomID]lease{}, claims: newRecent[claimKey, claimed](ttl)}
}

// Acquire implements Ledger.
func (l *MemoryLedger) Acquire(_ context.Context, room event.RoomID) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fences[room] = max(l.fences[room]+1, time.Now().UnixMicro())
	return l.fences[room], nil
}

// Begin implements Ledger.
func (l *MemoryLedger) Begin(_ context.Context, c Claim) (Grant, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Fence < l.fences[c.Room] {
		return Grant{}, ErrFenced
	}
	if held, ok := l.leases[c.Room]; c.Lease > 0 && ok && held.fence != c.Fence && time.Now().Before(held.until) {
		return Grant{}, ErrVoiceHeld
	}
	if c.Lease > 0 {
		l.leases[c.Room] = lease{c.Fence, c.Delivery, time.Now().Add(c.Lease)}
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
	if held := l.leases[c.Room]; held.fence == c.Fence && held.delivery == c.Delivery {
		delete(l.leases, c.Room)
	}
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
