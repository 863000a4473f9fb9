package ledgertest

import (
	"context"
	"sync"
	"time"

	"livehost/dispatcher"
	"livehost/streams/event"
)

// Memory is a dispatcher.Ledger within one process, which forgets nothing.
type Memory struct {
	mu     sync.Mutex
	fences map[event.RoomID]int64
	leases map[event.RoomID]lease
	claims map[claimKey]claimed
}

type claimKey struct {
	room    event.RoomID
	channel string
	danmaku event.DanmakuID
}

type claimed struct {
	delivery event.DeliveryID
	fence    int64
	ended    dispatcher.ClaimState // "" while it is under way
}

// lease is who may speak in a room, and until when.
type lease struct {
	fence    int64
	delivery event.DeliveryID
	until    time.Time
}

// NewMemory is empty.
func NewMemory() *Memory {
	return &Memory{fences: map[event.RoomID]int64{}, leases: map[event.RoomID]lease{}, claims: map[claimKey]claimed{}}
}

// Acquire implements dispatcher.Ledger.
func (l *Memory) Acquire(_ context.Context, room event.RoomID) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fences[room] = max(l.fences[room]+1, time.Now().UnixMicro())
	return l.fences[room], nil
}

// Begin implements dispatcher.Ledger.
func (l *Memory) Begin(_ context.Context, c dispatcher.Claim) (dispatcher.Grant, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Fence < l.fences[c.Room] {
		return dispatcher.Grant{}, dispatcher.ErrFenced
	}
	if held, ok := l.leases[c.Room]; c.Lease > 0 && ok && held.fence != c.Fence && time.Now().Before(held.until) {
		return dispatcher.Grant{}, dispatcher.ErrVoiceHeld
	}
	if c.Lease > 0 {
		l.leases[c.Room] = lease{c.Fence, c.Delivery, time.Now().Add(c.Lease)}
	}
	var g dispatcher.Grant
	for _, id := range c.Danmaku {
		key := claimKey{c.Room, c.Channel, id}
		have, ok := l.claims[key]
		switch {
		case !ok || have.ended == "" && have.delivery == c.Delivery && have.fence == c.Fence:
			l.claims[key] = claimed{delivery: c.Delivery, fence: c.Fence}
			g.Granted = append(g.Granted, id)
		case have.ended == dispatcher.ClaimSkipped:
			g.Skipped = append(g.Skipped, id)
		case have.ended != "":
			g.Done = append(g.Done, id)
		default:
			g.Unknown = append(g.Unknown, id)
		}
	}
	return g, nil
}

// Finish implements dispatcher.Ledger.
func (l *Memory) Finish(_ context.Context, c dispatcher.Claim, state dispatcher.ClaimState) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held := l.leases[c.Room]; held.fence == c.Fence && held.delivery == c.Delivery {
		delete(l.leases, c.Room)
	}
	for _, id := range c.Danmaku {
		key := claimKey{c.Room, c.Channel, id}
		if state == dispatcher.ClaimReleased {
			delete(l.claims, key)
			continue
		}
		l.claims[key] = claimed{delivery: c.Delivery, fence: c.Fence, ended: state}
	}
	return nil
}
