package aggregator_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"livehost/aggregator"
	"livehost/streams/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSingleWindow(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = answered
		r.say("d1", "a1", "这个多少钱[玫瑰]")
		w := r.windows(1)[0]
		m := w.Members[0]
		if w.Mode != event.Single || w.Kind != event.DanmakuWindow || w.Variant != "control" || w.Class != event.ClassPurchase || m.Intent != "price" ||
			m.Question != "这个多少钱" || m.Text != "这个多少钱[玫瑰]" || w.AnswerByMs-w.EarliestMs != 15_000 || w.SpeakByMs-w.EarliestMs != 20_000 || m.Ask != 1 {
			t.Errorf("window %+v", w)
		}
		r.want("d1", "")
		r.pass(4 * time.Second)
		r.want("d1", "answered reply")
		if !r.committed(r.records()[0]) {
			t.Error("record not acknowledged after its outcome")
		}
		kinds := map[event.ExposureKind]int{}
		for _, e := range all[event.Exposure](r) {
			kinds[e.Kind]++
		}
		if kinds[event.Bucketed] != 1 || kinds[event.Exposed] != 1 {
			t.Errorf("exposures %v", kinds)
		}
	})
}

func TestFilteredIsAcknowledgedAtOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		for i, tt := range []struct {
			text, want string
			set        func(*event.Danmaku)
		}{
			{"[dog][dog]", "filtered emoji_only", nil},
			{"加微信领券", "filtered contact_bait", nil},
			{"欢迎来到直播间", "filtered host", func(d *event.Danmaku) { d.Host = true }},
			{"多少钱", "filtered mirror", func(d *event.Danmaku) { d.Mirror = true }},
			{"多少钱", "expired too_old", func(d *event.Danmaku) { d.PlatformTimeMs -= 16_000 }},
		} {
			d := r.danmaku(fmt.Sprint("d", i), "a1", tt.text)
			if tt.set != nil {
				tt.set(&d)
			}
			r.put(d)
			r.want(string(d.DanmakuID), tt.want)
		}
		r.windows(0)
		for _, rec := range r.records() {
			if rec.Topic == event.TopicDanmaku && !r.committed(rec) {
				t.Errorf("record %d not acknowledged", rec.Offset)
			}
		}
		hits := all[event.GuardrailHit](r)
		if len(hits) != 1 || hits[0].Rule != "contact_bait" || hits[0].Span == "" {
			t.Errorf("hits %+v", hits)
		}
	})
}

func TestP01RepeatedPlatformIDGetsNoOutcome(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = answered
		first := r.danmaku("d1", "a1", "多少钱")
		r.put(first)
		r.put(first)
		r.pass(5 * time.Second)
		r.step = time.Second
		for i := range 20 {
			r.pass(2 * time.Minute)
			r.say(fmt.Sprint("chat", i), "a2", "[赞]")
			if i%5 == 4 { // with every reconnect
				r.put(first)
			}
		}
		r.want("d1", "answered reply")
		r.windows(1)
		if got := r.agg.Stats().Duplicates; got != 5 {
			t.Errorf("%d duplicates counted, want 5", got)
		}
	})
}

func TestP54AnonymousViewersGetControlAndNoExposure(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		for i := range 10 {
			r.say(fmt.Sprint("d", i), "0", fmt.Sprintf("%d号多少钱", i+1))
		}
		if got := all[event.Exposure](r); len(got) != 0 {
			t.Errorf("exposures %v", got)
		}
		for i := range 10 {
			r.want(fmt.Sprint("d", i), "")
		}
	})
}

// A backlog makes multi windows; at most two windows of a variant are in flight,
// and no window mixes variants.
func TestClosedLoop(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		for i := range 12 {
			r.say(fmt.Sprint("a", i), fmt.Sprint("a", i), fmt.Sprintf("%d号多少钱", i+1))
			r.say(fmt.Sprint("b", i), fmt.Sprint("b", i), fmt.Sprintf("%d号多少钱", i+1))
		}
		ws := r.windows(4)
		for _, w := range ws {
			if w.Mode != event.Single {
				t.Errorf("first windows: %s", w.Mode)
			}
		}
		r.pass(time.Second)
		r.put(answered(ws[0])...)
		next := r.windows(5)[4]
		if next.Mode != event.Multi || len(next.Members) != 8 || next.Variant != ws[0].Variant || next.QuestionKey != "" {
			t.Errorf("after a reply: %s of %d members, variant %s, key %q", next.Mode, len(next.Members), next.Variant, next.QuestionKey)
		}
		for _, m := range next.Members {
			if m.ViewerID[0] != 'a' {
				t.Errorf("member of another variant: %s", m.ViewerID)
			}
		}
	})
}

func TestP27SameQuestionIsMergedIntoOnePublicAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = answered
		asked := []string{"多少钱", "价格", "几块", "怎么卖"}
		for i := range 20 {
			r.say(fmt.Sprint("d", i), fmt.Sprint("a", i), asked[i%len(asked)])
			r.pass(500 * time.Millisecond)
		}
		r.say("again", "a1", "多少钱")
		r.pass(5 * time.Second)
		r.want("d0", "answered reply")
		r.want("d1", "merged same_question")
		r.want("again", "merged cooled_down")
		r.want("d15", "merged cooled_down")
		r.windows(1)
		for _, o := range all[event.Outcome](r) {
			if o.State == event.Merged && (o.CoverID != "d0" || o.ReplyMs == 0) {
				t.Errorf("merged outcome %+v", o)
			}
			heard := o.DanmakuID == "again"                                 // had joined before it was said
			if (o.SpeakByMs > 0) != (o.Reason == "cooled_down" && !heard) { // who asks after it was said may be written it
				t.Errorf("%s %s: speak_by_ms %d", o.DanmakuID, o.Reason, o.SpeakByMs)
			}
		}
	})
}

func TestPrivateAnswerCoversNobody(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(w event.Window) []event.Event {
			out := []event.Event{reply(w)}
			for _, m := range w.Members {
				out = append(out, outcomeOf(w, m.DanmakuID, event.Answered, event.Private))
			}
			return out
		}
		r.say("d1", "a1", "3号多少钱")
		r.say("d2", "a2", "3号多少钱")
		r.say("d3", "a3", "3号多少钱")
		r.pass(8 * time.Second)
		for _, d := range []string{"d1", "d2", "d3"} {
			r.want(d, "answered reply")
		}
	})
}

func TestSilenceIsTheirsToo(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(w event.Window) []event.Event {
			return []event.Event{reply(w), outcomeOf(w, w.Members[0].DanmakuID, event.Silent, "")}
		}
		r.say("d1", "a1", "哈哈")
		r.say("d2", "a2", "哈哈哈哈")
		r.pass(4 * time.Second)
		r.want("d2", "silent reply")
		r.windows(1)
	})
}

func TestNotCoveredComesBackOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = func(w event.Window) []event.Event { return []event.Event{reply(w, w.Members[0].DanmakuID)} }
		r.runTime = time.Second
		r.say("d1", "a1", "3号多少钱")
		r.pass(5 * time.Second)
		ws := r.windows(2)
		if ws[0].WindowID == ws[1].WindowID || ws[1].Members[0].Ask != 1 {
			t.Errorf("second window %s, ask %d", ws[1].WindowID, ws[1].Members[0].Ask)
		}
		r.want("d1", "shed not_covered")
	})
}

func TestStaleFactIsAskedAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.runTime = time.Second
		r.answer = func(w event.Window) []event.Event {
			return []event.Event{reply(w), event.Delivery{
				Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public,
				State: event.DeliveryCancelled, StaleFact: true, DanmakuIDs: []event.DanmakuID{w.Members[0].DanmakuID}, TimeMs: time.Now().UnixMilli(),
			}}
		}
		r.say("d1", "a1", "3号多少钱")
		r.pass(1500 * time.Millisecond)
		if w := r.windows(2)[1]; w.Members[0].Ask != 2 {
			t.Errorf("ask %d, want 2", w.Members[0].Ask)
		}
		r.pass(5 * time.Second)
		r.want("d1", "expired stale_fact")
	})
}

func TestP70Retraction(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		retract := func(id event.DanmakuID) {
			r.put(r.event(event.DanmakuRetracted, func(e *event.RoomEvent) { e.EventID, e.DanmakuID = "x"+string(id), id }))
		}
		retract("early")
		r.say("early", "a1", "多少钱")
		r.want("early", "retracted retracted")
		for i := range 4 {
			r.say(fmt.Sprint("d", i), fmt.Sprint("a", i), fmt.Sprintf("%d号多少钱", i+1))
		}
		retract("d0") // in a window: its holder's
		retract("d3") // waits
		r.want("d0", "")
		r.want("d3", "retracted retracted")
	})
}

func TestP63FocusAtTheCommentsTime(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		focus := func(link event.LinkID) event.RoomEvent {
			return r.event(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = link })
		}
		r.put(focus("1"))
		r.pass(2 * time.Second)
		asked := r.danmaku("d1", "a1", "这个多少钱")
		r.pass(2 * time.Second)
		r.put(focus("2"))
		r.put(asked) // comes after the switch
		r.say("d2", "a2", "这个多少钱")
		ws := r.windows(2)
		if a, b := ws[0].Members[0], ws[1].Members[0]; a.FocusLink != "1" || b.FocusLink != "2" || a.Key == b.Key || ws[0].Context.FocusLink != "1" {
			t.Errorf("focus %q and %q", a.FocusLink, b.FocusLink)
		}
	})
}

// A focus change that comes late is heeded by all that wait, however they hang together.
func TestP63FocusChangeComesLate(t *testing.T) {
	t.Parallel()
	for _, flying := range []bool{false, true} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.answer, r.runTime = answered, time.Second
			r.put(r.event(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = "1" }))
			if !flying { // all wait
				r.say("x1", "a8", "88号多少钱")
				r.say("x2", "a9", "89号多少钱")
			}
			before := map[string]event.LinkID{"d1": "1", "d2": "1"}
			r.say("d1", "a1", "这个多少钱")
			r.say("d2", "a2", "这个多少钱")
			r.pass(100 * time.Millisecond)
			change := r.event(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = "2" })
			r.pass(100 * time.Millisecond)
			r.say("d3", "a3", "这个多少钱")
			r.say("d4", "a4", "这个多少钱")
			r.say("named", "a5", "6号多少钱")
			r.say("with it", "a6", "6号多少钱")
			r.put(change)
			r.pass(20 * time.Second)
			answers := map[event.DanmakuID]event.LinkID{} // of whom the agent was asked
			for _, w := range all[event.Window](r) {
				for _, m := range w.Members {
					answers[m.DanmakuID] = m.FocusLink
				}
			}
			got := map[string]event.LinkID{}
			for _, o := range all[event.Outcome](r) {
				by := o.DanmakuID
				if o.State == event.Merged {
					by = o.CoverID
				}
				got[string(o.DanmakuID)] = answers[by]
			}
			before["d3"], before["d4"] = "2", "2"
			for id, want := range before {
				if got[id] != want {
					t.Errorf("flying %v: %s is answered about %q, want %q", flying, id, got[id], want)
				}
			}
			r.want("with it", "merged same_question")
			r.check()
		})
	}
}

// Five danmaku a second of two variants, eight in a window, two windows in
// flight per variant, 3.4 s a run: everybody is served.
func TestBusiestRoomIsServed(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer, r.runTime = answered, 3400*time.Millisecond
		for i := range 300 {
			r.say(fmt.Sprint("d", i), fmt.Sprint(string("ab"[i%2]), i), fmt.Sprintf("%d号适合%d岁吗", i%90+1, i))
			r.pass(200 * time.Millisecond)
		}
		r.pass(20 * time.Second)
		states := map[event.State]int{}
		for _, o := range all[event.Outcome](r) {
			states[o.State]++
		}
		if states[event.Answered] < 295 {
			t.Errorf("states %v, want nearly all of 300 answered", states)
		}
	})
}

// Far more than capacity: chat goes first, everything ends, nothing waits past
// its deadline.
func TestOverloadShedsChatFirst(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer, r.runTime = answered, 3400*time.Millisecond
		n := 0
		for range 40 {
			for range 20 {
				r.say(fmt.Sprint("q", n), fmt.Sprint("a", n), fmt.Sprintf("%d号能送到%d区吗", n%90+1, n))
				r.say(fmt.Sprint("c", n), fmt.Sprint("a", n), fmt.Sprintf("第%d次来支持", n))
				n++
			}
			r.pass(500 * time.Millisecond)
		}
		r.pass(40 * time.Second)
		states := map[string]int{}
		for _, o := range all[event.Outcome](r) {
			states[string(o.DanmakuID[0])+" "+string(o.State)+" "+o.Reason]++
		}
		if states["q shed capacity"] == 0 || states["c shed capacity_low_class"] < 500 || states["q answered reply"] < 100 {
			t.Errorf("states %v", states)
		}
		if got := r.outcomes(); len(got) != 2*n {
			t.Errorf("%d outcomes of %d danmaku", len(got), 2*n)
		}
	})
}

// One viewer who asks twenty times a second takes from nobody: what others ask, also of
// a lower class, goes first.
func TestOneViewerTakesNoShareOfOthers(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer, r.runTime = answered, 3400*time.Millisecond
		for i := range 400 {
			r.say(fmt.Sprint("one", i), "a1", fmt.Sprintf("%d号%d斤穿什么码", i%90+1, i))
			if i%10 == 0 {
				r.say(fmt.Sprint("other", i), fmt.Sprint("a", i+10), fmt.Sprintf("我%d岁能用吗", i))
			}
			r.pass(50 * time.Millisecond)
		}
		r.pass(40 * time.Second)
		served := 0
		for id, o := range r.outcomes() {
			if id[:2] == "ot" && o == "answered reply" {
				served++
			}
		}
		if served < 30 {
			t.Errorf("%d of 40 other viewers were answered", served)
		}
	})
}

func TestHeldBySpeechWithoutPrivateText(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(event.Delivery{
			Schema: 1, DeliveryID: "x", ReplyID: "w", RoomID: roomID, Channel: event.Public, State: event.DeliveryStarted, SpeechQueuedMs: 14_000, TimeMs: time.Now().UnixMilli(),
		})
		r.say("d1", "a1", "多少钱")
		r.windows(0)
		r.pass(3900 * time.Millisecond)
		r.windows(0)
		r.pass(200 * time.Millisecond)
		r.windows(1)
	})
}

func TestP07StreakGiftIsThankedOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) { e.Settings = &event.RoomSettings{Language: "zh", EventReply: true} }))
		for i, count := range []int64{1, 2, 3, 5, 6, 6} {
			r.put(r.event(event.Gift, func(e *event.RoomEvent) {
				e.EventID, e.ViewerID, e.GiftName, e.Count = fmt.Sprint("g", i), "a1", "Rose", count
			}))
			r.pass(300 * time.Millisecond)
		}
		r.pass(10 * time.Second)
		w := r.windows(1)[0]
		if w.Kind != event.EventWindow || w.Class != event.ClassEvent || w.Event.Count != 6 || len(w.Members) != 0 {
			t.Errorf("event window %+v", w)
		}
	})
}

func TestSkewedClock(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		d := r.danmaku("d1", "a1", "多少钱")
		d.PlatformTimeMs += 3_600_000
		r.put(d)
		if m := r.windows(1)[0].Members[0]; m.PlatformMs != time.Now().UnixMilli() {
			t.Errorf("platform time %d, now %d", m.PlatformMs, time.Now().UnixMilli())
		}
		if r.agg.Stats().SkewedClock != 1 {
			t.Error("not flagged")
		}
		s := r.danmaku("d2", "a2", "包邮吗")
		s.PlatformTimeMs /= 1000
		r.put(s)
		if w := r.windows(2)[1]; w.EarliestMs/1000 != time.Now().Unix() {
			t.Errorf("seconds not recognised: %d", w.EarliestMs)
		}
	})
}

// A clock that is slow is believed to be after half a minute, however busy the room; then
// every danmaku is in time. Once it is right again it is taken at its word.
func TestSlowClock(t *testing.T) {
	t.Parallel()
	for _, every := range []time.Duration{50 * time.Millisecond, time.Second, 5 * time.Second} {
		inBubble(t, func(t *testing.T, r *rig) {
			n := 0
			say := func(slow time.Duration) {
				d := r.danmaku(fmt.Sprint("d", n), fmt.Sprint("a", n), "[赞]")
				d.PlatformTimeMs -= slow.Milliseconds()
				r.put(d)
				<-time.After(every)
				n++
			}
			tooOld := func() (count int) {
				for _, o := range r.outcomes() {
					if o == "expired too_old" {
						count++
					}
				}
				return count
			}
			for range max(30, int(40*time.Second/every)) {
				say(time.Hour)
			}
			before := tooOld()
			for range 20 {
				say(time.Hour)
			}
			if got := tooOld() - before; got != 0 || r.agg.Stats().SkewedClock == 0 {
				t.Errorf("every %v: %d of 20 are too old, %d by the log's time", every, got, r.agg.Stats().SkewedClock)
			}
			flagged := r.agg.Stats().SkewedClock
			for range 20 {
				say(0)
			}
			if got := r.agg.Stats().SkewedClock; got != flagged {
				t.Errorf("every %v: %d of 20 by the log's time although the clock is right", every, got-flagged)
			}
		})
	}
}

// History that is played again is no slow clock.
func TestHistoryIsNoSlowClock(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		for n := range 20 {
			for i := range 100 {
				old := r.danmaku(fmt.Sprint("old", n, "-", i), fmt.Sprint("a", i), "3号多少钱")
				old.PlatformTimeMs -= time.Hour.Milliseconds()
				r.put(old)
			}
			r.say(fmt.Sprint("d", n), fmt.Sprint("b", n), "[赞]")
			r.pass(10 * time.Second)
		}
		r.windows(0)
	})
}

func TestP52RoomClosedAndOpenedAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) { e.BroadcastID = "b1" }))
		r.put(r.event(event.ProductInFocus, func(e *event.RoomEvent) { e.LinkID = "7" }))
		r.pass(10 * time.Second)
		r.put(r.event(event.RoomClosed, nil))
		r.say("d1", "a1", "多少钱")
		r.want("d1", "shed room_closed")
		old := r.danmaku("d2", "a1", "多少钱")
		r.pass(10 * time.Second)
		r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) { e.BroadcastID = "b2" }))
		r.put(old)
		r.want("d2", "filtered history")
		r.say("d3", "a1", "多少钱")
		if w := r.windows(1)[0]; w.BroadcastID != "b2" || w.Members[0].FocusLink != "" {
			t.Errorf("window of the new broadcast: %+v", w)
		}
	})
}

func TestConfig(t *testing.T) {
	t.Parallel()
	if err := aggregator.DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	if err := (aggregator.Config{}).Validate(); err == nil {
		t.Error("an empty configuration is accepted")
	}
	short := aggregator.DefaultConfig()
	short.Starve = 999 * time.Microsecond // 0 in milliseconds, by which waiting is divided
	if err := short.Validate(); err == nil || !strings.Contains(err.Error(), "starve") {
		t.Errorf("less than a millisecond: %v", err)
	}
}

func TestPoisonIsInvalid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, aggregator.DefaultConfig())
		defer r.stop()
		r.log.Append(event.TopicDanmaku, roomID, []byte("{"))
		rec := r.records()[0]
		var got error
		r.agg.Handle(t.Context(), rec, func(err error) { got = err })
		if got == nil {
			t.Error("poison acknowledged")
		}
	})
}
