package dispatcher_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/dispatcher"
	"livehost/streams/event"
)

// bubble runs a scenario in virtual time.
func bubble(t *testing.T, name string, scenario func(t *testing.T, r *rig)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) { scenario(t, newRig(t)) })
	})
}

func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (r *rig) wantOutcomes(want map[event.DanmakuID]string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.outcomes()); diff != "" {
		r.t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

func (r *rig) wantSaid(want ...string) {
	r.t.Helper()
	r.out.mu.Lock()
	defer r.out.mu.Unlock()
	if diff := cmp.Diff(want, r.out.said); diff != "" {
		r.t.Errorf("said (-want +got):\n%s", diff)
	}
	if r.out.overlap {
		r.t.Error("two voices at once")
	}
}

func (r *rig) wantSent(want ...string) {
	r.t.Helper()
	r.out.mu.Lock()
	defer r.out.mu.Unlock()
	slices.Sort(r.out.sent)
	if diff := cmp.Diff(want, r.out.sent); diff != "" {
		r.t.Errorf("sent (-want +got):\n%s", diff)
	}
}

func (r *rig) wantAcked(ids ...event.WindowID) {
	r.t.Helper()
	for _, id := range ids {
		if got := r.ackOf(id); len(got) != 1 || got[0] != nil {
			r.t.Errorf("reply %s was acknowledged with %v, want one nil", id, got)
		}
	}
}

func TestSpeaking(t *testing.T) {
	t.Parallel()
	bubble(t, "one answer, in order of records", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", "**今天**89元[玫瑰]", []string{"a", "b"}))
		wait(10 * time.Second)
		r.wantSaid("今天89元")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered spoken"})
		r.wantAcked("w1")
		var kinds []string
		for _, e := range r.log.order[2:] {
			switch e := e.(type) {
			case event.Delivery:
				kinds = append(kinds, string(e.State))
				if e.State == event.DeliveryEnded && (e.EndMs-e.FirstAudioMs < 1000 || e.SpeechQueuedMs != 0 || e.HeardVariant != "harness" || e.Versions.Release == "") {
					t.Errorf("ended: %+v", e)
				}
				if e.State == event.DeliveryStarted && (e.SpeechQueuedMs < 1000 || len(e.DanmakuIDs) != 2) {
					t.Errorf("started: %+v", e)
				}
			case event.Outcome:
				kinds = append(kinds, "outcome")
				if !e.Eligible || !e.Admitted || e.WindowID != "w1" || e.RunID != "w1#1" || e.Channel != event.Public || e.Variant != "harness" ||
					e.Intent != "price" || e.PlatformMs == 0 || e.ReplyMs == 0 || e.By != "dispatcher" || e.ViewerID == "" {
					t.Errorf("outcome lacks something: %+v", e)
				}
			}
		}
		if diff := cmp.Diff([]string{"started", "ended", "outcome", "outcome"}, kinds); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	})
	bubble(t, "P18 one voice, class before time", func(t *testing.T, r *rig) {
		r.in(r.reply("w1", "第一句话正在说呢", []string{"a"}, class(event.ClassChat)))
		synctest.Wait()
		r.in(r.reply("w2", "闲聊", []string{"b"}, class(event.ClassChat)))
		r.in(r.reply("w3", "价格八十九", []string{"c"}, class(event.ClassPurchase)))
		wait(20 * time.Second)
		r.wantSaid("第一句话正在说呢", "价格八十九", "闲聊")
		r.wantAcked("w1", "w2", "w3")
		heard := map[event.DeliveryID]event.Delivery{}
		last := int64(0)
		for _, dl := range r.deliveryRecords() {
			if dl.State == event.DeliveryEnded {
				if heard[dl.DeliveryID] = dl; dl.FirstAudioMs < last+300 {
					t.Errorf("%s begins at %d, less than 0.3 s after %d", dl.DeliveryID, dl.FirstAudioMs, last)
				}
				last = dl.EndMs
			}
		}
	})
	bubble(t, "P61 P30 nothing to say", func(t *testing.T, r *rig) {
		r.in(r.reply("w1", "\n", []string{"a"}))
		r.in(r.reply("w2", "👍 👍[dog]", []string{"b"}))
		wait(time.Second)
		r.wantSaid()
		r.wantOutcomes(map[event.DanmakuID]string{"a": "suppressed nothing_to_say", "b": "suppressed nothing_to_say"})
	})
	bubble(t, "nothing without the required verdicts", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", "没查过的价格", []string{"a"}, func(e *event.Reply) { e.Verdicts = e.Verdicts[:1] }))
		r.in(r.reply("w2", "被拦的", []string{"b"}, func(e *event.Reply) { e.Verdicts[0].Action = "block" }))
		r.in(r.reply("w3", "", []string{"c"}, privately("c", "私信"), func(e *event.Reply) { e.Verdicts = nil }))
		wait(time.Second)
		r.wantSaid()
		r.wantSent()
		r.wantOutcomes(map[event.DanmakuID]string{"a": "suppressed no_verdict", "b": "suppressed no_verdict", "c": "suppressed no_verdict"})
		hits := 0
		for _, e := range r.log.order {
			if h, ok := e.(event.GuardrailHit); ok {
				hits++
				if h.Stage != "dispatcher" || h.Span == "" || len(h.DanmakuIDs) != 1 {
					t.Errorf("hit %+v", h)
				}
			}
		}
		if hits != 3 {
			t.Errorf("%d hits, want 3", hits)
		}
	})
	bubble(t, "the outlet fails: private text instead, else failed", func(t *testing.T, r *rig) {
		r.open(true)
		r.out.fail = errAway
		r.in(r.reply("w1", "今天89元", []string{"a"}))
		wait(time.Second)
		r.wantSent("u-a: 今天89元")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered private_text"})
		r.open(false)
		r.in(r.reply("w2", "今天89元", []string{"b"}))
		wait(time.Second)
		if got := r.outcomes()["b"]; got != "failed outlet_failed" {
			t.Errorf("b: %s", got)
		}
	})
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	bubble(t, "late on arrival", func(t *testing.T, r *rig) {
		r.open(true)
		e := r.reply("w1", "太晚了", []string{"a"}, privately("a", "私信也晚"))
		wait(21 * time.Second)
		r.in(e)
		r.in(r.reply("w2", "", nil, func(x *event.Reply) { x.Members, x.Private = e.Members, nil }))
		wait(time.Second)
		r.wantSaid()
		r.wantSent()
		r.wantOutcomes(map[event.DanmakuID]string{"a": "expired late"})
		r.wantAcked("w1", "w2")
	})
	bubble(t, "P13 a backlog is bounded by age", func(t *testing.T, r *rig) {
		r.open(false)
		for i := range 200 {
			r.in(r.reply(fmt.Sprint("w", i), fmt.Sprintf("这%03d句要说六秒钟左右所以需要二十几个字才行再加", i), []string{fmt.Sprint("d", i)}))
		}
		wait(60 * time.Second)
		if n := len(r.out.said); n < 3 || n > 4 {
			t.Errorf("%d spoken, want 3 or 4", n)
		}
		states := map[string]int{}
		for _, s := range r.outcomes() {
			states[s]++
		}
		if states["answered spoken"]+states["expired late"] != 200 {
			t.Errorf("states %v, want 200 answered or late", states)
		}
	})
	bubble(t, "each danmaku has its own deadline", func(t *testing.T, r *rig) {
		e := r.reply("w1", "一起回答", []string{"a", "b"})
		e.Members[0].SpeakByMs = r.clock.NowMs() - 1
		r.in(e)
		wait(5 * time.Second)
		r.wantSaid("一起回答")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "expired late", "b": "answered spoken"})
		for _, dl := range r.deliveryRecords() {
			if dl.State == event.DeliveryEnded && (dl.FirstAudioMs > dl.SpeakByMs || len(dl.DanmakuIDs) != 1) {
				t.Errorf("ended %+v", dl)
			}
		}
	})
	bubble(t, "over ten seconds queued goes out as private text", func(t *testing.T, r *rig) {
		r.open(true)
		long := strings.Repeat("长", 54)
		r.in(r.reply("w1", long, []string{"a"}))
		synctest.Wait()
		r.in(r.reply("w2", "今天89元", []string{"b", "c"}, func(e *event.Reply) { e.Members[1].ViewerID = "0" }))
		wait(30 * time.Second)
		r.wantSent("u-b: 今天89元")
		r.wantSaid(long, "今天89元")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered private_text", "c": "answered spoken"})
	})
	bubble(t, "started was slow to reach the log", func(t *testing.T, r *rig) {
		r.log.refusing(func(e event.Event) error {
			if dl, ok := e.(event.Delivery); ok && dl.State == event.DeliveryStarted && r.clock.NowMs() < t0+25_000 {
				return errAway
			}
			return nil
		})
		r.in(r.reply("w1", "今天89元", []string{"a"}))
		wait(40 * time.Second)
		r.wantSaid()
		r.wantOutcomes(map[event.DanmakuID]string{"a": "expired late"})
		if diff := cmp.Diff(map[event.DeliveryID][]event.DeliveryState{"w1/test": {event.DeliveryStarted, event.DeliveryCancelled}}, r.deliveries()); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
	})
}

func TestPrivateText(t *testing.T) {
	t.Parallel()
	bubble(t, "parts of one reply", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", "大家都能看的", []string{"a", "b"}, privately("c", "您的订单已发货"), privately("b", "给b的")))
		wait(5 * time.Second)
		r.wantSaid("大家都能看的")
		r.wantSent("u-c: 您的订单已发货")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered spoken", "c": "answered private_text"})
		for _, dl := range r.deliveryRecords() {
			if dl.Channel == event.Private && (dl.State != event.DeliverySent || dl.ViewerID != "u-c" || dl.DeliveryID != "w1/test/c") {
				t.Errorf("private delivery %+v", dl)
			}
		}
	})
	bubble(t, "public is refused, the asker's own text is not", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", "👍", []string{"a"}, privately("a", "给a的")))
		wait(time.Second)
		r.wantSent("u-a: 给a的")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered private_text"})
	})
	bubble(t, "room without it", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", "", []string{"a"}, privately("a", "x")))
		wait(time.Second)
		r.wantSent()
		r.wantOutcomes(map[event.DanmakuID]string{"a": "suppressed no_private_channel"})
	})
	bubble(t, "retried while there is time, then expired", func(t *testing.T, r *rig) {
		r.open(true)
		r.out.sendErr = errAway
		r.in(r.reply("w1", "", []string{"a"}, privately("a", "x")))
		wait(10 * time.Second)
		if len(r.outcomes()) != 0 {
			t.Errorf("given up early: %v", r.outcomes())
		}
		wait(11 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "expired late"})
	})
}

func TestVariants(t *testing.T) {
	t.Parallel()
	bubble(t, "heard from the other variant", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w1", "今天89元", []string{"a"}, question("price/1", "harness")))
		synctest.Wait()
		r.in(r.reply("w2", "价格是89元", []string{"b"}, question("price/1", "react-baseline"))) // while the other speaks
		wait(10 * time.Second)
		r.in(r.reply("w3", "价格89", []string{"c"}, question("price/1", "react-baseline"))) // within the cool-down
		wait(60 * time.Second)
		r.in(r.reply("w4", "价格89哦", []string{"d"}, question("price/1", "react-baseline"))) // after it
		wait(10 * time.Second)
		r.wantSaid("今天89元", "价格89哦")
		r.wantOutcomes(map[event.DanmakuID]string{
			"a": "answered spoken", "b": "merged heard_other_variant", "c": "merged heard_other_variant", "d": "answered spoken",
		})
		r.wantAcked("w1", "w2", "w3", "w4")
		for _, dl := range r.deliveryRecords() {
			if dl.State == event.DeliverySkipped && (dl.Variant != "react-baseline" || dl.HeardVariant != "harness" || dl.Reason != "heard_other_variant") {
				t.Errorf("skipped %+v", dl)
			}
		}
		for _, e := range r.log.order {
			if o, ok := e.(event.Outcome); ok && o.State == event.Merged && o.CoverID != "a" {
				t.Errorf("merged into %q, want a", o.CoverID)
			}
		}
	})
	bubble(t, "their own text in private", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", "今天89元", []string{"a"}, question("price/1", "harness")))
		synctest.Wait()
		r.in(r.reply("w2", "价格是89元", []string{"b"}, question("price/1", "react-baseline")))
		wait(10 * time.Second)
		r.wantSaid("今天89元")
		r.wantSent("u-b: 价格是89元")
	})
	bubble(t, "the other voice fails: own voice after all", func(t *testing.T, r *rig) {
		r.out.hold = make(chan struct{})
		r.in(r.reply("w1", "今天89元", []string{"a"}, question("price/1", "harness")))
		synctest.Wait()
		r.in(r.reply("w2", "价格是89元", []string{"b"}, question("price/1", "react-baseline")))
		r.out.fail = errAway
		r.out.hold <- struct{}{}
		synctest.Wait()
		r.out.fail = nil
		close(r.out.hold)
		wait(10 * time.Second)
		r.wantSaid("价格是89元")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "failed outlet_failed", "b": "answered spoken"})
	})
	bubble(t, "a newer answer that says less replaces nothing", func(t *testing.T, r *rig) {
		r.in(r.reply("w0", "正在说别的事情", []string{"z"}))
		synctest.Wait()
		r.in(r.reply("w1", "今天89元", []string{"a"}, question("price/1", "harness")))
		wait(100 * time.Millisecond)
		r.in(r.reply("w2", "以链接页为准", []string{"b"}, question("price/1", "harness"), func(e *event.Reply) { e.Fallback = "conservative" }))
		wait(10 * time.Second)
		r.wantSaid("正在说别的事情", "今天89元")
		r.wantOutcomes(map[event.DanmakuID]string{"z": "answered spoken", "a": "answered spoken", "b": "answered spoken"})
	})
	bubble(t, "P27 the same variant joins", func(t *testing.T, r *rig) {
		r.in(r.reply("w0", "正在说别的事情", []string{"z"}))
		synctest.Wait()
		r.in(r.reply("w1", "今天89元", []string{"a"}, question("price/1", "harness")))
		wait(100 * time.Millisecond)
		r.in(r.reply("w2", "今天79元", []string{"b"}, question("price/1", "harness")))
		wait(10 * time.Second)
		r.wantSaid("正在说别的事情", "今天79元")
		r.wantOutcomes(map[event.DanmakuID]string{"z": "answered spoken", "a": "answered spoken", "b": "answered spoken"})
		r.wantAcked("w0", "w1", "w2")
	})
}

func fen(v int64) *int64 { return &v }

func price(link, value string) func(*event.Reply) {
	return func(e *event.Reply) {
		e.Facts = append(e.Facts, event.Fact{Kind: "price", LinkID: event.LinkID(link), Value: value})
	}
}

func TestRoomEvents(t *testing.T) {
	t.Parallel()
	busy := func(r *rig) {
		r.in(r.reply("w0", "正在说一句比较长的话", []string{"z"}))
		synctest.Wait()
	}
	bubble(t, "P70 retracted while queued, and too late", func(t *testing.T, r *rig) {
		busy(r)
		r.in(r.reply("w1", "两个人问", []string{"a", "b"}))
		r.in(r.reply("w2", "一个人问", []string{"c"}))
		for _, id := range []event.DanmakuID{"z", "a", "c", "d"} {
			r.in(event.RoomEvent{Schema: 1, EventID: "e" + string(id), RoomID: "r", Kind: event.DanmakuRetracted, DanmakuID: id, TimeMs: r.clock.NowMs()})
		}
		r.in(r.reply("w3", "撤回在前", []string{"d"}))
		wait(15 * time.Second)
		r.wantSaid("正在说一句比较长的话", "两个人问")
		r.wantOutcomes(map[event.DanmakuID]string{
			"z": "answered spoken", "a": "retracted retracted", "b": "answered spoken", "c": "retracted retracted", "d": "retracted retracted",
		})
		r.wantAcked("w0", "w1", "w2", "w3")
	})
	bubble(t, "room closed", func(t *testing.T, r *rig) {
		r.open(true)
		busy(r)
		r.in(r.reply("w1", "排队中", []string{"a"}))
		r.in(event.RoomEvent{Schema: 1, EventID: "c", RoomID: "r", Kind: event.RoomClosed, TimeMs: r.clock.NowMs()})
		r.in(r.reply("w2", "关播之后", []string{"b"}, privately("c", "x")))
		wait(15 * time.Second)
		r.wantSaid("正在说一句比较长的话")
		r.wantSent()
		r.wantOutcomes(map[event.DanmakuID]string{
			"z": "answered spoken", "a": "suppressed room_closed", "b": "suppressed room_closed", "c": "suppressed room_closed",
		})
		r.wantAcked("w0", "w1", "w2")
	})
	bubble(t, "the next broadcast opens without a closing", func(t *testing.T, r *rig) {
		opens := func(b event.BroadcastID) {
			r.in(event.RoomEvent{
				Schema: 1, EventID: "o" + string(b), RoomID: "r", Kind: event.RoomOpened, BroadcastID: b, TimeMs: r.clock.NowMs(),
				Settings: &event.RoomSettings{Language: "zh", PrivateText: true},
			})
		}
		of := func(b event.BroadcastID) func(*event.Reply) { return func(e *event.Reply) { e.BroadcastID = b } }
		opens("b1")
		busy(r)
		r.in(r.reply("w1", "排队中", []string{"a"}, of("b1")))
		opens("b2")
		r.in(r.reply("w2", "上一场的", []string{"b"}, privately("c", "x"), of("b1")))
		r.in(r.reply("w3", "这一场的", []string{"d"}, of("b2")))
		r.in(r.reply("w4", "开播消息还没到的", []string{"e"}, of("b3")))
		wait(15 * time.Second)
		opens("b2")
		r.in(r.reply("w5", "还是这一场", []string{"f"}, of("b2")))
		wait(15 * time.Second)
		r.wantSaid("正在说一句比较长的话", "这一场的", "开播消息还没到的", "还是这一场")
		r.wantSent()
		r.wantOutcomes(map[event.DanmakuID]string{
			"z": "answered spoken", "a": "suppressed room_closed", "b": "suppressed room_closed", "c": "suppressed room_closed",
			"d": "answered spoken", "e": "answered spoken", "f": "answered spoken",
		})
		r.wantAcked("w0", "w1", "w2", "w3", "w4", "w5")
	})
	bubble(t, "the broadcast before is closed once more", func(t *testing.T, r *rig) {
		say := func(kind event.RoomEventKind, broadcast event.BroadcastID, ago time.Duration, private bool) {
			e := event.RoomEvent{Schema: 1, EventID: string(kind), RoomID: "r", Kind: kind, BroadcastID: broadcast, TimeMs: r.clock.NowMs() - ago.Milliseconds()}
			if kind != event.RoomClosed {
				e.Settings = &event.RoomSettings{Language: "zh", PrivateText: private}
			}
			r.in(e)
		}
		say(event.RoomOpened, "b1", time.Hour, false)
		say(event.RoomOpened, "b2", time.Minute, true)
		busy(r)
		r.in(r.reply("w1", "排队中", []string{"a"}))
		say(event.RoomClosed, "", 2*time.Minute, false)
		say(event.RoomClosed, "b1", 0, false)
		say(event.RoomOpened, "b1", time.Hour, false)
		r.in(r.reply("w2", "之后", []string{"b"}, privately("c", "x")))
		wait(15 * time.Second)
		r.wantSaid("正在说一句比较长的话", "排队中", "之后")
		r.wantSent("u-c: x")
		r.wantOutcomes(map[event.DanmakuID]string{
			"z": "answered spoken", "a": "answered spoken", "b": "answered spoken", "c": "answered private_text",
		})
	})
	bubble(t, "a price changes while queued", func(t *testing.T, r *rig) {
		busy(r)
		r.in(r.reply("w1", "三号89元", []string{"a", "b"}, price("3", "8900"), func(e *event.Reply) { e.Members[1].AnswerByMs = r.clock.NowMs() - 1 }))
		r.in(r.reply("w2", "四号99元", []string{"c"}, price("4", "9900")))
		r.in(event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "3", PriceFen: fen(7900), TimeMs: r.clock.NowMs()})
		r.in(r.reply("w3", "三号还是89元", []string{"d"}, price("3", "8900")))                                                                          // its run began before the change
		r.in(r.reply("w4", "三号79元", []string{"e"}, price("3", "7900")))                                                                            // right
		r.in(r.reply("w5", "三号大码89元", []string{"f"}, price("3", "8900"), func(e *event.Reply) { e.Timing.RunMs, e.CreatedMs = 0, e.CreatedMs+1 })) // its tools knew
		wait(20 * time.Second)
		r.wantSaid("正在说一句比较长的话", "四号99元", "三号79元", "三号大码89元")
		r.wantOutcomes(map[event.DanmakuID]string{
			"z": "answered spoken", "b": "expired stale_fact", "c": "answered spoken", "e": "answered spoken", "f": "answered spoken",
		})
		r.wantAcked("w0", "w1", "w2", "w3", "w4", "w5")
		var back []event.DanmakuID
		for _, dl := range r.deliveryRecords() {
			if dl.StaleFact {
				back = append(back, dl.DanmakuIDs...)
			}
		}
		slices.Sort(back)
		if diff := cmp.Diff([]event.DanmakuID{"a", "d"}, back); diff != "" {
			t.Errorf("handed back (-want +got):\n%s", diff)
		}
		// The aggregator asks again: the same danmaku in a new window is answered.
		r.in(r.reply("w6", "三号现在79元", []string{"a"}, price("3", "7900")))
		wait(10 * time.Second)
		if got := r.outcomes()["a"]; got != "answered spoken" {
			t.Errorf("asked again: %q", got)
		}
	})
	bubble(t, "event windows only in a free voice", func(t *testing.T, r *rig) {
		gift := func(id string) event.Reply {
			return r.reply(id, "谢谢礼物", nil, func(e *event.Reply) { e.Kind, e.Class = event.EventWindow, event.ClassEvent })
		}
		busy(r)
		r.in(gift("g1"))
		wait(10 * time.Second)
		r.in(gift("g2"))
		wait(10 * time.Second)
		r.wantSaid("正在说一句比较长的话", "谢谢礼物")
		r.wantAcked("w0", "g1", "g2")
		if diff := cmp.Diff([]event.DeliveryState{event.DeliverySkipped}, r.deliveries()["g1/test"]); diff != "" {
			t.Errorf("g1 (-want +got):\n%s", diff)
		}
	})
}

func TestBadRecordsAndLostPartitions(t *testing.T) {
	t.Parallel()
	bubble(t, "undecodable", func(t *testing.T, r *rig) {
		rec := r.log.append(r.reply("w1", "x", []string{"a"}))
		rec.Value = []byte("{")
		var got error
		r.d.Handle(t.Context(), rec, func(err error) { got = err })
		if got == nil {
			t.Error("a broken reply was acknowledged")
		}
	})
	bubble(t, "config lists every problem", func(t *testing.T, _ *rig) {
		_, err := dispatcher.New(dispatcher.Config{}, dispatcher.Deps{})
		for _, want := range []string{"group", "lanes", "max_queued_speech", "cool_down", "drain", "horizon", "max_private_sends"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("New = %v, want a problem with %s", err, want)
			}
		}
	})
}
