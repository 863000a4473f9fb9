package aggregator_test

import (
	"fmt"
	"strings"
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

// sayAgo has a price asked for, of the link that the id ends with, in a broadcast some time ago.
func (r *rig) sayAgo(id string, b event.BroadcastID, ago time.Duration) {
	d := r.danmaku(id, "a"+id, id[1:]+"号多少钱")
	d.BroadcastID, d.PlatformTimeMs = b, d.PlatformTimeMs-ago.Milliseconds()
	r.put(d)
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

// One who still has the page of the broadcast before is not in this one, and does not
// bring that one back, after a restart either.
func TestP52StragglerOfTheBroadcastBefore(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.put(r.event(event.RoomOpened, of("b1", nil)))
			r.pass(10 * time.Second)
			r.put(r.event(event.RoomOpened, of("b2", nil)))
			r.pass(6 * time.Second)
			if restart {
				r.step = 10 * time.Second
				r.pass(20 * time.Minute) // beyond what is read back
				r.restart()
			}
			r.sayAgo("d1", "b2", 0)
			r.sayAgo("s2", "b1", 0)
			r.sayAgo("d3", "b2", 0)
			for _, w := range r.windows(2) {
				if w.BroadcastID != "b2" {
					t.Errorf("window of %s", w.BroadcastID)
				}
			}
			r.want("s2", "filtered history")
			for _, w := range r.windows(2) {
				r.put(answered(w)...)
			}
			r.put(r.event(event.RoomOpened, of("b1", nil))) // that one goes on
			r.pass(time.Second)
			r.sayAgo("d4", "b1", 0)
			r.sayAgo("s5", "b2", 0)
			r.want("s5", "filtered history")
			if w := r.windows(3)[2]; w.BroadcastID != "b1" {
				t.Errorf("window of %s, want b1", w.BroadcastID)
			}
		})
	}
}

// The last of a broadcast are not answered in the next, however shortly before its opening
// they were said.
func TestP52LastOfTheBroadcastBefore(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.put(r.event(event.RoomOpened, of("b1", nil)))
			for _, id := range []string{"f1", "f2"} {
				r.sayAgo(id, "b1", 0)
			}
			r.sayAgo("w3", "b1", 0)
			r.sayAgo("w4", "", 0)
			r.windows(2)
			r.pass(time.Second)
			r.put(r.event(event.RoomOpened, of("b2", nil)))
			if restart {
				r.restart()
				r.run()
			}
			r.sayAgo("w5", "b1", 2*time.Second)
			r.sayAgo("w6", "b2", 2*time.Second) // its clock is a little behind
			r.put(reply(r.windows(2)[0], "f1"))
			r.pass(3 * time.Second)
			r.want("f1", "shed room_closed")
			if !restart { // else it is handed over again after the opening
				r.want("w3", "shed room_closed")
			}
			r.want("w5", "filtered history")
			ws := r.windows(3)
			if w := ws[2]; w.BroadcastID != "b2" || len(w.Members) != 2 || !strings.HasPrefix(string(w.Members[0].DanmakuID), "w") {
				t.Errorf("window of %s: %v", w.BroadcastID, ids(ws[2:]))
			}
			r.put(answered(ws[1])...)
			r.put(answered(ws[2])...)
			r.check()
		})
	}
}

// A broadcast whose opening is lost begins with what is of it; an opening that comes late
// is still its own.
func TestP52OpeningOfTheNextIsLost(t *testing.T) {
	t.Parallel()
	const closed = "shed room_closed"
	for _, tt := range []struct {
		name    string
		restart bool
		next    func(*rig)
		b       event.BroadcastID
		want    string // outcome of what is said then
	}{
		{"danmaku", false, nil, "b2", ""},
		{"after a restart", true, nil, "b2", ""},
		{"shown", false, func(r *rig) { r.put(r.event(event.ProductInFocus, of("b2", focusOn("7")))) }, "", ""},
		{"of the closed one", false, func(r *rig) { r.put(r.event(event.ProductInFocus, of("b1", focusOn("7")))) }, "b1", closed},
		{"of one before it", false, nil, "b0", "filtered history"},
		{"of none", true, func(r *rig) { r.put(r.event(event.Enter, nil)) }, "", closed},
		{"mirrored", false, func(r *rig) {
			d := r.danmaku("m", "am", "3号多少钱")
			d.BroadcastID, d.Mirror = "b2", true
			r.put(d)
		}, "b1", closed},
		{"closed once more", false, func(r *rig) { r.put(r.event(event.RoomClosed, of("b2", nil))) }, "", closed},
	} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.put(r.event(event.RoomOpened, of("b0", nil)))
			r.pass(time.Second)
			r.put(r.event(event.RoomOpened, of("b1", nil)))
			r.pass(time.Second)
			early := r.danmaku("early", "a9", "3号多少钱")
			early.BroadcastID = "b2"
			r.pass(time.Second)
			r.put(r.event(event.RoomClosed, of("b1", nil)))
			r.put(early)
			r.want("early", closed)
			r.step = 10 * time.Minute
			r.pass(20 * time.Hour)
			r.step = 50 * time.Millisecond
			if tt.restart {
				r.restart()
			}
			opened := r.event(event.RoomOpened, of("b2", func(e *event.RoomEvent) { e.Settings = &event.RoomSettings{Language: "zh", HostName: "小播"} }))
			r.pass(time.Second)
			if tt.next != nil {
				tt.next(r)
			}
			d := r.danmaku("d1", "a1", "多少钱")
			d.BroadcastID = tt.b
			r.put(d)
			if r.want("d1", tt.want); tt.want != "" {
				return
			}
			if w := r.windows(1)[0]; w.BroadcastID != "b2" || w.MerchantID != "m1" {
				t.Errorf("%s: window %+v", tt.name, w)
			}
			r.put(opened)
			r.say("d2", "a2", "包邮吗")
			if w := r.windows(2)[1]; w.BroadcastID != "b2" || w.Context.Settings.HostName != "小播" {
				t.Errorf("%s: the late opening's settings are lost: %+v", tt.name, w)
			}
			r.put(r.event(event.RoomClosed, of("b2", nil)))
			r.say("d3", "a3", "怎么洗")
			r.want("d3", closed)
		})
	}
}
