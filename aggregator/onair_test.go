package aggregator_test

import (
	"fmt"
	"testing"
	"time"

	"livehost/streams/event"
)

// sayIn says a danmaku that names its broadcast.
func (r *rig) sayIn(id, text string, b event.BroadcastID) {
	d := r.danmaku(id, "a"+id, text)
	d.BroadcastID = b
	r.put(d)
}

func named(b event.BroadcastID) func(*event.RoomEvent) { return of(b, nil) }

// A broadcast whose opening is lost began after the closing before it, not with its first
// danmaku here: its opening may come yet, and others of it from slower sources.
func TestP52OpeningIsLate(t *testing.T) {
	t.Parallel()
	for _, name := range []event.BroadcastID{"", "b2"} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.put(r.event(event.RoomOpened, named("")))
			r.sayIn("d0", "3号多少钱", "b1")
			r.put(answered(r.windows(1)[0])...)
			r.put(r.event(event.RoomClosed, named("")))
			r.pass(time.Hour)
			opened := r.event(event.RoomOpened, of(name, func(e *event.RoomEvent) {
				e.Settings = &event.RoomSettings{Language: "zh", HostName: "小播", HostIDs: []event.ViewerID{"ad3"}}
			}))
			r.pass(time.Second)
			slow := r.danmaku("d2", "ad2", "5号多少钱")
			slow.BroadcastID = "b2"
			r.pass(6 * time.Second)
			r.sayIn("d1", "4号多少钱", "b2")
			r.put(opened, slow)
			r.sayIn("d3", "6号多少钱", "b2")
			r.want("d3", "filtered host")
			ws := r.windows(3)
			if w := ws[2]; w.BroadcastID != "b2" || w.Members[0].DanmakuID != "d2" || w.Context.Settings.HostName != "小播" {
				t.Errorf("opening of %q: window %+v", name, w)
			}
		})
	}
}

// Also where no opening was ever seen nothing of one broadcast is left in the next.
func TestNothingIsLeftOfABroadcastNobodyOpened(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*rig){
		"a danmaku":  func(*rig) {},
		"an event":   func(r *rig) { r.put(r.event(event.Like, named("b2"))) },
		"an opening": func(r *rig) { r.put(r.event(event.RoomOpened, named("b2"))) },
		"unclosed":   func(r *rig) { r.put(r.event(event.RoomOpened, named("b2"))) },
	} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.answer = answered
			r.put(r.event(event.ProductInFocus, of("b1", focusOn("7"))))
			r.sayIn("d0", "包邮吗", "b1")
			if name != "unclosed" {
				r.put(r.event(event.RoomClosed, named("b1")))
			}
			r.pass(5 * time.Second)
			next(r)
			r.sayIn("d1", "包邮吗", "b2")
			r.pass(10 * time.Second)
			ws := r.windows(2)
			if w := ws[1]; w.BroadcastID != "b2" || w.Members[0].FocusLink != "" || w.Context.FocusLink != "" {
				t.Errorf("%s: window %+v", name, w)
			}
			r.want("d1", "answered reply")
		})
	}
}

// An opening without a name may be of the broadcast that was closed, also when the room
// was put away in between.
func TestP52OpenedAgainWithoutAName(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.put(r.event(event.RoomOpened, named("b1")))
			r.pass(time.Second)
			r.put(r.event(event.RoomClosed, named("b1")))
			r.pass(time.Minute)
			r.put(r.event(event.RoomOpened, named("")))
			r.pass(time.Minute)
			if restart {
				r.step = 10 * time.Second
				r.pass(20 * time.Minute) // beyond what is read back
				r.restart()
				r.step = 50 * time.Millisecond
			}
			r.sayIn("d1", "3号多少钱", "b1")
			if w := r.windows(1)[0]; w.BroadcastID != "b1" {
				t.Errorf("window of %q", w.BroadcastID)
			}
			r.put(r.event(event.RoomClosed, named("b2"))) // whatever it was called
			r.say("d2", "a2", "4号多少钱")
			r.want("d2", "shed room_closed")
		})
	}
}

// Who looks at the page of a broadcast a few back does not bring it back.
func TestP52ABroadcastAFewBack(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		inBubble(t, func(t *testing.T, r *rig) {
			for i := range 3 {
				b := event.BroadcastID(fmt.Sprint("b", i))
				r.put(r.event(event.RoomOpened, named(b)))
				r.pass(time.Second)
				r.put(r.event(event.RoomClosed, named(b)))
				r.pass(time.Second)
			}
			r.step = 10 * time.Second
			r.pass(time.Hour)
			if restart {
				r.restart()
			}
			r.sayIn("d1", "3号多少钱", "b0")
			r.sayIn("d2", "3号多少钱", "b2")
			r.want("d1", "filtered history")
			r.want("d2", "shed room_closed")
			r.windows(0)
		})
	}
}

// An opening that comes after the closing of its broadcast, or comes again, opens nothing.
func TestP52OpeningAfterItsClosing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		first := r.event(event.RoomOpened, named("b1"))
		r.put(first)
		r.pass(time.Second)
		r.put(r.event(event.RoomClosed, named("b1")))
		r.pass(time.Minute)
		r.put(first)
		late := r.event(event.RoomOpened, named("b2"))
		r.pass(time.Second)
		r.put(r.event(event.RoomClosed, named("b2")), late)
		for i, b := range []event.BroadcastID{"", "b1", "b2"} {
			r.sayIn(fmt.Sprint("d", i), "3号多少钱", b)
		}
		r.want("d0", "shed room_closed")
		r.want("d1", "shed room_closed")
		r.want("d2", "filtered history")
		r.windows(0)
	})
}

// What is said over the opening of the next broadcast is no dialogue of that one.
func TestSaidOverTheNextOpening(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, named("b1")))
		r.say("d0", "a0", "3号多少钱")
		w := r.windows(1)[0]
		r.pass(6 * time.Second)
		r.put(r.event(event.RoomOpened, named("b2")))
		r.put(event.Delivery{
			Schema: 1, DeliveryID: "dl", ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public, State: event.DeliveryEnded, Outlet: "v",
			Text: "89元", DanmakuIDs: []event.DanmakuID{"d0"}, TimeMs: time.Now().UnixMilli(),
		})
		r.put(answered(w)...)
		r.pass(time.Second)
		r.say("d1", "a0", "4号多少钱")
		if turns := r.windows(2)[1].Context.Dialogue; len(turns) > 0 {
			t.Errorf("dialogue %+v", turns)
		}
	})
}

// A broadcast whose opening is lost is on after a restart as well.
func TestP52OnAirFromItsWindows(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, named("b1")))
		r.pass(time.Second)
		r.put(r.event(event.RoomClosed, named("b1")))
		r.pass(time.Minute)
		r.sayIn("d1", "3号多少钱", "b2")
		w := r.windows(1)[0]
		r.restart()
		r.put(reply(w, "d1"))
		r.pass(time.Second)
		if w := r.windows(2)[1]; w.BroadcastID != "b2" {
			t.Errorf("window of %q", w.BroadcastID)
		}
		r.sayIn("d2", "4号多少钱", "b1")
		r.want("d2", "filtered history")
	})
}
