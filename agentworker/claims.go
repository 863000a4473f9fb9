package agentworker

import (
	"context"
	"sync"
	"time"

	"livehost/streams/event"
)

// ClaimKey is one asking of one danmaku. Event windows claim themselves: their
// window id stands for the danmaku.
type ClaimKey struct {
	DanmakuID event.DanmakuID
	Ask       int
}

// Claim is a request for the keys of one window.
type Claim struct {
	RoomID   event.RoomID
	WindowID event.WindowID
	Keys     []ClaimKey
	Lease    time.Duration // wall
}

// Claimed is what a claim got.
type Claimed struct {
	Attempt int           // from 1; of the window
	Held    []ClaimKey    // ours now, in the order asked
	Wait    time.Duration // wall; > 0: an attempt of the same window is still alive, nothing was taken
}

// Claims decides which window answers a danmaku. Every method is atomic over its
// keys and safe for concurrent use, by other processes too. A key that nobody
// holds, or that a former attempt of the same window holds with its lease over,
// is taken; a key of another window, or one that is done, is not.
type Claims interface {
	// Claim takes what it may.
	Claim(ctx context.Context, c Claim) (Claimed, error)
	// Renew sets the lease of an attempt (zero gives it up) and reports whether the
	// attempt still holds all its keys: a run that lost one must not publish. A key
	// that the store has forgotten, as a restarted one has, and that nobody took
	// since, is the attempt's again: its danmaku has no other way to an outcome.
	Renew(ctx context.Context, c Claim, attempt int) (held bool, err error)
	// Mark records what the log says of a window's keys, or what its run came to,
	// with at least the attempt. A key that is done stays done.
	Mark(ctx context.Context, c Claim, attempt int, m Mark) error
}

// Mark is what becomes of keys.
type Mark int

// The marks.
const (
	MarkDone    Mark = iota + 1 // the window finished them
	MarkAttempt                 // an attempt began and may be taken over
	MarkFree                    // the window gave them back: any window may claim them
)

// keepClaims is how long claims are remembered: longer than any window can be
// redelivered with danmaku that are still in time.
const keepClaims = 10 * time.Minute

// MemoryClaims are claims within one process. The zero value is not ready; use
// NewMemoryClaims.
type MemoryClaims struct {
	mu    sync.Mutex
	held  map[memoryKey]*holding
	sweep time.Time
}

type memoryKey struct {
	room event.RoomID
	key  ClaimKey
}

type holding struct {
	window  event.WindowID
	attempt int
	lease   time.Time
	done    bool
	touched time.Time
}

// NewMemoryClaims makes empty claims.
func NewMemoryClaims() *MemoryClaims {
	return &MemoryClaims{held: map[memoryKey]*holding{}}
}

// Claim takes what it may.
func (m *MemoryClaims) Claim(_ context.Context, c Claim) (Claimed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.forget(now)
	var got Claimed
	for _, k := range c.Keys {
		h := m.held[memoryKey{c.RoomID, k}]
		switch {
		case h == nil:
			got.Held = append(got.Held, k)
		case h.window != c.WindowID || h.done:
		case h.lease.After(now):
			got.Wait = max(got.Wait, h.lease.Sub(now))
		default:
			got.Held = append(got.Held, k)
			got.Attempt = max(got.Attempt, h.attempt)
		}
	}
	if got.Wait > 0 {
		return Claimed{Wait: got.Wait}, nil
	}
	got.Attempt++
	for _, k := range got.Held {
		m.held[memoryKey{c.RoomID, k}] = &holding{window: c.WindowID, attempt: got.Attempt, lease: now.Add(c.Lease), touched: now}
	}
	return got, nil
}

// Renew sets the lease of an attempt that still holds its keys.
func (m *MemoryClaims) Renew(_ context.Context, c Claim, attempt int) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for _, k := range c.Keys {
		if h := m.held[memoryKey{c.RoomID, k}]; h != nil && (h.window != c.WindowID || h.attempt != attempt) {
			return false, nil
		}
	}
	for _, k := range c.Keys {
		at := memoryKey{c.RoomID, k}
		h := m.held[at]
		if h == nil {
			h = &holding{window: c.WindowID, attempt: attempt}
			m.held[at] = h
		}
		h.lease, h.touched = now.Add(c.Lease), now
	}
	return true, nil
}

// Mark records what became of keys.
func (m *MemoryClaims) Mark(_ context.Context, c Claim, attempt int, mark Mark) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for _, k := range c.Keys {
		at := memoryKey{c.RoomID, k}
		h := m.held[at]
		switch {
		case h != nil && h.done:
		case mark == MarkFree:
			if h != nil && h.window == c.WindowID {
				delete(m.held, at)
			}
		case h == nil || mark == MarkDone || h.window == c.WindowID:
			if h == nil {
				h = &holding{}
				m.held[at] = h
			}
			h.window, h.attempt, h.touched, h.done = c.WindowID, max(h.attempt, attempt), now, mark == MarkDone
		}
	}
	return nil
}

// mirror copies what another store has granted.
func (m *MemoryClaims) mirror(c Claim, got Claimed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for _, k := range got.Held {
		m.held[memoryKey{c.RoomID, k}] = &holding{window: c.WindowID, attempt: got.Attempt, lease: now.Add(c.Lease), touched: now}
	}
}

// lastAttempt is the highest attempt of the window that is known for its keys.
func (m *MemoryClaims) lastAttempt(c Claim) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := 0
	for _, k := range c.Keys {
		if h := m.held[memoryKey{c.RoomID, k}]; h != nil && h.window == c.WindowID {
			last = max(last, h.attempt)
		}
	}
	return last
}

// finished reports whether a key is done here.
func (m *MemoryClaims) finished(room event.RoomID, k ClaimKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.held[memoryKey{room, k}]
	return h != nil && h.done
}

// forget drops old claims, now and then.
func (m *MemoryClaims) forget(now time.Time) {
	if now.Sub(m.sweep) < time.Minute {
		return
	}
	m.sweep = now
	for k, h := range m.held {
		if now.Sub(h.touched) > keepClaims {
			delete(m.held, k)
		}
	}
}
