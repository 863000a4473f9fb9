package dispatcher_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"livehost/streams/event"
)

// limits opens the room with private text and edited limits.
func (r *rig) limits(edit func(*event.RoomSettings)) {
	s := &event.RoomSettings{Language: "zh", PrivateText: true}
	edit(s)
	r.in(event.RoomEvent{Schema: 1, EventID: "limits", RoomID: "r", Kind: event.RoomSettingsSet, TimeMs: r.clock.NowMs(), Settings: s})
}

// to makes all of the reply's askers one viewer.
func to(viewer event.ViewerID) func(*event.Reply) {
	return func(e *event.Reply) {
		for i := range e.Members {
			e.Members[i].ViewerID = viewer
		}
		for i := range e.Private {
			e.Private[i].ViewerID = viewer
		}
	}
}

func TestPrivateLimits(t *testing.T) {
	t.Parallel()
	bubble(t, "the same text to the same viewer", func(t *testing.T, r *rig) {
		r.limits(func(s *event.RoomSettings) { s.PrivateRepeatS = 60 })
		text := func(id, viewer, text string) {
			r.in(r.reply("w"+id, "", []string{id}, privately(id, text), to(event.ViewerID(viewer))))
			synctest.Wait()
		}
		text("a", "u1", "您的订单已发货")
		text("b", "u1", "您的订单已发货")
		text("c", "u2", "您的订单已发货")
		text("d", "u1", "明天送到")
		wait(60 * time.Second)
		text("e", "u1", "您的订单已发货")
		r.wantSent("u1: 您的订单已发货", "u1: 您的订单已发货", "u1: 明天送到", "u2: 您的订单已发货")
		r.wantOutcomes(map[event.DanmakuID]string{
			"a": "answered private_text", "b": "suppressed private_repeat", "c": "answered private_text", "d": "answered private_text", "e": "answered private_text",
		})
		for _, dl := range r.deliveryRecords() {
			if dl.State == event.DeliverySkipped && (dl.Reason != "private_repeat" || dl.ViewerID != "u1" || dl.Channel != event.Private) {
				t.Errorf("delivery %+v", dl)
			}
		}
		r.wantAcked("wa", "wb", "wc", "wd", "we")
	})
	bubble(t, "waits for the viewer's minute within the deadline", func(t *testing.T, r *rig) {
		r.limits(func(s *event.RoomSettings) { s.PrivatePerViewerMinute = 1 })
		r.in(r.reply("w1", "", []string{"a"}, privately("a", "第一条"), to("u1")))
		wait(30 * time.Second)
		r.in(r.reply("w2", "", []string{"b"}, privately("b", "太早"), to("u1")))
		r.in(r.reply("w3", "", []string{"c"}, privately("c", "别人"), to("u2")))
		wait(15 * time.Second)
		r.in(r.reply("w4", "", []string{"d"}, privately("d", "第二条"), to("u1")))
		synctest.Wait()
		r.wantSent("u1: 第一条", "u2: 别人")
		wait(15 * time.Second)
		r.wantSent("u1: 第一条", "u1: 第二条", "u2: 别人")
		r.wantOutcomes(map[event.DanmakuID]string{
			"a": "answered private_text", "b": "expired private_limit", "c": "answered private_text", "d": "answered private_text",
		})
	})
	bubble(t, "the room's minute is never exceeded", func(t *testing.T, r *rig) {
		r.limits(func(s *event.RoomSettings) { s.PrivatePerMinute = 5 })
		for i := range 60 {
			id := fmt.Sprint(i)
			r.in(r.reply("w"+id, "", []string{id}, privately(id, "文字"+id)))
			wait(2 * time.Second)
		}
		wait(30 * time.Second)
		var sent []int64
		for _, dl := range r.deliveryRecords() {
			if dl.State == event.DeliverySent {
				sent = append(sent, dl.TimeMs)
			}
		}
		for i := 5; i < len(sent); i++ {
			if sent[i]-sent[i-5] < 60_000 {
				t.Errorf("six texts in %d ms", sent[i]-sent[i-5])
			}
		}
		if len(sent) < 10 || len(sent) > 15 {
			t.Errorf("%d sent in two and a half minutes, 5 a minute allowed", len(sent))
		}
		if got := len(r.outcomes()); got != 60 {
			t.Errorf("%d of 60 have an outcome", got)
		}
	})
	bubble(t, "remembered over a restart, by the log", func(t *testing.T, r *rig) {
		r.limits(func(s *event.RoomSettings) { s.PrivateRepeatS = 60 })
		r.in(r.reply("w1", "", []string{"a"}, privately("a", "一样的"), to("u1")))
		wait(time.Second)
		r.stop()
		r.restart()
		r.in(r.reply("w2", "", []string{"b"}, privately("b", "一样的"), to("u1")))
		wait(time.Second)
		r.wantSent("u1: 一样的")
	})
	bubble(t, "what was not sent does not count", func(t *testing.T, r *rig) {
		r.limits(func(s *event.RoomSettings) { s.PrivateRepeatS, s.PrivatePerMinute = 600, 1 })
		r.out.sendErr = errAway
		r.in(r.reply("w1", "", []string{"a"}, privately("a", "一样的"), to("u1")))
		wait(25 * time.Second)
		r.out.sendErr = nil
		r.in(r.reply("w2", "", []string{"b"}, privately("b", "一样的"), to("u1")))
		wait(time.Second)
		r.wantSent("u1: 一样的")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "expired late", "b": "answered private_text"})
	})
	bubble(t, "a fact that changes while the text waits", func(t *testing.T, r *rig) {
		r.limits(func(s *event.RoomSettings) { s.PrivatePerMinute = 1 })
		r.in(r.reply("w1", "", []string{"a"}, privately("a", "第一条")))
		wait(50 * time.Second)
		r.in(r.reply("w2", "", []string{"b"}, privately("b", "三号89元"), price("3", "8900")))
		wait(time.Second)
		r.in(event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "3", PriceFen: fen(7900), TimeMs: r.clock.NowMs()})
		wait(15 * time.Second)
		r.wantSent("u-a: 第一条")
		if got := r.deliveries()["w2/test/b"]; len(got) != 1 || got[0] != event.DeliveryCancelled {
			t.Errorf("deliveries %v, want it handed back", got)
		}
	})
}

// TestPrivateTextSwitchedOff: a text that waits for its minute is not sent into a room that
// takes none any more.
func TestPrivateTextSwitchedOff(t *testing.T) {
	t.Parallel()
	bubble(t, "the room takes no private text any more", func(t *testing.T, r *rig) {
		r.limits(func(s *event.RoomSettings) { s.PrivatePerMinute = 1 })
		r.in(r.reply("w1", "", []string{"a"}, privately("a", "第一条")))
		wait(50 * time.Second)
		r.in(r.reply("w2", "", []string{"b"}, privately("b", "第二条")))
		wait(2 * time.Second)
		r.limits(func(s *event.RoomSettings) { s.PrivateText, s.PrivatePerMinute = false, 1 })
		wait(20 * time.Second)
		r.wantSent("u-a: 第一条")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered private_text", "b": "suppressed no_private_channel"})
		r.wantAcked("w1", "w2")
	})
}

// TestPrivateTextIsNobodyElses: a text that was written for one asker is neither spoken nor
// sent to another one who asks the same.
func TestPrivateTextIsNobodyElses(t *testing.T) {
	t.Parallel()
	bubble(t, "same question, same variant", func(t *testing.T, r *rig) {
		r.open(true)
		q := question("order/status", "harness")
		r.in(r.reply("w0", "正在说别的事情", []string{"z"}))
		synctest.Wait()
		r.in(r.reply("w1", "", []string{"a"}, q, privately("a", "您的订单8891已发货")))
		r.in(r.reply("w2", "在订单页能看到物流", []string{"b"}, q))
		r.in(r.reply("w3", "订单页能看到", []string{"c", "d"}, q, privately("d", "您的订单7702未付款")))
		wait(15 * time.Second)
		r.wantSaid("正在说别的事情", "订单页能看到")
		r.wantSent("u-a: 您的订单8891已发货")
	})
	bubble(t, "the other variant's askers", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", "在订单页能看到物流", []string{"a"}, question("order/status", "harness")))
		synctest.Wait()
		r.in(r.reply("w2", "物流在订单页", []string{"b", "c"}, question("order/status", "react-baseline"), privately("c", "您的订单7702未付款")))
		wait(15 * time.Second)
		r.wantSent("u-b: 物流在订单页", "u-c: 您的订单7702未付款")
	})
}
