package aggregator_test

import (
	"fmt"
	"testing"
	"time"

	"livehost/streams/event"
)

// of is a room event of the broadcast.
func of(b event.BroadcastID, set func(*event.RoomEvent)) func(*event.RoomEvent) {
	return func(e *event.RoomEvent) {
		if e.BroadcastID, e.MerchantID = b, "m1"; set != nil {
			set(e)
		}
	}
}

func focusOn(link event.LinkID) func(*event.RoomEvent) {
	return func(e *event.RoomEvent) { e.LinkID = link }
}

// The broadcast of the windows is the one that is on, whatever danmaku of others and
// late ones say.
func TestP52BroadcastIsTheOneThatIsOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		set  func(*event.Danmaku)
		want event.BroadcastID
	}{
		{"mirrored", func(d *event.Danmaku) { d.Mirror, d.MerchantID = true, "m2" }, "b2"},
		{"the host's", func(d *event.Danmaku) { d.Host = true }, "b2"},
		{"history", func(d *event.Danmaku) { d.PlatformTimeMs -= 8000 }, "b2"},
		{"too old", func(d *event.Danmaku) { d.PlatformTimeMs -= 60_000 }, "b2"},
		{"the last of the one before", func(d *event.Danmaku) { d.PlatformTimeMs -= 4000 }, "b2"},
		{"of a new one whose opening is lost", func(d *event.Danmaku) { d.BroadcastID = "b3" }, "b3"},
	} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.put(r.event(event.RoomOpened, of("b2", nil)))
			r.pass(time.Second)
			d := r.danmaku("d1", "a1", "3号多少钱")
			d.BroadcastID = "b1"
			tt.set(&d)
			r.put(d)
			r.say("d2", "a2", "4号多少钱")
			ws := all[event.Window](r)
			if w := ws[len(ws)-1]; w.BroadcastID != tt.want || w.MerchantID != "m1" {
				t.Errorf("%s: window of %s, merchant %s", tt.name, w.BroadcastID, w.MerchantID)
			}
		})
	}
}

// What a feed plays again of the broadcast before changes nothing in this one.
func TestP52EventsOfTheBroadcastBefore(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, of("b1", nil)))
		focus, said := r.event(event.ProductInFocus, of("b1", focusOn("7"))), r.event(event.HostUtterance, of("b1", func(e *event.RoomEvent) { e.Text = "再见" }))
		r.pass(6 * time.Second)
		r.put(r.event(event.RoomOpened, of("b2", nil)))
		r.pass(time.Second)
		r.put(focus, said, r.event(event.RoomClosed, of("b1", nil)))
		r.say("d1", "a1", "多少钱")
		if w := r.windows(1)[0]; w.Members[0].FocusLink != "" || len(w.Context.HostUtterances) != 0 {
			t.Errorf("window %+v", w)
		}
		r.put(r.event(event.RoomClosed, of("b2", nil)))
		r.say("d2", "a2", "包邮吗")
		r.want("d2", "shed room_closed")
	})
}

// What was shown after the opening is of the broadcast, also when the opening comes later.
func TestOpeningComesLate(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, of("b1", nil)), r.event(event.ProductInFocus, of("b1", focusOn("7"))), r.event(event.RoomClosed, of("b1", nil)))
		r.pass(10 * time.Second)
		opened := r.event(event.RoomOpened, of("b2", nil))
		r.pass(100 * time.Millisecond)
		r.put(r.event(event.ProductInFocus, of("b2", focusOn("8"))), opened)
		r.say("d1", "a1", "多少钱")
		if m := r.windows(1)[0].Members[0]; m.FocusLink != "8" {
			t.Errorf("focus %q, want 8", m.FocusLink)
		}
	})
}

// An opening said again is no new broadcast, after a restart and without a name either.
func TestOpeningSaidAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []event.BroadcastID{"", "b1"} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.step = 10 * time.Second
			r.put(r.event(event.RoomOpened, of(name, nil)))
			d := r.danmaku("d1", "a1", "3号多少钱")
			d.BroadcastID = "b1"
			r.put(d)
			r.put(answered(r.windows(1)[0])...)
			r.put(r.event(event.ProductInFocus, of(name, focusOn("7"))))
			for range 20 {
				r.pass(2 * time.Minute)
				r.put(r.event(event.Like, nil))
			}
			r.restart()
			r.put(r.event(event.RoomOpened, of(name, nil)))
			r.say("d2", "a2", "多少钱")
			if m := r.windows(2)[1].Members[0]; m.FocusLink != "7" {
				t.Errorf("opening of %q: focus %q", name, m.FocusLink)
			}
		})
	}
}

// An answer of one broadcast covers nobody in the next, and nobody waits over the end,
// after a restart either.
func TestNothingCoversTheNextBroadcast(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, time.Millisecond, 6 * time.Second} { // of the restart; the last is after a checkpoint
		restart := after > 0
		inBubble(t, func(t *testing.T, r *rig) {
			r.put(r.event(event.RoomOpened, of("b1", nil)))
			r.say("heard", "a1", "3号多少钱")
			r.pass(3 * time.Second)
			r.put(answered(r.windows(1)[0])...)
			r.say("flying", "a2", "4号多少钱")
			r.say("joined", "a3", "4号多少钱")
			r.say("other", "a4", "5号多少钱")
			r.say("waiting", "a5", "6号多少钱")
			r.say("with it", "a6", "6号多少钱")
			r.pass(6 * time.Second)
			r.put(r.event(event.RoomOpened, of("b2", nil)))
			r.want("waiting", "shed room_closed")
			if restart {
				r.pass(after)
				r.restart()
				r.run()
			}
			r.pass(time.Second)
			r.want("with it", "shed room_closed")
			r.put(answered(r.windows(3)[1])...)
			r.put(answered(r.windows(3)[2])...)
			for i, text := range []string{"3号多少钱", "4号多少钱"} {
				r.say(fmt.Sprint("d", i), "a9", text)
			}
			r.put(answered(r.windows(5)[3])...)
			r.put(answered(r.windows(5)[4])...)
			if !restart { // it is handed over again, and is history by then
				r.want("joined", "merged same_question")
			}
			r.want("d0", "answered reply")
			r.want("d1", "answered reply")
			r.check()
		})
	}
}
