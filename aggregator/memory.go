package aggregator

import "hash/maphash"

// memory is a set of ids that forgets them some time after they were added. It
// keeps hashes: an id costs some 16 bytes however long it is.
type memory struct {
	seed        maphash.Seed
	generations [generations]map[uint64]struct{} // newest first
	spanMs      int64                            // of one generation
	bornMs      int64                            // of the newest
}

const generations = 4

func newMemory(keepMs int64) *memory {
	return &memory{seed: maphash.MakeSeed(), spanMs: keepMs/(generations-1) + 1}
}

func (m *memory) add(id string, nowMs int64) {
	if m.generations[0] == nil || nowMs-m.bornMs > m.spanMs {
		copy(m.generations[1:], m.generations[:generations-1])
		m.generations[0], m.bornMs = map[uint64]struct{}{}, nowMs
	}
	m.generations[0][maphash.String(m.seed, id)] = struct{}{}
}

func (m *memory) has(id string) bool {
	h := maphash.String(m.seed, id)
	for _, g := range m.generations {
		if _, ok := g[h]; ok {
			return true
		}
	}
	return false
}
