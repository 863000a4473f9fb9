package dispatcher_test

import (
	"testing"
	"testing/synctest"
	"time"

	"livehost/streams/event"
)

func shadow(e *event.Reply) { e.Versions.Shadow = true }

// TestShadow: what a shadow release decided reaches nobody, is counted, and stands in
// nobody's way.
func TestShadow(t *testing.T) {
	t.Parallel()
	bubble(t, "neither voice nor private text nor outcome", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1.s", "影子的回答", []string{"a"}, shadow, privately("b", "影子的私信"), question("q1", "candidate")))
		r.in(r.reply("w2.s", "谢谢礼物", nil, shadow, func(e *event.Reply) { e.Kind, e.Class = event.EventWindow, event.ClassEvent }))
		synctest.Wait()
		r.in(r.reply("w1", "真正的回答", []string{"a"}, privately("b", "真正的私信"), question("q1", "harness")))
		r.in(r.reply("w3.s", "影子的另一个回答", []string{"a"}, shadow, question("q1", "candidate")))
		wait(10 * time.Second)
		r.wantSaid("真正的回答")
		r.wantSent("u-b: 真正的私信")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered private_text"})
		r.wantAcked("w1.s", "w2.s", "w3.s", "w1")
		counted := 0
		for _, dl := range r.deliveryRecords() {
			if !dl.Versions.Shadow {
				continue
			}
			if counted++; dl.State != event.DeliverySkipped || dl.Reason != "shadow" || len(dl.DanmakuIDs) != 0 || dl.StaleFact {
				t.Errorf("delivery %+v", dl)
			}
		}
		if counted != 3 {
			t.Errorf("%d shadow replies counted, want 3", counted)
		}
	})
	bubble(t, "a restart does not answer for it either", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1.s", "影子的回答", []string{"a"}, shadow))
		r.stop()
		clear(r.acks)
		r.restart()
		wait(5 * time.Second)
		r.wantSaid()
		r.wantOutcomes(map[event.DanmakuID]string{})
	})
	bubble(t, "a stale fact of a shadow reply hands nothing back", func(t *testing.T, r *rig) {
		r.in(event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "3", PriceFen: fen(7900), TimeMs: r.clock.NowMs()})
		r.in(r.reply("w1.s", "三号89元", []string{"a"}, shadow, price("3", "8900")))
		wait(5 * time.Second)
		for _, dl := range r.deliveryRecords() {
			if dl.StaleFact {
				t.Errorf("delivery %+v", dl)
			}
		}
	})
}
