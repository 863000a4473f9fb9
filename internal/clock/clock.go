package clock

import (
	"context"
	"fmt"
	"sort"
	"time"
)

// Segment is one stretch of wall time with a constant speed: room time is
// RoomMs + (wall - WallMs) * Speed until the next segment begins.
type Segment struct {
	WallMs int64   `json:"wall_ms"`
	RoomMs int64   `json:"room_ms"`
	Speed  float64 `json:"speed"`
}

func (s Segment) room(wall time.Time) time.Time {
	d := wall.Sub(time.UnixMilli(s.WallMs))
	return time.UnixMilli(s.RoomMs).Add(time.Duration(float64(d) * s.Speed))
}

// Clock maps wall time to room time. It is immutable and safe for concurrent use.
type Clock struct {
	segments []Segment // ascending WallMs, at least one
}

// Real is the production clock: room time is wall time.
func Real() *Clock {
	return &Clock{segments: []Segment{{Speed: 1}}}
}

// New starts a clock whose room time is now at the call and runs at speed
// (room seconds per wall second, > 0).
func New(now time.Time, speed float64) (*Clock, error) {
	return FromSegments([]Segment{{WallMs: time.Now().UnixMilli(), RoomMs: now.UnixMilli(), Speed: speed}})
}

// FromSegments rebuilds a clock from its recorded history.
func FromSegments(segments []Segment) (*Clock, error) {
	if len(segments) == 0 {
		return nil, fmt.Errorf("clock: no segments")
	}
	for i, s := range segments {
		if s.Speed <= 0 {
			return nil, fmt.Errorf("clock: segment %d: speed %v is not positive", i, s.Speed)
		}
		if i > 0 && (s.WallMs < segments[i-1].WallMs || s.RoomMs < segments[i-1].RoomMs) {
			return nil, fmt.Errorf("clock: segment %d begins before segment %d", i, i-1)
		}
	}
	return &Clock{segments: append([]Segment(nil), segments...)}, nil
}

// Segments is the clock's history, oldest first.
func (c *Clock) Segments() []Segment { return append([]Segment(nil), c.segments...) }

// Now is the present room time.
func (c *Clock) Now() time.Time { return c.Room(time.Now()) }

// NowMs is Now in Unix milliseconds.
func (c *Clock) NowMs() int64 { return c.Now().UnixMilli() }

// Room is the room time that held at the wall instant.
func (c *Clock) Room(wall time.Time) time.Time {
	ms := wall.UnixMilli()
	if last := c.segments[len(c.segments)-1]; ms >= last.WallMs { // the present
		return last.room(wall)
	}
	i := sort.Search(len(c.segments), func(i int) bool { return c.segments[i].WallMs > ms })
	if i == 0 {
		i = 1
	}
	return c.segments[i-1].room(wall)
}

// Speed is the present number of room seconds per wall second.
func (c *Clock) Speed() float64 { return c.segments[len(c.segments)-1].Speed }

// Wall converts a duration of room time to wall time at the present speed.
func (c *Clock) Wall(room time.Duration) time.Duration {
	return time.Duration(float64(room) / c.Speed())
}

// Until is the room time left before deadline; negative when it has passed.
func (c *Clock) Until(deadline time.Time) time.Duration { return deadline.Sub(c.Now()) }

// Since is the room time that has passed since t.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Sleep waits for d of room time, or returns ctx's error when it ends first.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	return WallSleep(ctx, c.Wall(d))
}

// WallSleep waits for d of wall time, for what the machine and not the room
// measures; it ends early with ctx's error.
func WallSleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// AfterFunc calls f in its own goroutine after d of room time.
func (c *Clock) AfterFunc(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(c.Wall(d), f)
}

// NewTimer sends on its channel after d of room time.
func (c *Clock) NewTimer(d time.Duration) *time.Timer { return time.NewTimer(c.Wall(d)) }

// WithTimeout is context.WithTimeout in room time.
func (c *Clock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.Wall(d))
}

// WithDeadline is context.WithDeadline for a room-time deadline.
func (c *Clock) WithDeadline(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	return c.WithTimeout(ctx, c.Until(deadline))
}

// WithWallTimeout is context.WithTimeout in wall time, for what the machine and
// not the room measures: protocol timeouts, leases, and the drain of a shutdown.
func WithWallTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// Outlasting is ctx with an end that comes d of wall time later: for the last words of
// what ctx cuts off.
func Outlasting(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, cancel) })
	return later, func() {
		stop()
		cancel()
	}
}
