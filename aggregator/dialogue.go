package aggregator

import (
	"hash/maphash"
	"iter"
	"slices"

	"livehost/aggregator/text"
	"livehost/streams/event"
)

// dialogue is the last turns of a room, one per delivery and viewer. Every window
// looks through all of them and every delivery adds one: their keys lie together, and
// nothing is moved when an old one makes way.
type dialogue struct {
	keys  []turnKey
	turns []event.Turn
	next  int // where the next one goes, once there are maxTurns
}

// maxTurns are kept of a room.
const maxTurns = 32

// turnKey is hashes: of delivery and viewer, 0 for a turn recalled from the room's
// state, and of the viewer.
type turnKey struct{ id, viewer uint64 }

func (k turnKey) of(delivery uint64) bool { return k.id != 0 && k.id^k.viewer == delivery }

var turnSeed = maphash.MakeSeed()

func hashOf[S ~string](s S) uint64 { return maphash.String(turnSeed, string(s)) }

// add notes a turn, in the place of what was heard of it so far.
func (d *dialogue) add(k turnKey, t event.Turn) {
	if d.replace(k, t) {
		return
	}
	if len(d.keys) < maxTurns {
		d.keys, d.turns = append(d.keys, k), append(d.turns, t)
		return
	}
	d.keys[d.next], d.turns[d.next] = k, t
	d.next = (d.next + 1) % maxTurns
}

// replace notes what was heard further of a turn, if that is here.
func (d *dialogue) replace(k turnKey, t event.Turn) bool {
	for i := range d.keys {
		if d.same(i, k, t) {
			d.keys[i], d.turns[i] = k, t
			return true
		}
	}
	return false
}

// same reports whether t is the turn at i, perhaps heard further.
func (d *dialogue) same(i int, k turnKey, t event.Turn) bool {
	const longMs = 60_000
	switch have := d.keys[i]; {
	case have.id != 0:
		return have.id == k.id
	default:
		return k.id != 0 && have.viewer == k.viewer && d.turns[i].Question == t.Question && t.TimeMs-d.turns[i].TimeMs < longMs
	}
}

// count is how many turns are of the delivery.
func (d *dialogue) count(delivery uint64) (n int) {
	for _, k := range d.keys {
		if k.of(delivery) {
			n++
		}
	}
	return n
}

// heard is a turn of the delivery, nil when there is none any more.
func (d *dialogue) heard(delivery uint64) *event.Turn {
	for i, k := range d.keys {
		if delivery != 0 && k.of(delivery) {
			return &d.turns[i]
		}
	}
	return nil
}

// at is the index of the n-th newest.
func (d *dialogue) at(n int) int { return (d.next + 2*len(d.keys) - 1 - n) % len(d.keys) }

// backward is all turns, newest first.
func (d *dialogue) backward() iter.Seq[*event.Turn] {
	return func(yield func(*event.Turn) bool) {
		for n := range d.keys {
			if !yield(&d.turns[d.at(n)]) {
				return
			}
		}
	}
}

// of adds the last turns of the viewers to out, at most so many, oldest first.
func (d *dialogue) of(out []event.Turn, viewers []uint64, most int) []event.Turn {
	i := d.next
	for n := 0; n < len(d.keys) && len(out) < most; n++ {
		if i--; i < 0 {
			i = len(d.keys) - 1
		}
		if slices.Contains(viewers, d.keys[i].viewer) {
			out = append(out, d.turns[i])
		}
	}
	slices.Reverse(out)
	return out
}

// maxMergedTurns of one delivery leave other dialogue its place.
const maxMergedTurns = maxTurns / 2

// noteMerged is a turn of a viewer whom what the room has heard covers.
func (r *room) noteMerged(it *item, delivery uint64, heard event.Turn) {
	if it.chat() || it.member.ViewerID.Anonymous() || r.ofBefore(it) {
		return
	}
	turns := &r.context.turns
	k, t := turnOf(it, delivery, heard)
	if !turns.replace(k, t) && turns.count(delivery) < maxMergedTurns {
		turns.add(k, t)
	}
}

// noteLater is the same for who is merged some time after the delivery. What was heard is
// taken from the others' turns: while any is left.
func (r *room) noteLater(delivery uint64, items ...*item) {
	if heard := r.context.turns.heard(delivery); heard != nil {
		answer := *heard
		for _, it := range items {
			r.noteMerged(it, delivery, answer)
		}
	}
}

// turnOf is the turn of the danmaku's viewer when that was heard.
func turnOf(it *item, delivery uint64, heard event.Turn) (turnKey, event.Turn) {
	viewer := hashOf(it.member.ViewerID)
	heard.ViewerID, heard.Question = it.member.ViewerID, text.Truncate(it.member.Question, maxTurnRunes)
	return turnKey{delivery ^ viewer, viewer}, heard
}
