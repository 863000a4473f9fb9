package dispatcher_test

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"livehost/dispatcher"
	ways "livehost/dispatcher/outlet"
	"livehost/streams/event"
)

// lever is a Switch in the test's hand.
type lever struct {
	mu      sync.Mutex
	changed func([]dispatcher.Stop)
	on      chan struct{}
}

func newLever() *lever { return &lever{on: make(chan struct{})} }

func (l *lever) Watch(ctx context.Context, changed func([]dispatcher.Stop)) {
	l.mu.Lock()
	l.changed = changed
	l.mu.Unlock()
	close(l.on)
	<-ctx.Done()
}

func (l *lever) set(stops ...dispatcher.Stop) {
	<-l.on
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed(stops)
}

// withLever runs the dispatcher with a switch.
func (r *rig) withLever() *lever {
	l := newLever()
	r.stop()
	r.lever = l
	r.start()
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = r.d.Run(ctx) }()
	r.t.Cleanup(func() { cancel(); <-ended })
	return l
}

func TestVoiceSwitch(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("长", 40)
	bubble(t, "P22 silent in the middle of a sentence, within 300 ms", func(t *testing.T, r *rig) {
		l := r.withLever()
		r.open(false)
		r.in(r.reply("w1", long, []string{"a"}))
		r.in(r.reply("w2", "排队的", []string{"b"}))
		wait(2 * time.Second)
		atMs := r.clock.NowMs()
		l.set(dispatcher.Stop{Room: "r", Reason: "wrong price"})
		synctest.Wait()
		r.wantSaid(long)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "failed interrupted", "b": "suppressed voice_stopped"})
		for _, dl := range r.deliveryRecords() {
			if dl.State == event.DeliveryInterrupted && (dl.EndMs < atMs || dl.EndMs > atMs+300) {
				t.Errorf("silent at %+d ms", dl.EndMs-atMs)
			}
		}
		r.in(r.reply("w3", "还停着", []string{"c"}))
		synctest.Wait()
		l.set()
		r.in(r.reply("w4", "又能说了", []string{"d"}))
		wait(10 * time.Second)
		r.wantSaid(long, "又能说了")
		r.wantAcked("w1", "w2", "w3", "w4")
	})
	bubble(t, "P21 interrupted before the first audio: nothing is heard, private text goes on", func(t *testing.T, r *rig) {
		l := r.withLever()
		r.open(true)
		r.out.hold = make(chan struct{})
		r.in(r.reply("w1", "还没开口", []string{"a"}))
		synctest.Wait()
		l.set(dispatcher.Stop{Reason: "drill"})
		close(r.out.hold)
		wait(time.Second)
		r.wantSaid()
		r.wantSent("u-a: 还没开口")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered private_text"})
	})
	bubble(t, "one variant, in every room", func(t *testing.T, r *rig) {
		l := r.withLever()
		l.set(dispatcher.Stop{Variant: "react-baseline", Reason: "rollback"})
		r.in(r.reply("w1", "甲组", []string{"a"}, question("q1", "react-baseline")))
		r.in(r.reply("w2", "乙组", []string{"b"}, question("q2", "harness")))
		wait(5 * time.Second)
		r.wantSaid("乙组")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "suppressed voice_stopped", "b": "answered spoken"})
	})
}

// TestTwoOwners: a new owner of the room waits for the old one's sentence, and what the old
// one has queued is the new one's.
func TestTwoOwners(t *testing.T) {
	t.Parallel()
	bubble(t, "P18 P19 no two voices", func(t *testing.T, r *rig) {
		r.open(false)
		first := strings.Repeat("长", 20)
		r.in(r.reply("w1", first, []string{"a"}))
		wait(time.Second)
		old := r.d
		r.start() // the group believes that the old owner is gone; it is not
		r.in(r.reply("w2", "第二句", []string{"b"}))
		wait(time.Second)
		r.wantSaid(first)
		wait(15 * time.Second)
		r.wantSaid(first, "第二句")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered spoken"})
		old.Revoked(t.Context(), 0)
	})
	bubble(t, "streaming 34: stopped beyond its lease, the old owner tells no other end", func(t *testing.T, r *rig) {
		r.out.freeze = make(chan struct{})
		r.in(r.reply("w1", strings.Repeat("长", 20), []string{"a"}))
		wait(6 * time.Second) // said, and the process is stopped before it tells so
		old, oldOut := r.d, r.out
		r.out = &outlet{clock: r.clock}
		r.start()
		r.hand(r.inputs[0])
		synctest.Wait()
		wait(10 * time.Second) // the lease is over
		close(oldOut.freeze)
		synctest.Wait()
		r.wantOutcomes(map[event.DanmakuID]string{"a": "failed interrupted"})
		if got := r.deliveries()["w1/test"]; !slices.Equal(got, []event.DeliveryState{event.DeliveryStarted, event.DeliveryInterrupted}) {
			t.Errorf("deliveries %v", got)
		}
		old.Revoked(t.Context(), 0)
	})
	bubble(t, "somebody else has the floor for longer than the lease", func(t *testing.T, r *rig) {
		r.stop()
		floor := ways.NewFloor()
		r.voice = ways.NewVoice(r.clock, slog.New(slog.DiscardHandler), ways.Silent{}, floor, ways.NewConsole(io.Discard))
		r.start()
		floor.Take("r", "host")
		r.in(r.reply("w1", "今天89元", []string{"a"}))
		wait(16 * time.Second)
		floor.Give("r", "host")
		wait(10 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken"})
	})
	bubble(t, "speech beyond its lease is cut off", func(t *testing.T, r *rig) {
		r.out.drag = time.Minute
		r.in(r.reply("w1", "今天89元", []string{"a"}))
		wait(30 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "failed interrupted"})
		for _, dl := range r.deliveryRecords() {
			if dl.State == event.DeliveryInterrupted && dl.EndMs-dl.FirstAudioMs > 6000 {
				t.Errorf("spoke for %d ms", dl.EndMs-dl.FirstAudioMs)
			}
		}
	})
}

type humans struct {
	mu    sync.Mutex
	told  []dispatcher.HandOver
	fails int
}

func (h *humans) HandOver(_ context.Context, o dispatcher.HandOver) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fails > 0 {
		h.fails--
		return errAway
	}
	h.told = append(h.told, o)
	return nil
}

func TestHandOver(t *testing.T) {
	t.Parallel()
	bubble(t, "reaches the outlet once, is retried, and old ones stay", func(t *testing.T, r *rig) {
		r.stop()
		r.humans = &humans{fails: 2}
		r.start()
		out := func(id string, state event.State, ageMs int64) event.Outcome {
			return event.Outcome{Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: "r", ViewerID: "u", State: state, Reason: "agent_choice", By: "agentworker",
				Intent: "complaint", TimeMs: r.clock.NowMs() - ageMs, PlatformMs: r.clock.NowMs() - ageMs}
		}
		r.in(out("a", event.HandedOver, 0))
		r.in(out("b", event.Silent, 0))
		r.in(out("c", event.HandedOver, 3_600_000))
		wait(5 * time.Second)
		if got := r.humans.told; len(got) != 1 || got[0].DanmakuID != "a" || got[0].ViewerID != "u" || got[0].Reason != "agent_choice" {
			t.Errorf("told %+v", got)
		}
		if acks := r.ackOf(""); len(acks) != 3 {
			t.Errorf("acks %v", acks)
		}
	})
}
