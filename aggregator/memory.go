package aggregator

import (
	"hash/maphash"
	"math/bits"
)

// memory is a set of ids that forgets them some time after they were added. It
// keeps hashes, in order and with gaps between them: an id costs some 9 bytes however
// long it is, and is found by one look at the place its hash says.
//
// A slot is a hash without its lowest bits; in these are the marks of the id and in how
// many turns it is forgotten, at least one. 0 is a gap.
type memory struct {
	seed   maphash.Seed
	slots  []uint64
	home   int   // slots that a hash may point to; those after them take what runs over
	room   int   // hashes that may be added before the gaps are made new
	spanMs int64 // between two turns
	turnMs int64 // the last one
}

const (
	turnsBits = 3
	turnsMask = 1<<turnsBits - 1
	marksBits = 2
	allMarks  = 1<<marksBits - 1
	hashShift = marksBits + turnsBits

	turns = 6 // what was added is kept for five spans at least
)

func newMemory(keepMs int64) *memory {
	return &memory{seed: maphash.MakeSeed(), spanMs: keepMs/(turns-1) + 1}
}

func (m *memory) add(id string, nowMs int64) { m.mark(maphash.String(m.seed, id), 1, nowMs) }

func (m *memory) has(id string) bool { return m.marks(maphash.String(m.seed, id)) != 0 }

// marks is what h is marked with, 0 when it is not held.
func (m *memory) marks(h uint64) uint64 {
	if at := m.place(h); at < len(m.slots) && m.slots[at]>>hashShift == h>>hashShift {
		return m.slots[at] >> turnsBits & allMarks
	}
	return 0
}

// mark adds the marks to those of h, which is kept from now on.
func (m *memory) mark(h, marks uint64, nowMs int64) {
	if m.slots == nil || nowMs-m.turnMs > m.spanMs {
		m.turn(nowMs)
	}
	at := m.place(h)
	if at < len(m.slots) && m.slots[at]>>hashShift == h>>hashShift {
		m.slots[at] = (m.slots[at]|marks<<turnsBits)&^turnsMask | turns
		return
	}
	if m.room == 0 {
		m.spread(0, len(m.slots)/8)
		at = m.place(h)
	}
	m.room--
	m.insert(at, h>>hashShift<<hashShift|marks<<turnsBits|turns)
}

// place is where h is, or would be.
func (m *memory) place(h uint64) int {
	at, _ := bits.Mul64(h, uint64(m.home))
	i := int(at)
	for i < len(m.slots) && m.slots[i] != 0 && m.slots[i]>>hashShift < h>>hashShift {
		i++
	}
	return i
}

// insert puts a slot before what is at its place, up to the next gap.
func (m *memory) insert(at int, slot uint64) {
	gap := at
	for gap < len(m.slots) && m.slots[gap] != 0 {
		gap++
	}
	if gap == len(m.slots) {
		m.slots = append(m.slots, 0)
	}
	copy(m.slots[at+1:gap+1], m.slots[at:gap])
	m.slots[at] = slot
}

// turn forgets what has been kept for long enough. As many as came since the last turn
// may come until the next.
func (m *memory) turn(nowMs int64) {
	m.turnMs = nowMs
	came := 0
	for _, s := range m.slots {
		if s&turnsMask == turns {
			came++
		}
	}
	m.spread(1, came+came/16)
}

// spread makes the gaps new, with room for more hashes, and lets so many turns pass.
func (m *memory) spread(passed uint64, more int) {
	const gaps, least, over = 12, 8, 24 // one slot in so many is a gap at least
	old := m.slots
	held := 0
	for _, s := range old {
		if s&turnsMask > passed {
			held++
		}
	}
	m.room = max(more, least)
	m.home = (held + m.room) * gaps / (gaps - 1)
	m.slots = make([]uint64, m.home+over)
	for _, s := range old {
		if s&turnsMask > passed {
			m.insert(m.place(s), s-passed)
		}
	}
}
