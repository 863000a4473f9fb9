package aggregator

import (
	"hash/maphash"
	"maps"
	"math/bits"
	"slices"
)

// memory is a set of ids that forgets them some time after they were added. It
// keeps hashes: an id costs some 10 bytes however long it is.
type memory struct {
	seed   maphash.Seed
	young  map[uint64]struct{}
	old    [generations - 1][]uint64 // sorted, newest first: half of what a map takes
	spanMs int64                     // of one generation
	bornMs int64                     // of the young one
}

const generations = 6

func newMemory(keepMs int64) *memory {
	return &memory{seed: maphash.MakeSeed(), spanMs: keepMs/(generations-1) + 1}
}

func (m *memory) add(id string, nowMs int64) { m.put(maphash.String(m.seed, id), nowMs) }

func (m *memory) has(id string) bool { return m.holds(maphash.String(m.seed, id)) }

func (m *memory) put(h uint64, nowMs int64) {
	if m.young == nil || nowMs-m.bornMs > m.spanMs {
		copy(m.old[1:], m.old[:])
		m.old[0] = slices.AppendSeq(make([]uint64, 0, len(m.young)), maps.Keys(m.young))
		slices.Sort(m.old[0])
		m.young, m.bornMs = map[uint64]struct{}{}, nowMs
	}
	m.young[h] = struct{}{}
}

func (m *memory) holds(h uint64) bool {
	if _, ok := m.young[h]; ok {
		return true
	}
	for _, g := range m.old {
		if at := placeOf(g, h); at < len(g) && g[at] == h {
			return true
		}
	}
	return false
}

// placeOf is where h is in sorted hashes, or would be: they are spread evenly, so it
// lies close to where its share of all hashes says.
func placeOf(sorted []uint64, h uint64) int {
	at, _ := bits.Mul64(h, uint64(len(sorted)))
	i := int(at)
	for i > 0 && sorted[i-1] >= h {
		i--
	}
	for i < len(sorted) && sorted[i] < h {
		i++
	}
	return i
}
