package dispatcher_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"livehost/dispatcher"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// evening is a short show with everything that can be cut in two: speech, a joined
// question, private text, a follower of the other variant, a stale fact, a
// retraction, an event window.
func evening(r *rig) {
	r.open(false)
	r.in(r.reply("w1", "第一个回答", []string{"a", "b"}, question("q1", "harness")))
	wait(50 * time.Millisecond)
	r.in(r.reply("w2", "第二个回答", []string{"c"}, question("q2", "harness")))
	r.in(r.reply("w3", "第二个回答更新", []string{"d"}, question("q2", "harness")))
	r.in(r.reply("w4", "另一组的第一个回答", []string{"e"}, question("q1", "react-baseline")))
	r.in(r.reply("w5", "三号89元", []string{"f"}, price("3", "8900")))
	wait(50 * time.Millisecond)
	r.in(event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "3", PriceFen: fen(7900), TimeMs: r.clock.NowMs()})
	r.in(event.RoomEvent{Schema: 1, EventID: "s", RoomID: "r", Kind: event.RoomSettingsSet, TimeMs: r.clock.NowMs(),
		Settings: &event.RoomSettings{Language: "zh", PrivateText: true}})
	r.in(r.reply("w6", "", []string{"g"}, privately("g", "您的订单已发货")))
	r.in(r.reply("w7", "会被撤回", []string{"h"}))
	r.in(event.RoomEvent{Schema: 1, EventID: "x", RoomID: "r", Kind: event.DanmakuRetracted, DanmakuID: "h", TimeMs: r.clock.NowMs()})
	wait(12 * time.Second)
	r.in(r.reply("w8", "谢谢礼物", nil, func(e *event.Reply) { e.Kind, e.Class = event.EventWindow, event.ClassEvent }))
	wait(10 * time.Second)
}

// own counts the dispatcher's records.
func (r *rig) own() (n int) {
	for _, e := range r.log.order {
		if by(e) {
			n++
		}
	}
	return n
}

func by(e event.Event) bool {
	switch e.(type) {
	case event.Delivery, event.Outcome, event.GuardrailHit:
		return true
	}
	return false
}

// TestKilledAtEveryRecord kills the process after each record that it writes, loses
// the ledger with it, and starts it again on the log; once with the acknowledged
// replies committed and once with nothing committed.
func TestKilledAtEveryRecord(t *testing.T) {
	t.Parallel()
	total := 0
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		evening(r)
		total = r.own()
		checkEvening(t, r, 0)
	})
	if total < 17 {
		t.Fatalf("the evening has only %d records", total)
	}
	for k := range total {
		for _, committed := range []bool{true, false} {
			t.Run(fmt.Sprintf("after %d, committed %v", k, committed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { killedAfter(t, k, committed) })
			})
		}
	}
}

func killedAfter(t *testing.T, k int, committed bool) {
	r := newRig(t)
	left := k
	dead := make(chan struct{})
	r.log.refusing(func(e event.Event) error {
		if left--; left < 0 && by(e) {
			if left == -1 {
				close(dead)
			}
			return fault.Errorf(fault.Internal, "killed")
		}
		return nil
	})
	done := make(chan struct{})
	go func() {
		evening(r)
		close(done)
	}()
	// A kill cuts the present speech off too. The show goes on into the log, and
	// the restart finds what came meanwhile.
	<-dead
	killed, cancel := context.WithCancel(t.Context())
	cancel()
	r.d.Revoked(killed, 0)
	<-done
	r.log.refusing(nil)
	if !committed {
		clear(r.acks)
	}
	r.restart()
	wait(30 * time.Second)
	r.stop()
	checkEvening(t, r, 1)
}

// checkEvening allows one interruption per kill.
func checkEvening(t *testing.T, r *rig, kills int) {
	t.Helper()
	outcomes := r.outcomes()
	allowed := map[event.DanmakuID][]string{
		"a": {"answered spoken"}, "b": {"answered spoken"}, "c": {"answered spoken"}, "d": {"answered spoken"},
		"e": {"merged heard_other_variant", "answered spoken", "answered private_text"}, "g": {"answered private_text"},
		"h": {"retracted retracted"}, "f": {""}, // handed back
	}
	interrupted := map[event.DeliveryID]bool{}
	last := map[event.DeliveryID]event.DeliveryState{}
	started, ended := map[event.DanmakuID]int{}, map[event.DanmakuID]int{}
	for _, dl := range r.deliveryRecords() {
		last[dl.DeliveryID] = dl.State
		switch dl.State {
		case event.DeliveryInterrupted:
			interrupted[dl.DeliveryID] = true
		case event.DeliveryStarted:
			for _, id := range dl.DanmakuIDs {
				started[id]++
			}
		case event.DeliveryEnded, event.DeliverySent:
			for _, id := range dl.DanmakuIDs {
				ended[id]++
			}
		}
	}
	if len(interrupted) > kills {
		t.Errorf("%d deliveries interrupted by %d kills", len(interrupted), kills)
	}
	for id, state := range last {
		if state == event.DeliveryStarted {
			t.Errorf("delivery %s began and has no end", id)
		}
	}
	for id, want := range allowed {
		if strings.HasPrefix(outcomes[id], "answered") != (ended[id] == 1) {
			t.Errorf("%s is %q and was heard %d times", id, outcomes[id], ended[id])
		}
		got := outcomes[id]
		ok := false
		for _, w := range want {
			ok = ok || got == w
		}
		// What the kill itself costs: an interrupted sentence, or a deadline that
		// passed meanwhile.
		late := kills > 0 && (got == "expired late" || got == "expired stale_fact")
		if !ok && !(kills > 0 && got == "failed interrupted") && !late {
			t.Errorf("%s ended as %q, want one of %q", id, got, want)
		}
		if started[id] > 1 || ended[id] > 1 {
			t.Errorf("%s: started %d times, ended %d times", id, started[id], ended[id])
		}
	}
	for id := range outcomes {
		if _, known := allowed[id]; !known {
			t.Errorf("outcome of unknown danmaku %s", id)
		}
	}
	if r.out.overlap {
		t.Error("two voices at once")
	}
	for i := 1; i <= 8; i++ {
		id := event.WindowID(fmt.Sprint("w", i))
		acks := r.ackOf(id)
		if len(acks) == 0 || acks[len(acks)-1] != nil {
			t.Errorf("reply %s is not acknowledged: %v", id, acks)
		}
	}
}

func TestDrain(t *testing.T) {
	t.Parallel()
	bubble(t, "the present sentence ends, the rest is left", func(t *testing.T, r *rig) {
		r.in(r.reply("w1", "正在说的话", []string{"a"}))
		synctest.Wait()
		r.in(r.reply("w2", "排队的话", []string{"b"}))
		r.stop()
		r.wantSaid("正在说的话")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken"})
		if got := r.ackOf("w2"); len(got) != 1 || fault.KindOf(got[0]) != fault.Canceled {
			t.Errorf("w2 acknowledged with %v, want a cancellation", got)
		}
		r.hand(r.inputs[1])
		if got := r.ackOf("w2"); len(got) != 2 || got[1] == nil {
			t.Errorf("a revoked partition took a record: %v", got)
		}
	})
	bubble(t, "out of time: cut off and recorded", func(t *testing.T, r *rig) {
		r.in(r.reply("w1", "一句很长很长很长很长的话", []string{"a"}))
		synctest.Wait()
		r.stopWithin(time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "failed interrupted"})
		r.wantAcked("w1")
		r.restart()
		wait(10 * time.Second)
		r.wantSaid("一句很长很长很长很长的话")
	})
	bubble(t, "what waits for an earlier owner's voice is left", func(t *testing.T, r *rig) {
		fence, err := r.ledger.Acquire(t.Context(), "r")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.ledger.Begin(t.Context(), dispatcher.Claim{Room: "r", Channel: "test", Delivery: "w0/test", Fence: fence, Lease: 3 * time.Second}); err != nil {
			t.Fatal(err)
		}
		r.in(r.reply("w1", "一句很长很长很长很长的话", []string{"a"}))
		wait(time.Second) // its first claims are refused
		r.stopWithin(4 * time.Second)
		r.wantSaid()
		r.wantOutcomes(map[event.DanmakuID]string{})
		if got := r.ackOf("w1"); len(got) != 1 || fault.KindOf(got[0]) != fault.Canceled {
			t.Errorf("w1 acknowledged with %v, want a cancellation", got)
		}
		r.restart()
		wait(10 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken"})
	})
	bubble(t, "Run drains at its end", func(t *testing.T, r *rig) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- r.d.Run(ctx) }()
		r.in(r.reply("w1", "正在说的话", []string{"a"}))
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken"})
	})
}

// A dead owner's open claim is unknowable: speech is skipped, private text is sent
// with its key.
func TestOpenClaimsOfADeadOwner(t *testing.T) {
	t.Parallel()
	bubble(t, "speech and private text", func(t *testing.T, r *rig) {
		r.open(true)
		for _, c := range []dispatcher.Claim{
			{Room: "r", Channel: "test", Delivery: "w1/test", Danmaku: []event.DanmakuID{"a"}},
			{Room: "r", Channel: dispatcher.ChannelPrivate, Delivery: "w2/test/c", Danmaku: []event.DanmakuID{"c"}},
		} {
			if _, err := r.ledger.Begin(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		r.in(r.reply("w1", "可能说过了", []string{"a", "b"}))
		r.in(r.reply("w2", "", []string{"c"}, privately("c", "私信")))
		wait(5 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "failed interrupted", "b": "answered spoken", "c": "answered private_text"})
		r.wantSent("u-c: 私信")
	})
	bubble(t, "a later owner fences this one off", func(t *testing.T, r *rig) {
		r.in(r.reply("w1", "我的房间", []string{"a"}))
		wait(5 * time.Second)
		if _, err := r.ledger.Acquire(t.Context(), "r"); err != nil {
			t.Fatal(err)
		}
		r.in(r.reply("w2", "别人的房间", []string{"b"}))
		wait(5 * time.Second)
		r.wantSaid("我的房间")
		if got := r.ackOf("w2"); len(got) != 1 || fault.KindOf(got[0]) != fault.Canceled {
			t.Errorf("w2 acknowledged with %v, want a cancellation", got)
		}
	})
}

// What a dead owner gave up and the log does not say was neither heard nor sent: the next owner,
// to whom the ledger tells it, answers in the other channel, tries again, or says that it failed.
func TestGivenUpIsNotAnswered(t *testing.T) {
	t.Parallel()
	restart := func(r *rig) {
		r.stopWithin(0)
		r.log.refusing(nil)
		r.out.fail, r.out.sendErr = nil, nil
		r.start() // the ledger is there still
		for _, rec := range r.inputs {
			r.hand(rec)
		}
		wait(8 * time.Second)
		r.wantSaid()
	}
	noOutcomes := func(e event.Event) error {
		if _, ok := e.(event.Outcome); ok {
			return errAway
		}
		return nil
	}
	bubble(t, "speech, and the private text instead was under way", func(t *testing.T, r *rig) {
		r.open(true)
		r.out.fail, r.out.sendErr = fault.Errorf(fault.Internal, "no voice"), errAway
		r.in(r.reply("w1", "三号有货", []string{"a"}))
		wait(2 * time.Second)
		restart(r)
		r.wantSent("u-a: 三号有货")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered private_text"})
	})
	bubble(t, "speech, in a room without private text", func(t *testing.T, r *rig) {
		r.open(false)
		r.out.fail = fault.Errorf(fault.Internal, "no voice")
		r.log.refusing(noOutcomes)
		r.in(r.reply("w1", "三号有货", []string{"a"}))
		wait(2 * time.Second)
		restart(r)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "failed outlet_failed"})
	})
	for name, refuse := range map[string]func(event.Event) error{
		"private text, and nothing of it is in the log":   func(event.Event) error { return errAway },
		"private text, and its outcome is not in the log": noOutcomes,
	} {
		bubble(t, name, func(t *testing.T, r *rig) {
			r.open(true)
			r.out.sendErr = fault.Errorf(fault.Invalid, "refused")
			r.log.refusing(refuse)
			r.in(r.reply("w1", "", []string{"a"}, privately("a", "您的订单已发货")))
			wait(2 * time.Second)
			restart(r)
			r.wantSent("u-a: 您的订单已发货")
			r.wantOutcomes(map[event.DanmakuID]string{"a": "answered private_text"})
		})
	}
}

// away is a ledger whose server is gone.
type away struct{}

func (away) Acquire(context.Context, event.RoomID) (int64, error) { return 0, errAway }
func (away) Begin(context.Context, dispatcher.Claim) (dispatcher.Grant, error) {
	return dispatcher.Grant{}, errAway
}
func (away) Finish(context.Context, dispatcher.Claim, dispatcher.ClaimState) error { return errAway }

func TestLedgerAway(t *testing.T) {
	t.Parallel()
	bubble(t, "no speech that could be a repeat", func(t *testing.T, r *rig) {
		r.stop()
		r.ledger = away{}
		r.start()
		r.in(r.reply("w1", "说不准", []string{"a"}))
		wait(25 * time.Second)
		r.wantSaid()
		r.wantOutcomes(map[event.DanmakuID]string{"a": "failed ledger_unavailable"})
		r.wantAcked("w1")
	})
}

// What a room remembers comes back from the log: settings, what was heard, what
// changed, what was taken back.
func TestRestartRemembersTheRoom(t *testing.T) {
	t.Parallel()
	bubble(t, "everything", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", "今天89元", []string{"a"}, question("q1", "harness"), price("3", "8900")))
		wait(5 * time.Second)
		before := r.reply("w2", "三号链接99元", []string{"b"}, price("3", "9900"))
		r.in(event.RoomEvent{Schema: 1, EventID: "x", RoomID: "r", Kind: event.DanmakuRetracted, DanmakuID: "c", TimeMs: r.clock.NowMs()})
		r.in(event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "4", PriceFen: fen(100), TimeMs: r.clock.NowMs()})
		r.stop()
		r.restart()
		r.in(r.reply("w3", "价格是89元", []string{"d"}, question("q1", "react-baseline"))) // heard: own text in private
		r.in(r.reply("w4", "撤回了", []string{"c"}))
		r.in(r.reply("w5", "四号链接2元", []string{"e"}, price("4", "200")))
		r.in(before)
		wait(5 * time.Second)
		r.wantSent("u-d: 价格是89元")
		r.wantSaid("今天89元", "三号链接99元")
		r.wantOutcomes(map[event.DanmakuID]string{
			"a": "answered spoken", "b": "answered spoken", "c": "retracted retracted", "d": "answered private_text",
		})
		r.in(event.RoomEvent{Schema: 1, EventID: "c", RoomID: "r", Kind: event.RoomClosed, TimeMs: r.clock.NowMs()})
		r.stop()
		r.restart()
		r.in(r.reply("w6", "已经下播", []string{"f"}))
		wait(time.Second)
		if got := r.outcomes()["f"]; got != "suppressed room_closed" {
			t.Errorf("f ended as %q", got)
		}
	})
}

// counting counts the calls that tell a ledger what the log knows.
type counting struct {
	dispatcher.Ledger
	calls   atomic.Int64
	danmaku atomic.Int64
}

func (c *counting) Finish(ctx context.Context, claim dispatcher.Claim, state dispatcher.ClaimState) error {
	c.calls.Add(1)
	c.danmaku.Add(int64(len(claim.Danmaku)))
	return c.Ledger.Finish(ctx, claim, state)
}

// A new owner is soon there: it tells the ledger of a long log in few calls.
func TestLedgerIsFilledInFewCalls(t *testing.T) {
	t.Parallel()
	bubble(t, "3000 deliveries", func(t *testing.T, r *rig) {
		for i := range 3000 {
			dl := event.Delivery{Schema: 1, DeliveryID: event.DeliveryID(fmt.Sprint("w", i)), ReplyID: event.WindowID(fmt.Sprint("w", i)), RunID: "x", RoomID: event.RoomID(fmt.Sprint("r", i%3)),
				Outlet: "test", Channel: event.Public, State: event.DeliveryEnded, Text: "x", Variant: "harness", HeardVariant: "harness", DanmakuIDs: []event.DanmakuID{event.DanmakuID(fmt.Sprint(i))}, TimeMs: r.clock.NowMs()}
			r.log.append(dl)
		}
		c := &counting{Ledger: r.ledger}
		r.stop()
		r.ledger = c
		r.start()
		if c.calls.Load() > 20 || c.danmaku.Load() != 3000 {
			t.Errorf("%d calls for %d danmaku", c.calls.Load(), c.danmaku.Load())
		}
		g, err := c.Begin(t.Context(), dispatcher.Claim{Room: "r1", Channel: "test", Delivery: "other", Danmaku: []event.DanmakuID{"1", "2"}, Fence: 1})
		if err != nil || len(g.Done) != 1 || g.Done[0] != "1" || len(g.Granted) != 1 {
			t.Errorf("grant %+v, %v", g, err)
		}
	})
}

// A log that takes started only after the time of the lease costs no answer that is still in
// time: the turn is counted from a new claim.
func TestSlowLog(t *testing.T) {
	t.Parallel()
	bubble(t, "longer than the lease", func(t *testing.T, r *rig) {
		r.log.refusing(func(event.Event) error { return errAway })
		r.in(r.reply("w1", "有货的，放心拍", []string{"a"}))
		wait(12 * time.Second)
		r.log.refusing(nil)
		wait(5 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken"})
	})
	bubble(t, "and the room has another owner by then", func(t *testing.T, r *rig) {
		r.log.refusing(func(event.Event) error { return errAway })
		r.in(r.reply("w1", "有货的，放心拍", []string{"a"}))
		wait(12 * time.Second)
		if _, err := r.ledger.Acquire(t.Context(), "r"); err != nil {
			t.Fatal(err)
		}
		r.log.refusing(nil)
		wait(5 * time.Second)
		r.wantSaid()
		r.wantOutcomes(map[event.DanmakuID]string{})
	})
}

// TestOneUnknowableByAKill: a process that dies while the end of its last speech is on the way
// to the log has claimed nothing else: the next owner skips one answer, not two.
func TestOneUnknowableByAKill(t *testing.T) {
	t.Parallel()
	bubble(t, "the log is slow", func(t *testing.T, r *rig) {
		r.log.refusing(func(e event.Event) error {
			if dl, ok := e.(event.Delivery); ok && dl.State == event.DeliveryEnded {
				return errAway
			}
			return nil
		})
		r.in(r.reply("w1", "第一句", []string{"a"}))
		r.in(r.reply("w2", "第二句", []string{"b"}))
		wait(3 * time.Second) // said, and the end is not in the log
		ledger := r.ledger
		r.log.refusing(func(event.Event) error { return errAway })
		r.stopWithin(0)
		r.log.refusing(nil)
		r.out.hold = nil
		r.start()
		r.ledger = ledger
		for _, rec := range r.inputs {
			r.hand(rec)
		}
		wait(15 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "failed interrupted", "b": "answered spoken"})
	})
}
