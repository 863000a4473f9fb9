package dispatcher_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/streams/event"
)

// in another room than r.
func inRoom(room event.RoomID) func(*event.Reply) {
	return func(e *event.Reply) { e.RoomID = room }
}

// TestEqualIDsInTwoRooms: platforms number danmaku by room. What happened to one room's
// danmaku says nothing of another room's with the same id, although both are of one
// partition.
func TestEqualIDsInTwoRooms(t *testing.T) {
	t.Parallel()
	states := func(r *rig) (out []string) {
		r.log.mu.Lock()
		defer r.log.mu.Unlock()
		for _, e := range r.log.order {
			if o, ok := e.(event.Outcome); ok {
				out = append(out, string(o.RoomID)+" "+string(o.DanmakuID)+" "+string(o.State)+" "+o.Reason)
			}
		}
		return out
	}
	bubble(t, "answered in one room", func(t *testing.T, r *rig) {
		r.in(r.reply("w1", "第一间", []string{"1"}))
		wait(5 * time.Second)
		r.in(r.reply("w1", "第二间", []string{"1"}, inRoom("s")))
		wait(5 * time.Second)
		r.stop()
		r.restart()
		r.in(r.reply("w1", "第三间", []string{"1"}, inRoom("t")))
		wait(5 * time.Second)
		r.wantSaid("第一间", "第二间", "第三间")
		wantStrings(t, states(r), "r 1 answered spoken", "s 1 answered spoken", "t 1 answered spoken")
	})
	bubble(t, "cut off in one room by a kill", func(t *testing.T, r *rig) {
		r.in(r.reply("w1", "第一间说了一半的一句话", []string{"1"}))
		wait(time.Second)
		r.log.refusing(func(event.Event) error { return errAway })
		r.stopWithin(0)
		r.log.refusing(nil)
		r.inputs = append(r.inputs, r.log.append(r.reply("w1", "第二间", []string{"1"}, inRoom("s"))))
		r.restart()
		wait(5 * time.Second)
		wantStrings(t, states(r), "r 1 failed interrupted", "s 1 answered spoken")
	})
	bubble(t, "retracted in one room", func(t *testing.T, r *rig) {
		r.in(r.reply("w0", "正在说", []string{"0"}))
		r.in(r.reply("w0", "正在说", []string{"0"}, inRoom("s")))
		synctest.Wait()
		r.in(event.RoomEvent{Schema: 1, EventID: "x", RoomID: "r", Kind: event.DanmakuRetracted, DanmakuID: "1", TimeMs: r.clock.NowMs()})
		r.in(r.reply("w1", "不说了", []string{"1"}))
		r.in(r.reply("w1", "照说", []string{"1"}, inRoom("s")))
		wait(5 * time.Second)
		wantStrings(t, states(r), "r 1 retracted retracted", "r 0 answered spoken", "s 0 answered spoken", "s 1 answered spoken")
	})
	bubble(t, "handed back in one room", func(t *testing.T, r *rig) {
		r.in(event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "3", PriceFen: fen(7900), TimeMs: r.clock.NowMs()})
		r.in(r.reply("w1", "三号89元", []string{"1"}, price("3", "8900")))
		wait(time.Second)
		r.in(r.reply("w1", "三号89元", []string{"1"}, price("3", "8900"), inRoom("s")))
		wait(5 * time.Second)
		wantStrings(t, states(r), "s 1 answered spoken")
	})
}

// wantStrings compares without regard to order.
func wantStrings(t *testing.T, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
