package aggregator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"livehost/streams/event"
	"livehost/streams/streamstest"
	"livehost/streams/topic"
)

func TestRestoreKnowsTheRoom(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) {
			e.BroadcastID, e.MerchantID, e.Settings = "b1", "m1", &event.RoomSettings{Language: "en", PrivateText: true, HostName: "小播"}
		}))
		r.put(r.event(event.ProductListed, func(e *event.RoomEvent) { e.LinkID, e.ProductID = "7", "p7" }))
		r.put(r.event(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = "7" }))
		r.put(r.event(event.HostUtterance, func(e *event.RoomEvent) { e.Text = "看这一款" }))
		r.put(event.Order{
			Schema: 1, OrderID: "o1", Seq: 1, RoomID: roomID, Status: event.OrderPaid, ViewerID: "a1", ProductID: "p7", TimeMs: time.Now().UnixMilli(),
		})
		r.step = time.Second
		r.pass(20 * time.Minute) // beyond what is read back
		r.restart()
		r.say("d1", "a1", "80")
		w := r.windows(1)[0]
		c := w.Context
		if w.BroadcastID != "b1" || w.MerchantID != "m1" || w.Language != "en" || !c.Settings.PrivateText || c.Settings.HostName != "小播" || c.FocusLink != "7" ||
			c.FocusProduct != "p7" || c.ListedLinks != 1 || len(c.HostUtterances) != 1 || len(c.PaidViewers) != 1 || w.Members[0].FocusLink != "7" {
			t.Errorf("window after the restart %+v", w)
		}
	})
}

// A tombstone in room-state.v1 takes back what was written before, also while the log
// has that still.
func TestTombstoneForgetsTheRoom(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) {
			e.BroadcastID, e.Settings = "b1", &event.RoomSettings{Language: "en", HostName: "小播"}
		}))
		r.step = time.Second
		for range 20 { // beyond what is read back
			r.put(r.event(event.Like, nil))
			r.pass(time.Minute)
		}
		r.log.Append(event.TopicRoomState, roomID, nil)
		r.restart()
		r.say("d1", "a1", "80")
		if w := r.windows(1)[0]; w.BroadcastID != "" || w.Context.Settings.HostName != "" {
			t.Errorf("window after the room was to be forgotten: %q, %+v", w.BroadcastID, w.Context)
		}
	})
}

// A room in which nothing happens is put away, and is itself again when something
// does; a restart finds it put away.
func TestIdleRoomIsParked(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = answered
		r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) {
			e.BroadcastID, e.Settings = "b1", &event.RoomSettings{Language: "en", HostName: "小播"}
		}))
		r.put(r.event(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = "7" }))
		r.say("d1", "a1", "80")
		r.step = 10 * time.Second
		r.pass(10 * time.Minute)
		if got := r.agg.Stats(); got.Rooms != 1 {
			t.Errorf("parked too early: %+v", got)
		}
		other := event.RoomID("r1") // keeps the partition's checkpoints going
		for other == roomID || topic.PartitionOf(other, streamstest.Partitions) != number {
			other += "x"
		}
		tick := func() {
			r.put(event.RoomEvent{Schema: 1, EventID: time.Now().String(), RoomID: other, Kind: event.Like, TimeMs: time.Now().UnixMilli()})
			r.pass(time.Minute)
		}
		for range 12 {
			tick()
		}
		if got := r.agg.Stats(); got.Rooms != 1 || got.Parked != 1 {
			t.Errorf("not parked: %+v", got)
		}
		r.restart()
		r.say("d2", "a2", "81")
		if w := r.windows(2)[1]; w.BroadcastID != "b1" || w.Context.Settings.HostName != "小播" || w.Context.FocusLink != "7" {
			t.Errorf("window after it was parked %+v", w)
		}
		r.pass(30 * time.Second)
		r.check()
	})
}

// What is read back stays bounded, and is still enough to know repeats and what
// has no outcome yet.
func TestReadBackIsBoundedAndEnough(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(w event.Window) []event.Event {
			if w.Members[0].DanmakuID == "d50" { // its worker is away
				return nil
			}
			return answered(w)
		}
		r.step = 500 * time.Millisecond
		for i := range 300 {
			r.say(fmt.Sprint("d", i), fmt.Sprint("a", i), fmt.Sprintf("%d号适合%d岁吗", i%90+1, i))
			r.pass(10 * time.Second)
		}
		states := all[event.RoomState](r)
		last := states[len(states)-1]
		windowOf50 := int64(50)
		if got := last.ReadBack[event.TopicWindow]; got < windowOf50-5 || got > windowOf50 {
			t.Errorf("windows are read back from %d, want just before %d, the one without an outcome", got, windowOf50)
		}
		var w event.Window
		for _, x := range all[event.Window](r) {
			if x.Members[0].DanmakuID == "d50" {
				w = x
			}
		}
		r.restart()
		r.run()
		if got := r.agg.Stats().Restored; got != 1 {
			t.Errorf("%d danmaku restored in flight, want 1", got)
		}
		repeated := r.danmaku("d280", "a280", "多少钱")
		r.put(repeated)
		r.put(answered(w)...)
		for range 20 {
			r.put(r.event(event.Like, nil))
			r.pass(time.Minute)
		}
		states = all[event.RoomState](r)
		if got := states[len(states)-1].ReadBack[event.TopicWindow]; got < 200 {
			t.Errorf("windows are read back from %d although nothing is unfinished", got)
		}
		r.check()
	})
}

func TestSnapshotIsSmall(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(w event.Window) []event.Event {
			return append([]event.Event{event.Delivery{
				Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public, State: event.DeliveryEnded,
				Text: strings.Repeat("好", 300), DanmakuIDs: []event.DanmakuID{w.Members[0].DanmakuID}, TimeMs: time.Now().UnixMilli(),
			}}, answered(w)...)
		}
		r.runTime = time.Second
		for i := range 5 {
			r.put(r.event(event.HostUtterance, func(e *event.RoomEvent) { e.Text = strings.Repeat("这一款今天有货", 100) }))
			r.say(fmt.Sprint("d", i), "a1", fmt.Sprintf("%d号", i+1)+strings.Repeat("这个材质和颜色各是什么样子", 20))
			r.pass(5 * time.Second)
		}
		w := r.windows(5)[4]
		b, err := json.Marshal(w.Context)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 2048 || len(w.Context.Dialogue) == 0 || len(w.Context.HostUtterances) == 0 {
			t.Errorf("snapshot of %d bytes: %s", len(b), b)
		}
	})
}

func TestDialogueIsTheViewersOwn(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.runTime = time.Second
		r.answer = func(w event.Window) []event.Event {
			return append([]event.Event{event.Delivery{
				Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public, State: event.DeliveryStarted,
				Text: "三号八十九元", DanmakuIDs: []event.DanmakuID{w.Members[0].DanmakuID}, TimeMs: time.Now().UnixMilli(),
			}}, answered(w)...)
		}
		r.say("d1", "a1", "3号多少钱")
		r.pass(2 * time.Second)
		r.say("d2", "a2", "4号多少钱")
		r.pass(2 * time.Second)
		r.say("d3", "a1", "那包邮吗")
		ws := r.windows(3)
		if len(ws[1].Context.Dialogue) != 0 {
			t.Errorf("another viewer's dialogue: %+v", ws[1].Context.Dialogue)
		}
		if d := ws[2].Context.Dialogue; len(d) != 1 || d[0].Question != "3号多少钱" || d[0].Answer != "三号八十九元" {
			t.Errorf("dialogue %+v", d)
		}
	})
}

// Who is merged into an answer has heard it, too: who joined before it is said, while it
// is, or asks when it has cooled down. Many of them leave others' dialogue its place.
func TestDialogueOfTheMerged(t *testing.T) {
	t.Parallel()
	speaks := func(r *rig) func(event.Window) []event.Event {
		return func(w event.Window) []event.Event {
			d := event.Delivery{
				Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public, State: event.DeliveryStarted,
				Text: "三号八十九元", TimeMs: time.Now().UnixMilli(),
			}
			for _, m := range w.Members {
				d.DanmakuIDs = append(d.DanmakuIDs, m.DanmakuID)
			}
			time.AfterFunc(2*time.Second, func() {
				d.State = event.DeliveryEnded
				if err := r.log.Publish(context.Background(), append([]event.Event{d}, answered(w)[1:]...)...); err != nil {
					r.t.Error(err)
				}
			})
			return []event.Event{reply(w), d}
		}
	}
	for _, restart := range []bool{false, true} {
		for _, first := range []string{"a1", "0"} { // an anonymous viewer has no dialogue
			inBubble(t, func(t *testing.T, r *rig) {
				r.answer = speaks(r)
				r.say("d1", first, "3号多少钱")
				r.say("d2", "a2", "3号价格")
				r.pass(4 * time.Second)
				if restart {
					r.restart()
					r.run()
				}
				r.say("d3", "a3", "3号什么价")
				r.pass(2 * time.Second)
				r.say("d4", "a4", "3号怎么卖")
				r.want("d4", "merged cooled_down")
				for i, asked := range []string{2: "3号价格", 3: "3号什么价", 4: "3号怎么卖"} {
					if asked == "" {
						continue
					}
					r.say(fmt.Sprint("f", i), fmt.Sprint("a", i), fmt.Sprintf("那%d件包邮吗", i))
					ws := all[event.Window](r)
					d := ws[len(ws)-1].Context.Dialogue
					if len(d) != 1 || d[0].Question != asked || d[0].Answer != "三号八十九元" {
						t.Errorf("after %s, restart %v: dialogue of a%d %+v, want one turn of %s", first, restart, i, d, asked)
					}
					r.pass(8 * time.Second)
				}
			})
		}
	}
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = speaks(r)
		r.say("d0", "a0", "4号防水吗")
		r.pass(8 * time.Second)
		for i := range 60 {
			r.say(fmt.Sprint("d1", i), fmt.Sprint("a1", i), "3号多少钱")
			r.pass(250 * time.Millisecond)
		}
		r.say("f", "a0", "那包邮吗")
		ws := all[event.Window](r)
		if d := ws[len(ws)-1].Context.Dialogue; len(d) != 1 || d[0].Question != "4号防水吗" {
			t.Errorf("dialogue after 60 of another question: %+v", d)
		}
	})
}

// What a viewer was told in private is known to be private, over a restart as well.
func TestDialogueSaysWhatWasPrivate(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.runTime = time.Second
		r.answer = func(w event.Window) []event.Event {
			m := w.Members[0]
			d := event.Delivery{
				Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public, State: event.DeliveryStarted,
				Text: "三号八十九元", DanmakuIDs: []event.DanmakuID{m.DanmakuID}, TimeMs: time.Now().UnixMilli(),
			}
			if m.DanmakuID == "d1" {
				d.Channel, d.State, d.ViewerID = event.Private, event.DeliverySent, m.ViewerID
			}
			return append([]event.Event{reply(w), d}, answered(w)[1:]...)
		}
		r.say("d1", "a1", "3号多少钱")
		r.pass(4 * time.Second)
		r.say("d2", "a1", "4号多少钱")
		r.pass(10 * time.Second) // a checkpoint
		r.restart()
		r.say("d3", "a1", "那包邮吗")
		if d := r.windows(3)[2].Context.Dialogue; len(d) != 2 || !d[0].Private || d[1].Private {
			t.Errorf("dialogue %+v", d)
		}
	})
}

// What a viewer was told is remembered over a restart, also when the windows it came
// from are not read back any more, and once only.
func TestDialogueSurvivesARestart(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{10 * time.Second, 5 * time.Minute} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.runTime = time.Second
			r.answer = func(w event.Window) []event.Event {
				started := event.Delivery{
					Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public, State: event.DeliveryStarted,
					Text: "三号八十九元", DanmakuIDs: []event.DanmakuID{w.Members[0].DanmakuID}, TimeMs: time.Now().UnixMilli(),
				}
				ended := started
				ended.State, ended.TimeMs = event.DeliveryEnded, started.TimeMs+2000
				return append([]event.Event{reply(w), started, ended}, answered(w)[1:]...)
			}
			r.say("d1", "a1", "3号多少钱")
			r.pass(4 * time.Second)
			r.put(r.event(event.HostUtterance, func(e *event.RoomEvent) { e.Text = "看这一款" }))
			r.step = 5 * time.Second
			r.pass(after)
			r.put(r.event(event.Like, nil))
			r.pass(10 * time.Second) // a checkpoint
			r.restart()
			r.say("d2", "a1", "那包邮吗")
			if d := r.windows(2)[1].Context.Dialogue; len(d) != 1 || d[0].Question != "3号多少钱" || d[0].Answer != "三号八十九元" {
				t.Errorf("after %v: dialogue %+v", after, d)
			}
		})
	}
}

// The last turns of a room are known, those of one viewer in their order; older ones
// make way.
func TestDialogueOfABusyRoom(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.runTime = 100 * time.Millisecond
		r.answer = func(w event.Window) []event.Event {
			return append([]event.Event{event.Delivery{
				Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public, State: event.DeliveryEnded,
				Text: "答" + string(w.Members[0].DanmakuID), DanmakuIDs: []event.DanmakuID{w.Members[0].DanmakuID}, TimeMs: time.Now().UnixMilli(),
			}}, answered(w)...)
		}
		ask := func(n int, viewer string) event.Window {
			r.say(fmt.Sprint("d", n), viewer, fmt.Sprintf("%d号适合%d斤的人吗", n%90+1, n))
			r.pass(time.Second)
			ws := all[event.Window](r)
			return ws[len(ws)-1]
		}
		for n := range 100 {
			ask(n, fmt.Sprint("a", n%12))
		}
		var got []string
		for _, turn := range ask(100, "a4").Context.Dialogue {
			got = append(got, turn.Answer)
		}
		if fmt.Sprint(got) != "[答d76 答d88]" {
			t.Errorf("dialogue %v, want the viewer's last turns, oldest first", got)
		}
		ask(101, "a99")
		for n := range 32 {
			ask(102+n, fmt.Sprint("ac", n))
		}
		if d := ask(200, "a99").Context.Dialogue; len(d) != 0 {
			t.Errorf("32 turns later: %v", d)
		}
	})
}

// A reply that is in the log twice, or names a danmaku of another window, gives nobody
// back twice: a restart understands it as the stage did before.
func TestRestoreOfRepeatedAndForeignReplies(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.say("d1", "a1", "3号多少钱")
			r.say("d2", "b2", "4号多少钱")
			ws := r.windows(2)
			back := reply(ws[0], "d1", "d1", "d2")
			if err := r.log.Publish(t.Context(), back, back); err != nil {
				t.Fatal(err)
			}
			if restart {
				r.restart()
			}
			r.run()
			r.pass(time.Second)
			again := r.windows(3)[2] // of d1, and of nobody else
			if len(again.Members) != 1 || again.Members[0].DanmakuID != "d1" {
				t.Fatalf("restart %v: given back %+v", restart, ids(r.windows(3)))
			}
			r.put(reply(ws[1], "d2"))
			second := r.windows(4)[3]
			r.put(reply(again, "d1"))
			r.put(answered(second)...)
			r.want("d1", "shed not_covered")
			r.want("d2", "answered reply")
		})
	}
}
