package dispatcher_test

import (
	"testing"
	"testing/synctest"
	"time"

	"livehost/streams/event"
)

func TestSameWords(t *testing.T) {
	t.Parallel()
	const which = "您问的是几号链接呀"
	bubble(t, "what was just said is written to the next asker", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", which, []string{"a"}, question("怎么用", "harness")))
		wait(time.Second)
		r.in(r.reply("w2", which, []string{"b"}, question("多久一次", "harness"))) // while it is said
		wait(5 * time.Second)
		r.in(r.reply("w3", which, []string{"c"}, question("干皮能用吗", "react-baseline"))) // a moment later
		wait(30 * time.Second)
		r.in(r.reply("w4", which, []string{"d"}, question("适合谁", "harness"))) // when it is forgotten
		wait(10 * time.Second)
		r.wantSaid(which, which)
		r.wantSent("u-b: "+which, "u-c: "+which)
		r.wantOutcomes(map[event.DanmakuID]string{
			"a": "answered spoken", "b": "answered private_text", "c": "answered private_text", "d": "answered spoken",
		})
		r.wantAcked("w1", "w2", "w3", "w4")
	})
	bubble(t, "who cannot be written to has heard it", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", which, []string{"a"}, question("怎么用", "harness")))
		wait(time.Second)
		r.in(r.reply("w2", which, []string{"b"}, question("多久一次", "harness")))
		wait(5 * time.Second)
		r.in(r.reply("w3", which, []string{"c"}))
		r.in(r.reply("w4", which, []string{"d"}, question("干皮能用吗", "react-baseline")))
		wait(10 * time.Second)
		r.wantSaid(which)
		r.wantOutcomes(map[event.DanmakuID]string{
			"a": "answered spoken", "b": "merged same_words", "c": "merged same_words", "d": "merged heard_other_variant",
		})
		r.wantAcked("w1", "w2", "w3", "w4")
		for _, e := range r.log.order {
			if o, ok := e.(event.Outcome); ok && o.State == event.Merged && o.CoverID != "a" {
				t.Errorf("merged into %q, want a", o.CoverID)
			}
		}
	})
	bubble(t, "who watches the next broadcast has heard nothing", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", which, []string{"a"}))
		wait(5 * time.Second)
		r.in(event.RoomEvent{Schema: 1, EventID: "c", RoomID: "r", Kind: event.RoomClosed, TimeMs: r.clock.NowMs()})
		r.open(false)
		r.in(r.reply("w2", which, []string{"b"}))
		wait(10 * time.Second)
		r.wantSaid(which, which)
	})
	bubble(t, "nor after a restart", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", which, []string{"a"}))
		wait(5 * time.Second)
		r.in(event.RoomEvent{Schema: 1, EventID: "c", RoomID: "r", Kind: event.RoomClosed, TimeMs: r.clock.NowMs()})
		r.open(false)
		r.stop()
		r.restart()
		r.in(r.reply("w2", which, []string{"b"}))
		wait(10 * time.Second)
		r.wantSaid(which, which)
	})
	bubble(t, "those that wait are one voice", func(t *testing.T, r *rig) {
		r.in(r.reply("w0", "正在说别的事情", []string{"z"}))
		synctest.Wait()
		r.in(r.reply("w1", which, []string{"a"}, question("怎么用", "harness")))
		wait(100 * time.Millisecond)
		r.in(r.reply("w2", which, []string{"b"}, question("多久一次", "harness")))
		wait(10 * time.Second)
		r.wantSaid("正在说别的事情", which)
		r.wantOutcomes(map[event.DanmakuID]string{"z": "answered spoken", "a": "answered spoken", "b": "answered spoken"})
	})
	bubble(t, "a fact that changed since makes it worth saying", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", "三号还有货", []string{"a"}, price("3", "8900")))
		wait(5 * time.Second)
		r.in(event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "3", PriceFen: fen(7900), TimeMs: r.clock.NowMs()})
		wait(time.Second)
		r.in(r.reply("w2", "三号还有货", []string{"b"}, price("3", "7900")))
		wait(5 * time.Second)
		r.wantSaid("三号还有货", "三号还有货")
	})
	bubble(t, "known again after a restart", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", which, []string{"a"}))
		wait(5 * time.Second)
		r.stop()
		r.restart()
		r.in(r.reply("w2", which, []string{"b"}))
		wait(5 * time.Second)
		r.wantSaid(which)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "merged same_words"})
	})
	bubble(t, "an event is not thanked for twice in the same words", func(t *testing.T, r *rig) {
		gift := func(e *event.Reply) { e.Kind, e.Class = event.EventWindow, event.ClassEvent }
		r.in(r.reply("w1", "谢谢大家的点赞", nil, gift))
		wait(5 * time.Second)
		r.in(r.reply("w2", "谢谢大家的点赞", nil, gift))
		wait(5 * time.Second)
		r.wantSaid("谢谢大家的点赞")
		r.wantAcked("w1", "w2")
	})
}
