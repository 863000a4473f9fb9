package filter

import (
	"hash/maphash"

	"livehost/streams/event"
)

// Rate is how much one viewer may write.
type Rate struct {
	Burst    int   // danmaku at once
	RefillMs int64 // room time until one more is allowed
	Same     int   // times the same words; a genuine repeat is a few
	SameMs   int64 // room time after which the same words are new
}

// Limiter counts danmaku per viewer of one room. Not safe for concurrent use.
type Limiter struct {
	rate    Rate
	viewers map[uint64]bucket // by hash: an id would keep the record it came in
	sweepMs int64
}

type bucket struct {
	fullMs int64  // when the bucket is full again
	sameMs int64  // when the last words were first said
	text   uint32 // hash of them
	same   int32  // times they were said in a row
}

// NewLimiter makes an empty limiter.
func NewLimiter(rate Rate) *Limiter {
	return &Limiter{rate: rate, viewers: map[uint64]bucket{}}
}

// Allow takes one danmaku of viewer at room time nowMs and says None, Flood or
// Repeat. Anonymous viewers share an id and are always allowed.
func (l *Limiter) Allow(viewer event.ViewerID, text string, nowMs int64) Reason {
	if viewer.Anonymous() {
		return None
	}
	l.sweep(nowMs)
	id := maphash.String(seed, string(viewer))
	b := l.viewers[id]
	if h := uint32(maphash.String(seed, text)); h != b.text || nowMs-b.sameMs > l.rate.SameMs {
		b.text, b.sameMs, b.same = h, nowMs, 0
	}
	b.same++
	defer func() { l.viewers[id] = b }()
	if l.rate.Same > 0 && int(b.same) > l.rate.Same {
		return Repeat
	}
	full := max(b.fullMs, nowMs) + l.rate.RefillMs
	if full-nowMs > int64(l.rate.Burst)*l.rate.RefillMs {
		return Flood
	}
	b.fullMs = full
	return None
}

var seed = maphash.MakeSeed()

// sweep forgets viewers who have been quiet, now and then.
func (l *Limiter) sweep(nowMs int64) {
	const everyMs = 20_000
	if nowMs < l.sweepMs {
		return
	}
	l.sweepMs = nowMs + everyMs
	for v, b := range l.viewers {
		if b.fullMs <= nowMs && nowMs-b.sameMs > l.rate.SameMs {
			delete(l.viewers, v)
		}
	}
}
