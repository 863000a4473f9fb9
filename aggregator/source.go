package aggregator

import "slices"

// source estimates how far one producer's clock is from ours, from the delay
// between a comment's platform time and its append to the log.
//
// A delay has two parts, the way here (never negative) and the clock's offset.
// The smallest delay over a while is nearly all offset. A replay of history has
// large delays too, but comes in a burst: an offset is believed only when it has
// held for several spells, of some records and some time each, however busy or
// quiet the room. A time in the future needs no proof.
type source struct {
	name   string
	past   [spells]int64 // the smallest delay of each
	n      int           // spells that are over
	spell  spell
	warned bool
}

// spell is a while of records that is going on.
type spell struct {
	records int
	sinceMs int64
	leastMs int64 // the smallest delay
}

const (
	spells       = 6
	spellRecords = 4
	spellMs      = 5_000
	noiseMs      = 1_000 // offsets below are the way here
)

// correct turns a platform time into ours. off reports that the source's clock is
// further off than maxSkewMs and the append time was taken.
func (s *source) correct(platformMs, appendedMs, maxSkewMs int64) (ms int64, off bool) {
	d := appendedMs - platformMs
	s.note(d, appendedMs)
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

// note takes the delay of a record.
func (s *source) note(delayMs, atMs int64) {
	p := &s.spell
	if p.records >= spellRecords && atMs-p.sinceMs >= spellMs {
		s.past[s.n%spells] = p.leastMs
		s.n++
		*p = spell{}
	}
	if p.records == 0 {
		p.sinceMs, p.leastMs = atMs, delayMs
	}
	p.records++
	p.leastMs = min(p.leastMs, delayMs)
}

func (s *source) offset() int64 {
	if s.n < spells {
		return 0
	}
	return min(slices.Min(s.past[:]), s.spell.leastMs)
}
