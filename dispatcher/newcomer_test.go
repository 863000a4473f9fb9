package dispatcher_test

import (
	"testing"
	"time"

	"livehost/streams/event"
)

// merged is what the aggregator says of a danmaku that asks for what cover was just told.
func (r *rig) merged(id string, cover event.DanmakuID, edit ...func(*event.Outcome)) {
	nowMs := r.clock.NowMs()
	o := event.Outcome{
		Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: "r", ViewerID: event.ViewerID("u-" + id), State: event.Merged, Reason: "cooled_down",
		By: "aggregator", CoverID: cover, Variant: "harness", PlatformMs: nowMs, SpeakByMs: nowMs + 20_000, TimeMs: nowMs,
	}
	for _, f := range edit {
		f(&o)
	}
	r.in(o)
}

// Who asks for what the room was told a moment ago did not hear it: it is written to
// them, once, and their danmaku stay merged.
func TestNewcomers(t *testing.T) {
	t.Parallel()
	const answer = "三号89元"
	told := func(r *rig, private bool) {
		r.open(private)
		r.in(r.reply("w1", answer, []string{"a", "b"}, question("price/3", "harness"), price("3", "8900")))
		wait(5 * time.Second)
	}
	bubble(t, "who asks after it was said is written it", func(t *testing.T, r *rig) {
		told(r, true)
		r.merged("c", "b")
		r.merged("again", "a", func(o *event.Outcome) { o.ViewerID = "u-c" })            // has it now
		r.merged("asker", "a", func(o *event.Outcome) { o.ViewerID = "u-a" })            // heard it
		r.merged("waited", "a", func(o *event.Outcome) { o.PlatformMs -= 4900 })         // heard it while waiting
		r.merged("late", "a", func(o *event.Outcome) { o.SpeakByMs = o.PlatformMs - 1 }) //
		r.merged("other", "a", func(o *event.Outcome) { o.Variant = "react-baseline" })  // variants share no text
		r.merged("masked", "a", func(o *event.Outcome) { o.ViewerID = "0" })             // nobody to write to
		r.merged("chat", "a", func(o *event.Outcome) { o.SpeakByMs = 0 })                // not meant to be written
		r.merged("unknown", "nobody")                                                    // what covers it was never heard here
		r.merged("c", "b")                                                               // the record once more
		wait(10 * time.Second)
		r.wantSaid(answer)
		r.wantSent("u-c: " + answer)
		got := r.outcomes()
		for id := range got {
			if id != "a" && id != "b" && got[id] != "merged cooled_down" && id != "c" {
				t.Errorf("%s: %s", id, got[id])
			}
		}
		if got["c"] != "merged cooled_down AND merged cooled_down" { // those that were put in
			t.Errorf("c: %s", got["c"])
		}
		for _, dl := range r.deliveryRecords() {
			if dl.Channel == event.Private && (dl.State != event.DeliverySent || dl.ViewerID != "u-c" || dl.ReplyID != "w1" || len(dl.Facts) != 1 || dl.DanmakuIDs[0] != "c") {
				t.Errorf("%+v", dl)
			}
		}
	})
	bubble(t, "not without private text", func(t *testing.T, r *rig) {
		told(r, false)
		r.merged("c", "a")
		wait(10 * time.Second)
		r.wantSent()
	})
	bubble(t, "nor what is no longer right", func(t *testing.T, r *rig) {
		told(r, true)
		r.in(event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "3", PriceFen: fen(7900), TimeMs: r.clock.NowMs()})
		r.merged("c", "a")
		wait(10 * time.Second)
		r.wantSent()
	})
	bubble(t, "nor after the end", func(t *testing.T, r *rig) {
		told(r, true)
		r.in(event.RoomEvent{Schema: 1, EventID: "c", RoomID: "r", Kind: event.RoomClosed, TimeMs: r.clock.NowMs()})
		r.merged("c", "a")
		wait(10 * time.Second)
		r.wantSent()
	})
	bubble(t, "nor after a restart, when nobody knows who has it", func(t *testing.T, r *rig) {
		told(r, true)
		r.merged("c", "a")
		wait(time.Second)
		r.stop()
		r.restart()
		r.merged("d", "a", func(o *event.Outcome) { o.ViewerID = "u-c" })
		r.merged("e", "a")
		wait(5 * time.Second)
		r.wantSaid(answer)
		r.wantSent("u-c: " + answer)
	})
	bubble(t, "nor who was merged into it while it was said", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", answer, []string{"a"}, question("price/3", "harness"), price("3", "8900")))
		wait(time.Second)
		r.in(event.RoomEvent{Schema: 1, EventID: "s", RoomID: "r", Kind: event.RoomSettingsSet, TimeMs: r.clock.NowMs(), Settings: &event.RoomSettings{Language: "zh"}})
		r.in(r.reply("w2", answer, []string{"b"}, question("how much/3", "harness"), price("3", "8900")))
		wait(5 * time.Second)
		r.open(true) // of the same broadcast: private text is on again
		r.merged("again", "a", func(o *event.Outcome) { o.ViewerID = "u-b" })
		wait(5 * time.Second)
		r.wantSaid(answer)
		r.wantSent()
	})
	bubble(t, "what speaks to one by name is nobody else's", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", "小鹿您好，三号89元", []string{"a"}, func(e *event.Reply) { e.Members[0].ViewerName = "小鹿" }))
		wait(5 * time.Second)
		r.merged("c", "a")
		wait(5 * time.Second)
		r.wantSaid("小鹿您好，三号89元")
		r.wantSent()
	})
	bubble(t, "the room's minute stays for those who have no other answer", func(t *testing.T, r *rig) {
		r.limits(func(s *event.RoomSettings) { s.PrivatePerMinute = 4 })
		r.in(r.reply("w1", answer, []string{"a"}, question("price/3", "harness"), price("3", "8900")))
		wait(5 * time.Second)
		for _, id := range []string{"c", "d", "e", "f", "g"} {
			r.merged(id, "a")
			wait(time.Second)
		}
		r.in(r.reply("w2", "", []string{"o", "p"}, privately("o", "您的订单已发货"), privately("p", "明天送到")))
		wait(time.Second)
		r.wantSent("u-c: "+answer, "u-d: "+answer, "u-o: 您的订单已发货", "u-p: 明天送到")
	})
	bubble(t, "also when that is one text", func(t *testing.T, r *rig) {
		r.limits(func(s *event.RoomSettings) { s.PrivatePerMinute = 1 })
		r.in(r.reply("w1", answer, []string{"a"}, question("price/3", "harness"), price("3", "8900")))
		wait(5 * time.Second)
		r.merged("c", "a")
		wait(time.Second)
		r.in(r.reply("w2", "", []string{"o"}, privately("o", "您的订单已发货")))
		wait(time.Second)
		r.wantSent("u-o: 您的订单已发货")
	})
}
