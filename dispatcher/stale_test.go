package dispatcher_test

import (
	"testing"
	"testing/synctest"
	"time"

	"livehost/streams/event"
)

// costs is a room event that link 3 costs something else now.
func (r *rig) costs(fen int64, edit ...func(*event.RoomEvent)) {
	e := event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "3", PriceFen: &fen, TimeMs: r.clock.NowMs()}
	for _, f := range edit {
		f(&e)
	}
	r.in(e)
}

// quick is a run of half a second.
func quick(e *event.Reply) { e.Timing.RunMs = 500 }

// TestStaleAnswerStandsForNobody: what was said, or is being said, and is no longer right
// keeps no right answer from being heard.
func TestStaleAnswerStandsForNobody(t *testing.T) {
	t.Parallel()
	const old, new = "三号现在是89元，详情页里有尺码表，大家可以看看", "三号79元"
	harness, baseline := question("price:3", "harness"), question("price:3", "react-baseline")
	bubble(t, "the price changes while it is said", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", old, []string{"a"}, harness, price("3", "8900")))
		wait(time.Second)
		r.costs(7900)
		wait(time.Second)
		r.in(r.reply("w2", new, []string{"b"}, baseline, price("3", "7900"), quick))
		wait(15 * time.Second)
		r.in(r.reply("w3", "三号现在79元", []string{"c"}, harness, price("3", "7900"), quick)) // heard, of the other variant
		wait(10 * time.Second)
		r.wantSaid(old, new)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered spoken", "c": "merged heard_other_variant"})
	})
	bubble(t, "after it was followed", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", old, []string{"a"}, harness, price("3", "8900")))
		wait(time.Second)
		r.in(r.reply("w2", new, []string{"b"}, baseline, price("3", "7900"), quick))     // its tools knew before the room
		r.in(r.reply("w3", "三号89元", []string{"c"}, baseline, price("3", "8900"), quick)) // asked again
		r.costs(7900)
		wait(15 * time.Second)
		r.wantSaid(old, new)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered spoken"})
	})
	bubble(t, "in the same words", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", "三号有优惠，大家看看", []string{"a"}, harness, price("3", "8900")))
		wait(time.Second)
		r.costs(7900)
		wait(10 * time.Second)
		r.in(r.reply("w2", "三号有优惠，大家看看", []string{"b"}, harness, price("3", "7900"), quick))
		wait(10 * time.Second)
		r.wantSaid("三号有优惠，大家看看", "三号有优惠，大家看看")
	})
	bubble(t, "nobody is written what went stale while it was said", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", old, []string{"a"}, harness, price("3", "8900")))
		wait(time.Second)
		r.costs(7900)
		wait(10 * time.Second)
		r.merged("c", "a")
		wait(5 * time.Second)
		r.wantSent()
	})
	for name, changed := range map[string]bool{"after a restart": true, "after a restart, as it was": false} {
		bubble(t, name, func(t *testing.T, r *rig) {
			r.open(false)
			r.costs(9900) // the tools know better: with the coupon it is 89
			wait(5 * time.Second)
			r.in(r.reply("w1", "三号89元", []string{"a"}, harness, price("3", "8900")))
			wait(5 * time.Second)
			if changed {
				r.costs(7900)
			}
			wait(time.Second)
			r.stop()
			r.restart()
			wait(time.Second)
			r.in(r.reply("w2", new, []string{"b"}, baseline, price("3", "7900"), quick))
			wait(10 * time.Second)
			if changed {
				r.wantSaid("三号89元", new)
				return
			}
			r.wantSaid("三号89元")
			r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "merged heard_other_variant"})
		})
	}
}

// TestSameWordsOfOtherGoods: words alone do not tell what an answer is about.
func TestSameWordsOfOtherGoods(t *testing.T) {
	t.Parallel()
	const words = "这款现在89元"
	three, five := question("price:3", "harness"), question("price:5", "harness")
	bubble(t, "those that wait", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w0", "正在说别的事情哦请稍等一下", []string{"z"}))
		synctest.Wait()
		r.in(r.reply("w1", words, []string{"a"}, three, price("3", "8900")))
		wait(100 * time.Millisecond)
		r.in(r.reply("w2", words, []string{"b"}, five, price("5", "8900")))
		wait(100 * time.Millisecond)
		r.costs(7900)
		wait(15 * time.Second)
		r.wantSaid("正在说别的事情哦请稍等一下", words)
		r.wantOutcomes(map[event.DanmakuID]string{"z": "answered spoken", "b": "answered spoken"}) // a is asked again
	})
	bubble(t, "what is said, and was", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", words, []string{"a"}, three, price("3", "8900")))
		wait(time.Second)
		r.in(r.reply("w2", words, []string{"b"}, five, price("5", "8900")))
		wait(10 * time.Second)
		for id, link := range map[string]string{"c": "3", "d": "5"} { // each was heard
			r.in(r.reply("w"+id, words, []string{id}, question("size:"+link, "harness"), price(link, "8900")))
		}
		wait(10 * time.Second)
		r.wantSaid(words, words)
		r.wantOutcomes(map[event.DanmakuID]string{
			"a": "answered spoken", "b": "answered spoken", "c": "merged same_words", "d": "merged same_words",
		})
	})
	bubble(t, "of the other variant, after a restart", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", words, []string{"a"}, three, price("3", "8900")))
		wait(5 * time.Second)
		r.stop()
		r.restart()
		r.in(r.reply("w2", words, []string{"b"}, question("price:5", "react-baseline"), price("5", "8900")))
		wait(10 * time.Second)
		r.wantSaid(words, words)
	})
	bubble(t, "stock that sells is the same stock", func(t *testing.T, r *rig) {
		stock := func(n string) func(*event.Reply) {
			return func(e *event.Reply) { e.Facts = []event.Fact{{Kind: "stock", LinkID: "3", Value: n}} }
		}
		r.open(false)
		r.in(r.reply("w1", "三号有货", []string{"a"}, question("stock:3", "harness"), stock("12")))
		wait(5 * time.Second)
		r.in(r.reply("w2", "三号有货", []string{"b"}, question("size:3", "harness"), stock("11")))
		wait(10 * time.Second)
		r.wantSaid("三号有货")
	})
}

// TestPlatformClock: since when a price is another is told by our clock, whatever the
// platform's says, after a restart too.
func TestPlatformClock(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]time.Duration{"behind": -3 * time.Second, "hours behind": -8 * time.Hour, "right": 0, "ahead": 3 * time.Second, "hours ahead": 8 * time.Hour} {
		for _, restart := range []bool{false, true} {
			bubble(t, name, func(t *testing.T, r *rig) {
				platform := func(e *event.RoomEvent) { e.TimeMs += off.Milliseconds() }
				r.open(false)
				r.in(r.reply("w0", "正在说别的事情哦请稍等一下，马上就来说三号链接", []string{"z"}))
				synctest.Wait()
				before := r.reply("w1", "三号89元", []string{"a"}, price("3", "8900"), quick)
				r.in(before)
				wait(time.Second)
				r.costs(7900, platform)
				wait(time.Second)
				if restart {
					r.stop()
					r.restart()
				}
				r.in(r.reply("w2", "三号大码89元", []string{"b"}, price("3", "8900"), quick)) // its tools knew
				wait(15 * time.Second)
				r.wantSaid("正在说别的事情哦请稍等一下，马上就来说三号链接", "三号大码89元")
			})
		}
	}
}

// TestFollowerRetracts: who was to hear another variant's answer and takes the question back
// is not merged into it.
func TestFollowerRetracts(t *testing.T) {
	t.Parallel()
	bubble(t, "before it began", func(t *testing.T, r *rig) {
		r.log.refusing(func(e event.Event) error {
			if dl, ok := e.(event.Delivery); ok && dl.State == event.DeliveryStarted {
				return errAway
			}
			return nil
		})
		r.in(r.reply("w1", "三号有货", []string{"a"}, question("q", "harness")))
		wait(time.Second)
		r.in(r.reply("w2", "有货的", []string{"b", "c"}, question("q", "react-baseline")))
		r.in(event.RoomEvent{Schema: 1, EventID: "x", RoomID: "r", Kind: event.DanmakuRetracted, DanmakuID: "b", TimeMs: r.clock.NowMs()})
		r.log.refusing(nil)
		wait(10 * time.Second)
		r.wantSaid("三号有货")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "retracted retracted", "c": "merged heard_other_variant"})
		r.wantAcked("w1", "w2")
	})
}
