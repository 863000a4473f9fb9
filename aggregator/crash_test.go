package aggregator_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"livehost/aggregator"
	"livehost/streams/event"
)

// evening is a short room that has everything: answers, merges, private answers,
// what is not covered, stale facts, silence, filters, retractions, gifts.
func evening(r *rig) {
	r.runTime = 1500 * time.Millisecond
	claims := map[string]bool{} // danmaku id and ask: the first window wins, as claims do
	ended := map[event.DanmakuID]bool{}
	replied := map[event.WindowID]bool{}
	r.answer = func(w event.Window) []event.Event {
		if replied[w.WindowID] {
			return nil
		}
		replied[w.WindowID] = true
		return play(w, claims, ended)
	}
	r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) {
		e.BroadcastID, e.Settings = "b1", &event.RoomSettings{Language: "zh", PrivateText: true, EventReply: true}
	}))
	r.put(r.event(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = "1" }))
	for i := range 14 {
		viewer := fmt.Sprint(string("ab"[i%2]), i)
		r.say(fmt.Sprint("price", i), viewer, []string{"多少钱", "价格"}[i%2])
		r.say(fmt.Sprint("again", i), viewer, fmt.Sprintf("%d号防水吗", i+1))
		r.say(fmt.Sprint("emoji", i), viewer, "[赞][赞]")
		switch i {
		case 3:
			r.say("stale", "a3", "3号有货吗")
			r.put(r.event(event.ProductChanged, func(e *event.RoomEvent) { e.LinkID = "1" }))
		case 5:
			r.say("private1", "a5", "我的快递到哪了")
			r.say("uncovered", "a6", "5号怎么洗")
			r.put(r.event(event.Gift, func(e *event.RoomEvent) { e.ViewerID, e.GiftName, e.Count = "a9", "Rose", 1 }))
		case 7:
			r.say("quiet", "a7", "哈哈哈")
			r.say("quiet2", "a8", "哈哈")
			r.put(r.event(event.DanmakuRetracted, func(e *event.RoomEvent) { e.DanmakuID = "again7" }))
			r.put(r.event(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = "2" }))
		}
		r.pass(400 * time.Millisecond)
	}
	r.pass(10 * time.Second)
	r.step = time.Second
	r.pass(35 * time.Second)
}

// play is what the other stages write for a window.
func play(w event.Window, claims map[string]bool, ended map[event.DanmakuID]bool) []event.Event {
	rep := reply(w)
	out := []event.Event{}
	for _, m := range w.Members {
		claim := fmt.Sprintf("%s %d %s", m.DanmakuID, m.Ask, "")
		if m.DanmakuID == "uncovered" && !claims[claim+"returned"] {
			claims[claim+"returned"] = true
			rep.NotCovered = append(rep.NotCovered, m.DanmakuID)
			continue
		}
		if claims[claim] || ended[m.DanmakuID] {
			continue
		}
		claims[claim] = true
		switch {
		case m.DanmakuID == "stale" && m.Ask == 1:
			out = append(out, event.Delivery{
				Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public,
				State: event.DeliveryCancelled, StaleFact: true, DanmakuIDs: []event.DanmakuID{m.DanmakuID}, TimeMs: time.Now().UnixMilli(),
			})
			continue
		case m.DanmakuID == "private1":
			out = append(out, outcomeOf(w, m.DanmakuID, event.Answered, event.Private))
		case m.Intent == "low_info":
			out = append(out, outcomeOf(w, m.DanmakuID, event.Silent, ""))
		default:
			out = append(out, outcomeOf(w, m.DanmakuID, event.Answered, event.Public))
		}
		ended[m.DanmakuID] = true
	}
	return append([]event.Event{rep}, out...)
}

// check is the conservation law.
func (r *rig) check() {
	r.t.Helper()
	got := r.outcomes()
	for _, d := range all[event.Danmaku](r) {
		if got[string(d.DanmakuID)] == "" {
			r.t.Errorf("%s has no outcome", d.DanmakuID)
		}
	}
	live := map[string]event.WindowID{}
	for _, w := range all[event.Window](r) {
		for _, m := range w.Members {
			key := fmt.Sprint(m.DanmakuID, m.Ask)
			if m.DanmakuID != "uncovered" && live[key] != "" && live[key] != w.WindowID {
				r.t.Errorf("%s is in windows %s and %s", key, live[key], w.WindowID)
			}
			live[key] = w.WindowID
		}
	}
	for _, rec := range r.records() {
		if consumed(rec) && !r.committed(rec) {
			r.t.Errorf("%s %d is not acknowledged", rec.Topic, rec.Offset)
		}
	}
}

// Killed at every publish, before and after it reached the log, each danmaku still
// ends once.
func TestCrashAtEveryPublish(t *testing.T) {
	t.Parallel()
	total := int64(0)
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, aggregator.DefaultConfig())
		evening(r)
		r.check()
		r.stop()
		total = r.publishes.Load()
		states := map[string]int{}
		for _, s := range r.outcomes() {
			states[s]++
		}
		t.Logf("%d publishes, states %v", total, states)
	})
	if total < 40 {
		t.Fatalf("only %d publishes", total)
	}
	step := int64(1)
	if testing.Short() {
		step = 7
	}
	for at := int64(1); at <= total; at += step {
		for _, landed := range []bool{false, true} {
			ok := t.Run(fmt.Sprintf("%d landed %v", at, landed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, aggregator.DefaultConfig())
					r.crashAt, r.landed = at, landed
					evening(r)
					r.check()
					r.stop()
				})
			})
			if !ok {
				return // one trace is enough to read
			}
		}
	}
}
