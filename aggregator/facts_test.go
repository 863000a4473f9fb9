package aggregator_test

import (
	"testing"
	"time"

	"livehost/streams/event"
)

// An answer covers nobody after what it says has changed, whichever way the event names
// the product, while the answer is under way or heard, over a restart too.
func TestCoolDownEndsWhenTheFactChanges(t *testing.T) {
	t.Parallel()
	change := func(kind event.RoomEventKind, link event.LinkID, product event.ProductID) func(*event.RoomEvent) {
		return func(e *event.RoomEvent) { e.Kind, e.LinkID, e.ProductID = kind, link, product }
	}
	const covered, again = "merged cooled_down", "answered reply"
	for _, tt := range []struct {
		name   string
		change func(*event.RoomEvent)
		want   string
	}{
		{"by link", change(event.ProductChanged, "3", ""), again},
		{"by product", change(event.ProductChanged, "", "p1"), again},
		{"by another link of the product", change(event.ProductChanged, "8", ""), again},
		{"delisted", change(event.ProductDelisted, "3", ""), again},
		{"delisted by product", change(event.ProductDelisted, "", "p1"), again},
		{"the link gets another product", change(event.ProductListed, "3", "p2"), again},
		{"listed as it was", change(event.ProductListed, "3", "p1"), covered},
		{"another link", change(event.ProductChanged, "4", ""), covered},
		{"another product", change(event.ProductChanged, "", "p2"), covered},
	} {
		for _, flying := range []bool{false, true} {
			for _, after := range []time.Duration{0, time.Second, 6 * time.Second} { // of the restart; the last is after a checkpoint
				restart := after > 0
				if restart && tt.want == covered {
					continue // it may ask once more
				}
				inBubble(t, func(t *testing.T, r *rig) {
					r.answer = answered
					r.put(r.event(event.ProductListed, change(event.ProductListed, "3", "p1")), r.event(event.ProductListed, change(event.ProductListed, "8", "p1")))
					if restart { // what was listed is not read back
						r.step = 10 * time.Second
						for range 20 {
							r.pass(time.Minute)
							r.put(r.event(event.Like, nil))
						}
						r.step = 50 * time.Millisecond
					}
					r.say("d1", "a1", "3号多少钱")
					r.pass(time.Second)
					if !flying {
						r.pass(3 * time.Second)
					}
					r.put(r.event("", tt.change))
					r.pass(max(after, time.Second))
					if restart {
						r.restart()
						r.run()
					}
					r.say("d2", "a2", "3号多少钱")
					r.pass(8 * time.Second)
					want := tt.want
					if want == covered && flying {
						want = "merged same_question"
					}
					if got := r.outcome("d2"); got != want {
						t.Errorf("%s, flying %v, restart after %v: %q, want %q", tt.name, flying, after, got, want)
					}
					r.check()
				})
			}
		}
	}
}

// What is not listed yet is asked for again once it is.
func TestListedAfterTheAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = answered
		r.say("d1", "a1", "3号多少钱")
		r.pass(4 * time.Second)
		r.put(r.event(event.ProductListed, func(e *event.RoomEvent) { e.LinkID, e.ProductID = "3", "p1" }))
		r.say("d2", "a2", "3号多少钱")
		r.pass(4 * time.Second)
		r.want("d2", "answered reply")
	})
}

// Nobody here knows the link of a product that is named in words: what changes of any
// ends the answers about it, and about what is asked without a focus. Stock moves with
// every order and ends none before it is gone.
func TestCoolDownOfANamedProductEndsWithAnyChange(t *testing.T) {
	t.Parallel()
	changed := func(fen, stock int64) func(*event.RoomEvent) {
		return func(e *event.RoomEvent) {
			e.Kind, e.LinkID = event.ProductChanged, "3"
			if fen > 0 {
				e.PriceFen = &fen
			}
			if stock >= 0 {
				e.Stock = &stock
			}
		}
	}
	delisted := func(e *event.RoomEvent) { e.Kind, e.LinkID = event.ProductDelisted, "3" }
	listed := func(e *event.RoomEvent) { e.Kind, e.LinkID, e.ProductID = event.ProductListed, "9", "p9" }
	const covered, again = "merged cooled_down", "answered reply"
	for _, tt := range []struct {
		name, asked, focus string
		change             func(*event.RoomEvent)
		want               string
	}{
		{"price", "面膜多少钱", "7", changed(9900, -1), again},
		{"sold out", "面膜多少钱", "7", changed(0, 0), again},
		{"stock moves", "面膜多少钱", "7", changed(0, 49), covered},
		{"said again with the stock", "面膜多少钱", "7", changed(8900, 49), covered},
		{"delisted", "面膜多少钱", "7", delisted, again},
		{"another listed", "有面膜吗", "7", listed, again},
		{"no focus", "多少钱", "", changed(9900, -1), again},
		{"no focus, stock moves", "多少钱", "", changed(0, 49), covered},
		{"of another than that in focus", "这款面膜多少钱", "7", changed(9900, -1), covered},
		{"nothing named", "多少钱", "7", changed(9900, -1), covered},
		{"another number", "8号面膜多少钱", "7", changed(9900, -1), covered},
		{"chat", "主播加油", "7", changed(9900, -1), covered},
	} {
		for _, restart := range []bool{false, true} {
			if restart && tt.want == covered {
				continue // it may ask once more
			}
			inBubble(t, func(t *testing.T, r *rig) {
				r.answer = answered
				r.put(r.event(event.ProductListed, func(e *event.RoomEvent) { e.LinkID, e.ProductID = "3", "p3" }), r.event("", changed(8900, 50)))
				if tt.focus != "" {
					r.put(r.event(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = event.LinkID(tt.focus) }))
				}
				r.say("d1", "a1", tt.asked)
				r.pass(5 * time.Second)
				r.put(r.event("", tt.change))
				if restart {
					r.restart()
					r.run()
				}
				r.say("d2", "a2", tt.asked)
				r.pass(8 * time.Second)
				if got := r.outcome("d2"); got != tt.want {
					t.Errorf("%s, restart %v: %q, want %q", tt.name, restart, got, tt.want)
				}
				r.check()
			})
		}
	}
}
