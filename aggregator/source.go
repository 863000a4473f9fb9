package aggregator

import (
	"slices"

	"livehost/streams/event"
)

// source estimates how far one producer's clock is from ours, from the delay
// between a comment's platform time and its append to the log.
//
// A delay has two parts, the way here (never negative) and the clock's offset.
// The smallest delay over a while is nearly all offset. A replay of history has
// large delays too, but comes in a burst: an offset is believed only when it has
// held for holdMs. A time in the future needs no proof.
type source struct {
	name   string
	delays [delayRing]delay
	n      int
	warned bool
}

type delay struct{ ms, atMs int64 }

const (
	delayRing = 24
	holdMs    = 30_000
	noiseMs   = 1_000 // offsets below are the way here
)

// correct turns a platform time into ours. off reports that the source's clock is
// further off than maxSkewMs and the append time was taken.
func (s *source) correct(platformMs, appendedMs, maxSkewMs int64) (ms int64, off bool) {
	platformMs = event.Milliseconds(platformMs)
	d := appendedMs - platformMs
	s.delays[s.n%delayRing] = delay{d, appendedMs}
	s.n++
	if d < -maxSkewMs {
		return appendedMs, true
	}
	if d < 0 {
		return appendedMs, false
	}
	offset := s.offset()
	switch {
	case offset > maxSkewMs:
		return appendedMs, true
	case offset > noiseMs:
		return min(platformMs+offset, appendedMs), false
	default:
		return platformMs, false
	}
}

func (s *source) offset() int64 {
	if s.n < delayRing {
		return 0
	}
	ring := s.delays[:]
	oldest, newest := ring[s.n%delayRing].atMs, ring[(s.n-1)%delayRing].atMs
	if newest-oldest < holdMs {
		return 0
	}
	return slices.MinFunc(ring, func(a, b delay) int { return int(a.ms - b.ms) }).ms
}
