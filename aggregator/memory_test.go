package aggregator

import (
	"math/rand/v2"
	"testing"

	"livehost/streams/event"
)

// What is known is what a plain list of the same ids says, however old, also where
// hashes lie close together.
func TestMemoryKnowsWhatWasAdded(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	m, added := newMemory(1000), map[uint64]bool{}
	var h uint64
	for i := range 2000 {
		if h++; i%4 > 0 {
			h = rng.Uint64()
		}
		m.put(h, int64(i)/4) // over three of the six generations
		added[h] = true
	}
	for h = range added {
		if !m.holds(h) {
			t.Fatalf("%x was forgotten", h)
		}
		if near := h + 1; m.holds(near) != added[near] {
			t.Fatalf("%x: held %v, added %v", near, m.holds(near), added[near])
		}
	}
}

func TestExposuresAreLoggedOnceOfEachKind(t *testing.T) {
	t.Parallel()
	e := newExposures(1000)
	for now := range int64(900) {
		u := unit{"e", 1, string(rune('a' + now%20))}
		kind := event.Bucketed
		if now/20%2 == 1 {
			kind = event.Exposed
		}
		if first := e.first(u, kind, now); first != (now < 40) {
			t.Fatalf("at %d: %s of %s is first: %v", now, kind, u.id, first)
		}
	}
}
