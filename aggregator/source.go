package aggregator

import (
	"slices"
	"sync"
	"time"
)

// source estimates how far one producer's clock is from ours, from the delay
// between a comment's platform time and its append to the log.
//
// A delay has two parts, the way here (never negative) and the clock's offset.
// The smallest delay over a while is nearly all offset. History that is played again
// and a feed that catches up have large delays too, but in a burst, or falling: an
// offset is believed when it was the same for several spells, of some records and some
// time each, however busy or quiet the room. Then it is until a smaller delay shows that
// it is less, whatever holds the feed up. A time in the future needs no proof.
type source struct {
	name string

	mu       sync.Mutex
	past     [spells]int64 // the smallest delay of each
	n        int           // spells that are over
	spell    spell
	believed int64 // offset
	warned   bool
}

// spell is a while of records that is going on.
type spell struct {
	records int
	sinceMs int64
	leastMs int64 // the smallest delay
}

const (
	spells       = 6
	spellRecords = 2
	spellMs      = 5_000
	noiseMs      = 1_000 // offsets below are the way here
	agreeMs      = 2_000 // offsets that differ by no more are the same: times may be whole seconds
)

// correct turns a platform time into ours. off reports that the source's clock is
// further off than maxSkewMs and the append time was taken, unless the way here took
// longer than that as well. Callers hold mu.
func (s *source) correct(platformMs, appendedMs, maxSkewMs int64) (ms int64, off bool) {
	d := appendedMs - platformMs
	s.note(d, appendedMs)
	if d < -maxSkewMs {
		return appendedMs, true
	}
	if d < 0 {
		return appendedMs, false
	}
	offset := min(s.believed, s.spell.leastMs)
	if offset <= noiseMs {
		return platformMs, false
	}
	off = offset > maxSkewMs
	if off && d-offset <= maxSkewMs {
		return appendedMs, true
	}
	return min(platformMs+offset, appendedMs), off // by a wrong clock, too, what was held up on its way is late
}

// note takes the delay of a record. Those of another partition that is read back are
// from before the spell: they only show what the offset is not.
func (s *source) note(delayMs, atMs int64) {
	p := &s.spell
	if p.records >= spellRecords && atMs-p.sinceMs >= spellMs {
		s.past[s.n%spells] = p.leastMs
		s.n++
		s.learn(p.leastMs)
		*p = spell{}
	}
	if p.records == 0 {
		p.sinceMs, p.leastMs = atMs, delayMs
	}
	p.records++
	p.leastMs = min(p.leastMs, delayMs)
}

// learn says what to believe after a spell.
func (s *source) learn(leastMs int64) {
	s.believed = max(0, min(s.believed, leastMs))
	if least := slices.Min(s.past[:]); s.n >= spells && slices.Max(s.past[:])-least <= agreeMs {
		s.believed = max(0, least)
	}
}

// recall takes the offset that was believed before a restart, unless this process has
// learnt one.
func (s *source) recall(offsetMs int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n >= spells || s.believed > 0 {
		return
	}
	s.believed = offsetMs
	for _, leastMs := range s.past[:s.n] {
		s.believed = max(0, min(s.believed, leastMs))
	}
}

// sources are those of all rooms: who feeds one room feeds others with the same clock.
type sources struct {
	mu     sync.Mutex
	byName map[string]*source
}

// maxSources is how many are shared; beyond it each room may come to know its own.
const maxSources = 4096

// of finds or makes the source of that name. Producers without one have no clock in
// common.
func (s *sources) of(name string) *source {
	if name == "" {
		return &source{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.byName[name]
	if one == nil {
		if s.byName == nil || len(s.byName) >= maxSources {
			s.byName = map[string]*source{}
		}
		one = &source{name: own(name)}
		s.byName[one.name] = one
	}
	return one
}

// feed is a source as the room knows it.
type feed struct {
	*source
	toldMs int64 // the offset in the room's state
}

// maxFeeds is how many sources a room remembers: one or a few are there.
const maxFeeds = 8

// feed finds or makes the room's source of that name.
func (r *room) feed(name string) *feed {
	for i := range r.feeds {
		if r.feeds[i].name == name {
			return &r.feeds[i]
		}
	}
	if len(r.feeds) >= maxFeeds {
		r.feeds = slices.Delete(r.feeds, 0, 1)
	}
	r.feeds = append(r.feeds, feed{source: r.p.a.sources.of(name)})
	return &r.feeds[len(r.feeds)-1]
}

// corrected is a source's time by our clock; 0 is one that it did not say.
func (r *room) corrected(name string, ms int64, appended time.Time) int64 {
	f := r.feed(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	at, off := r.p.a.deps.Clock.Room(appended).UnixMilli(), true
	if ms > 0 { // else the source has no clock
		at, off = f.correct(ms, at, r.cfg().MaxSkew.Milliseconds())
	}
	if off {
		r.p.a.stats.skewed.Add(1)
		if !f.warned {
			f.warned = true
			r.p.a.deps.Log.Warn("source's clock is off or missing, taking the log's times", "room_id", r.id, "source", name)
		}
	}
	if moved := f.believed - f.toldMs; moved > noiseMs || moved < -noiseMs {
		f.toldMs, r.changed = f.believed, true
	}
	return at
}

// offsets are those of the room's sources, for its state.
func (r *room) offsets() (out map[string]int64) {
	for _, f := range r.feeds {
		f.mu.Lock()
		if f.believed > noiseMs {
			if out == nil {
				out = map[string]int64{}
			}
			out[f.name] = f.believed
		}
		f.mu.Unlock()
	}
	return out
}

// recallClocks takes them from the room's state.
func (r *room) recallClocks(offsets map[string]int64) {
	for name, ms := range offsets {
		f := r.feed(name)
		f.recall(ms)
		f.toldMs = ms
	}
}
