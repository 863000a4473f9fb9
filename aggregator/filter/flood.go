package filter

import "livehost/streams/event"

// Rate is how much one viewer may write.
type Rate struct {
	Burst    int   // danmaku at once
	RefillMs int64 // room time until one more is allowed
}

// Limiter counts danmaku per viewer of one room. Not safe for concurrent use.
type Limiter struct {
	rate    Rate
	viewers map[event.ViewerID]bucket
	sweepMs int64
}

type bucket struct {
	fullMs int64 // when the bucket is full again
}

// NewLimiter makes an empty limiter.
func NewLimiter(rate Rate) *Limiter {
	return &Limiter{rate: rate, viewers: map[event.ViewerID]bucket{}}
}

// Allow takes one danmaku of viewer at room time nowMs. Anonymous viewers share
// an id and are always allowed.
func (l *Limiter) Allow(viewer event.ViewerID, nowMs int64) bool {
	if viewer.Anonymous() {
		return true
	}
	l.sweep(nowMs)
	full := max(l.viewers[viewer].fullMs, nowMs) + l.rate.RefillMs
	if full-nowMs > int64(l.rate.Burst)*l.rate.RefillMs {
		return false
	}
	l.viewers[viewer] = bucket{fullMs: full}
	return true
}

// sweep forgets viewers whose bucket is full, now and then.
func (l *Limiter) sweep(nowMs int64) {
	const everyMs = 60_000
	if nowMs < l.sweepMs {
		return
	}
	l.sweepMs = nowMs + everyMs
	for v, b := range l.viewers {
		if b.fullMs <= nowMs {
			delete(l.viewers, v)
		}
	}
}
