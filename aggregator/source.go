package aggregator

import (
	"slices"
	"sync"
	"time"

	"livehost/streams/event"
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
	name     string
	past     [spells]int64 // the smallest delay of each
	n        int           // spells that are over
	spell    spell
	believed int64 // offset
	warned   bool
	toldMs   int64 // the offset in the room's state
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
// longer than that as well.
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

// note takes the delay of a record.
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

// recall takes the offset that was believed before a restart, or is in another room,
// unless this one has learnt its own. The first smaller delay shows that it is less.
func (s *source) recall(offsetMs int64) {
	if s.n >= spells || s.believed > 0 {
		return
	}
	s.believed = offsetMs
	for _, leastMs := range s.past[:s.n] {
		s.believed = max(0, min(s.believed, leastMs))
	}
}

// offsets are those that rooms have learnt last, by source: who feeds one room feeds
// others with the same clock. They are where a room begins; one name may stand for several
// clocks, and what comes to one room shows nothing of another.
type offsets struct {
	mu     sync.Mutex
	byName map[string]int64
}

// maxOffsets is how many are shared.
const maxOffsets = 4096

func (o *offsets) of(name string) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.byName[name]
}

func (o *offsets) put(name string, ms int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byName == nil || len(o.byName) >= maxOffsets {
		o.byName = map[string]int64{}
	}
	o.byName[name] = ms
}

// maxSources is how many a room remembers: one or a few are there.
const maxSources = 8

// source finds or makes the room's source of that name. Producers without one have no
// clock in common.
func (r *room) source(name string) *source {
	for _, s := range r.sources {
		if s.name == name {
			return s
		}
	}
	if len(r.sources) >= maxSources {
		r.sources = slices.Delete(r.sources, 0, 1)
	}
	s := &source{name: own(name)}
	if name != "" {
		s.recall(r.p.a.offsets.of(name))
	}
	r.sources = append(r.sources, s)
	return s
}

// saidMs is when a danmaku was said, by our clock. What is not of this room, or nobody
// said, teaches nothing of the source's.
func (r *room) saidMs(d event.Danmaku, appended time.Time) int64 {
	if d.Mirror || d.Test {
		return r.p.a.deps.Clock.Room(appended).UnixMilli()
	}
	return r.corrected(d.Source, d.PlatformTimeMs, appended)
}

// corrected is a source's time by our clock; 0 is one that it did not say.
func (r *room) corrected(name string, ms int64, appended time.Time) int64 {
	s := r.source(name)
	at, off := r.p.a.deps.Clock.Room(appended).UnixMilli(), true
	if ms > 0 { // else the source has no clock
		at, off = s.correct(ms, at, r.cfg().MaxSkew.Milliseconds())
	}
	if off {
		r.p.a.stats.skewed.Add(1)
		if !s.warned {
			s.warned = true
			r.p.a.deps.Log.Warn("source's clock is off or missing, taking the log's times", "room_id", r.id, "source", name)
		}
	}
	if moved := s.believed - s.toldMs; moved > noiseMs || moved < -noiseMs {
		s.toldMs, r.changed = s.believed, true
		if name != "" {
			r.p.a.offsets.put(s.name, s.believed)
		}
	}
	return at
}

// offsets are those of the room's sources, for its state.
func (r *room) offsets() (out map[string]int64) {
	for _, s := range r.sources {
		if s.believed > noiseMs {
			if out == nil {
				out = map[string]int64{}
			}
			out[s.name] = s.believed
		}
	}
	return out
}

// recallClocks takes them from the room's state.
func (r *room) recallClocks(offsets map[string]int64) {
	for name, ms := range offsets {
		s := r.source(name)
		s.recall(ms)
		s.toldMs = ms
		if name != "" && r.p.a.offsets.of(name) == 0 {
			r.p.a.offsets.put(s.name, ms)
		}
	}
}
