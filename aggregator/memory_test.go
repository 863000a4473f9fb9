package aggregator

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"livehost/streams/event"
)

// What is known is what a plain list of the same ids says, however old, also where
// hashes lie close together.
func TestMemoryKnowsWhatWasAdded(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	m, added := newMemory(1000), map[uint64]uint64{}
	var h uint64
	for i := range 2000 {
		if h += 1 << hashShift; i%4 > 0 {
			h = rng.Uint64()
			if i < 40 {
				h |= 0xffff << 48 // more than there is room for at the end
			}
			h = h >> hashShift << hashShift
		}
		m.mark(h, 1+uint64(i)%3, int64(i)/2) // over almost all that is kept
		added[h] |= 1 + uint64(i)%3
	}
	for h = range added {
		for _, x := range []uint64{h, h + 1<<hashShift, h - 1<<hashShift} {
			if got := m.marks(x); got != added[x] {
				t.Fatalf("%x: marks %b, want %b", x, got, added[x])
			}
		}
	}
}

// An id is known for as long as said, and not for much longer.
func TestMemoryForgets(t *testing.T) {
	t.Parallel()
	const keep = 1000
	m := newMemory(keep)
	added := map[string]int64{}
	for now := range int64(10 * keep) {
		id := strconv.FormatInt(now/7%2000, 10) // again after a long while
		m.add(id, now)
		added[id] = now
		if now%97 > 0 {
			continue
		}
		for id, at := range added {
			switch age := now - at; {
			case age <= keep && !m.has(id):
				t.Fatalf("at %d: %s is forgotten after %d", now, id, age)
			case age > keep*13/10 && m.has(id):
				t.Fatalf("at %d: %s is known after %d", now, id, age)
			}
		}
	}
	if len(m.slots) > 300 { // of 143 to 172 ids
		t.Errorf("%d slots", len(m.slots))
	}
}

func TestExposuresAreLoggedOnceOfEachKind(t *testing.T) {
	t.Parallel()
	e := newExposures(1000)
	for now := range int64(900) {
		u := unit{"e", 1, []event.Variant{"control", "treatment"}[now%2], string(rune('a' + now%20/2))}
		kinds, want := uint64(markBucketed), uint64(0)
		if now/20%2 == 1 {
			kinds = markBucketed | markExposed
		}
		switch now / 20 {
		case 0:
			want = markBucketed
		case 1:
			want = markExposed
		}
		if first := e.first(u, kinds, now); first != want {
			t.Fatalf("at %d: %b of %s are first, want %b", now, first, u.id, want)
		}
	}
}
