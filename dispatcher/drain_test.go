package dispatcher_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"livehost/dispatcher"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// drained ends the partition and wants that to take no longer than a moment: whatever
// waited has been left to the next owner.
func (r *rig) drained(id event.WindowID) {
	r.t.Helper()
	begun := time.Now()
	r.stopWithin(10 * time.Second)
	if took := time.Since(begun); took > time.Second {
		r.t.Errorf("the drain took %v, with nothing under way", took)
	}
	if got := r.ackOf(id); len(got) != 1 || fault.KindOf(got[0]) != fault.Canceled {
		r.t.Errorf("%q acknowledged with %v, want a cancellation", id, got)
	}
}

// What a dependency keeps waiting is not tried again once the drain has begun: it would
// hold up the partition, and be cut off.
func TestDrainEndsRetries(t *testing.T) {
	t.Parallel()
	bubble(t, "private text", func(t *testing.T, r *rig) {
		r.open(true)
		r.out.sendErr = errAway
		r.in(r.reply("w1", "", []string{"a"}, privately("a", "私信")))
		wait(time.Second)
		r.drained("w1")
		r.wantOutcomes(map[event.DanmakuID]string{})
		r.out.sendErr = nil
		r.restart()
		wait(time.Second)
		r.wantSent("u-a: 私信")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered private_text"})
	})
	bubble(t, "a hand-over", func(t *testing.T, r *rig) {
		r.stop()
		r.humans = &humans{fails: 1000}
		r.start()
		r.in(event.Outcome{
			Schema: 1, DanmakuID: "a", RoomID: "r", ViewerID: "u", State: event.HandedOver, Reason: "agent_choice", By: "agentworker",
			TimeMs: r.clock.NowMs(), PlatformMs: r.clock.NowMs(),
		})
		wait(time.Second)
		r.drained("")
	})
}

// Speech whose started came into the log only when the drain had begun is taken back:
// the next owner says it.
func TestDrainWhileStartedIsOnItsWay(t *testing.T) {
	t.Parallel()
	bubble(t, "the log was away", func(t *testing.T, r *rig) {
		away := true
		r.log.refusing(func(event.Event) error {
			if away {
				return errAway
			}
			return nil
		})
		r.in(r.reply("w1", "一句很长很长很长很长的话", []string{"a"}))
		wait(time.Second)
		time.AfterFunc(3*time.Second, func() {
			r.log.mu.Lock()
			defer r.log.mu.Unlock()
			away = false
		})
		r.stopWithin(6 * time.Second)
		r.wantSaid()
		r.wantOutcomes(map[event.DanmakuID]string{})
		if got := r.deliveries()["w1/test"]; !slices.Equal(got, []event.DeliveryState{event.DeliveryStarted, event.DeliveryCancelled}) {
			t.Errorf("the delivery is %v", got)
		}
		r.restart()
		wait(10 * time.Second)
		r.wantSaid("一句很长很长很长很长的话")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken"})
	})
	bubble(t, "the outlet had not begun when time was up", func(t *testing.T, r *rig) {
		r.out.hold = make(chan struct{})
		r.in(r.reply("w1", "一句很长很长很长很长的话", []string{"a"}))
		synctest.Wait()
		time.AfterFunc(2*time.Second, func() { close(r.out.hold) })
		r.stopWithin(time.Second)
		r.wantSaid()
		r.wantOutcomes(map[event.DanmakuID]string{})
		r.restart()
		wait(10 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken"})
	})
}

// A partition that is lost in the middle of its drain is given up at once.
func TestLostWhileDraining(t *testing.T) {
	t.Parallel()
	bubble(t, "the shorter time counts", func(t *testing.T, r *rig) {
		r.in(r.reply("w1", "一句很长很长很长很长的话", []string{"a"}))
		synctest.Wait()
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			r.stop()
		}()
		synctest.Wait()
		begun := time.Now()
		r.stopWithin(0)
		<-drained
		if took := time.Since(begun); took > 0 {
			t.Errorf("the lost partition's speech went on for %v", took)
		}
	})
}

// What was cancelled is not what the ledger is told of, however long before its started
// was written.
func TestLedgerIsFilledWithTheLastState(t *testing.T) {
	t.Parallel()
	bubble(t, "started in one generation, cancelled in the next", func(t *testing.T, r *rig) {
		r.stop()
		horizon := dispatcher.DefaultConfig().Horizon.Milliseconds()
		dl := func(id event.WindowID, danmaku event.DanmakuID, state event.DeliveryState, timeMs int64) {
			r.log.append(event.Delivery{
				Schema: 1, DeliveryID: event.DeliveryID(id) + "/test", ReplyID: id, RunID: event.NewRunID(id, 1), RoomID: "r", Outlet: "test",
				Channel: event.Public, State: state, DanmakuIDs: []event.DanmakuID{danmaku}, TimeMs: timeMs,
			})
		}
		dl("w1", "a", event.DeliveryStarted, t0)
		dl("w1", "a", event.DeliveryCancelled, t0+horizon)
		r.start()
		r.in(r.reply("w1", "还没说过的话", []string{"a"}))
		wait(10 * time.Second)
		r.wantSaid("还没说过的话")
	})
}
