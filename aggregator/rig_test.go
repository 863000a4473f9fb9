package aggregator_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"livehost/aggregator"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/streamstest"
	"livehost/streams/topic"
)

const roomID event.RoomID = "r1"

var number = topic.PartitionOf(roomID, streamstest.Partitions)

// halves assigns viewers whose id begins with b to treatment, and after moved those
// who move.
type halves struct{ moved *atomic.Bool }

func (h halves) Assign(_ event.RoomID, v event.ViewerID) aggregator.Assignment {
	a := aggregator.Assignment{Experiment: "e", Version: 1, Variant: "control", Unit: string(v), Enrolled: !v.Anonymous()}
	if v != "" && v[0] == 'b' || v == "moves" && h.moved != nil && h.moved.Load() {
		a.Variant = "treatment"
	}
	return a
}

// errCrash is what a process sees that is being killed.
var errCrash = fault.Errorf(fault.Canceled, "killed")

// rig runs the stage over an event log in memory and plays the other stages. It
// lives in a synctest bubble.
type rig struct {
	t    *testing.T
	cfg  aggregator.Config
	log  *streamstest.Log
	agg  *aggregator.Aggregator
	next int                       // of the log's records, for the stage
	done map[string]map[int64]bool // topic -> acknowledged offsets
	upTo map[string]int64          // topic -> committed: the contiguous prefix
	stop context.CancelFunc

	// answer plays agent worker and dispatcher for a window, runTime after it opened.
	answer  func(w event.Window) []event.Event
	runTime time.Duration
	runOf   func(w event.Window) time.Duration // instead of runTime
	step    time.Duration                      // of pass
	agent   int                                // of the log's records, for the agent

	copy []streams.Record

	answering sync.Mutex

	publishes atomic.Int64
	moved     atomic.Bool
	crashAt   int64 // the publish at which the process dies; 0: never
	landed    bool  // the crashing publish reached the log
}

func newRig(t *testing.T, cfg aggregator.Config) *rig {
	r := &rig{t: t, cfg: cfg, log: &streamstest.Log{}, runTime: 3 * time.Second, step: 50 * time.Millisecond, done: map[string]map[int64]bool{}, upTo: map[string]int64{}}
	r.start()
	t.Cleanup(func() { r.stop() })
	return r
}

// Publish implements streams.Publisher for the stage.
func (r *rig) Publish(ctx context.Context, events ...event.Event) error {
	if r.publishes.Add(1) != r.crashAt {
		return r.log.Publish(ctx, events...)
	}
	if r.landed {
		if err := r.log.Publish(ctx, events...); err != nil {
			return err
		}
	}
	return errCrash
}

// records is the log; copying all of it each time is what would cost in a long test.
func (r *rig) records() []streams.Record {
	r.copy = append(r.copy, r.log.RecordsFrom(len(r.copy))...)
	return r.copy
}

func (r *rig) start() {
	agg, err := aggregator.New(r.cfg, aggregator.Deps{
		Clock: clock.Real(), Publisher: r, Reader: r.log, Assigner: halves{&r.moved}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.agg = agg
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		if err := agg.Run(ctx); err != nil {
			r.t.Error(err)
		}
	}()
	r.stop = func() { cancel(); <-finished }
	if err := agg.Assigned(ctx, number); err != nil {
		r.t.Fatal(err)
	}
}

// restart drops the stage as kill -9 does, and hands over again what was not
// committed.
func (r *rig) restart() {
	r.stop()
	r.next = 0
	r.start()
}

// committed reports whether the record lies within its topic's acknowledged prefix.
func (r *rig) committed(rec streams.Record) bool {
	for r.done[rec.Topic][r.upTo[rec.Topic]] {
		r.upTo[rec.Topic]++
	}
	return rec.Offset < r.upTo[rec.Topic]
}

func (r *rig) put(events ...event.Event) {
	r.t.Helper()
	if err := r.log.Publish(r.t.Context(), events...); err != nil {
		r.t.Fatal(err)
	}
	r.run()
}

// run hands over records until there are no more.
func (r *rig) run() {
	all := r.records()
	for {
		r.agentSees()
		if r.next >= len(all) {
			all = r.records()
		}
		if r.next >= len(all) {
			synctest.Wait()
			if all = r.records(); r.next >= len(all) {
				return
			}
			continue
		}
		rec := all[r.next]
		r.next++
		if !consumed(rec) || r.committed(rec) {
			continue
		}
		crashed := false
		acked := false
		rec.Value = slices.Clone(rec.Value)
		r.agg.Handle(r.t.Context(), rec, func(err error) {
			if acked {
				r.t.Errorf("%s %d is acknowledged twice", rec.Topic, rec.Offset)
			}
			acked = true
			if err != nil {
				crashed = crashed || fault.KindOf(err) == fault.Canceled
				return
			}
			if r.done[rec.Topic] == nil {
				r.done[rec.Topic] = map[int64]bool{}
			}
			r.done[rec.Topic][rec.Offset] = true
		})
		for i := range rec.Value { // it is the stage's during the call: what is kept of it is a copy
			rec.Value[i] = '#'
		}
		if r.crashAt > 0 && r.publishes.Load() >= r.crashAt {
			r.crashAt = 0
			r.restart()
		}
	}
}

func consumed(rec streams.Record) bool {
	switch rec.Topic {
	case event.TopicRoomState, event.TopicExposure, event.TopicGuardrailHit:
		return false
	}
	return rec.Partition == number
}

// agentSees starts an answer for every new window.
func (r *rig) agentSees() {
	all := r.records()
	for ; r.agent < len(all); r.agent++ {
		if r.answer == nil || all[r.agent].Topic != event.TopicWindow {
			continue
		}
		w, err := event.Decode[event.Window](all[r.agent].Value)
		if err != nil {
			r.t.Fatal(err)
		}
		run := r.runTime
		if r.runOf != nil {
			run = r.runOf(w)
		}
		time.AfterFunc(run, func() {
			r.answering.Lock()
			defer r.answering.Unlock()
			if err := r.log.Publish(context.Background(), r.answer(w)...); err != nil {
				r.t.Error(err)
			}
		})
	}
}

// pass lets room time go by in steps.
func (r *rig) pass(d time.Duration) {
	step := r.step
	for ; d > 0; d -= step {
		<-time.After(min(step, d))
		synctest.Wait()
		r.run()
		if r.crashAt > 0 && r.publishes.Load() >= r.crashAt { // a timer's publish
			r.crashAt = 0
			r.restart()
			r.run()
		}
	}
}

func (r *rig) danmaku(id, viewer, text string) event.Danmaku {
	return event.Danmaku{
		Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: roomID, ViewerID: event.ViewerID(viewer), Text: text, PlatformTimeMs: time.Now().UnixMilli(),
	}
}

func (r *rig) say(id, viewer, text string) { r.t.Helper(); r.put(r.danmaku(id, viewer, text)) }

func (r *rig) event(kind event.RoomEventKind, set func(*event.RoomEvent)) event.RoomEvent {
	now := time.Now()
	e := event.RoomEvent{Schema: 1, EventID: string(kind) + now.String(), RoomID: roomID, Kind: kind, TimeMs: now.UnixMilli()}
	if set != nil {
		set(&e)
	}
	return e
}

// all decodes the topic's events.
func all[E event.Event](r *rig) []E {
	r.t.Helper()
	var zero E
	var out []E
	for _, rec := range r.records() {
		if rec.Topic == zero.Topic() {
			e, err := event.Decode[E](rec.Value)
			if err != nil {
				r.t.Fatal(err)
			}
			out = append(out, e)
		}
	}
	return out
}

// outcome is "state reason" of the danmaku, "" without one; more than one fails.
func (r *rig) outcome(id string) string { r.t.Helper(); return r.outcomes()[id] }

// outcomes is every danmaku's outcome; more than one for one danmaku fails.
func (r *rig) outcomes() map[string]string {
	r.t.Helper()
	got := map[string]string{}
	for _, o := range all[event.Outcome](r) {
		id := string(o.DanmakuID)
		if got[id] != "" {
			r.t.Errorf("%s has two outcomes: %s and %s %s", id, got[id], o.State, o.Reason)
		}
		got[id] = string(o.State) + " " + o.Reason
	}
	return got
}

func (r *rig) want(id, outcome string) {
	r.t.Helper()
	if got := r.outcome(id); got != outcome {
		r.t.Errorf("%s: outcome %q, want %q", id, got, outcome)
	}
}

func (r *rig) windows(n int) []event.Window {
	r.t.Helper()
	w := all[event.Window](r)
	if len(w) != n {
		r.t.Fatalf("%d windows, want %d: %+v", len(w), n, ids(w))
	}
	return w
}

func ids(ws []event.Window) (out [][]event.DanmakuID) {
	for _, w := range ws {
		var m []event.DanmakuID
		for _, x := range w.Members {
			m = append(m, x.DanmakuID)
		}
		out = append(out, m)
	}
	return out
}

func reply(w event.Window, notCovered ...event.DanmakuID) event.Reply {
	return event.Reply{
		Schema: 1, ReplyID: w.WindowID, RunID: event.NewRunID(w.WindowID, 1), Attempt: 1, RoomID: w.RoomID, Variant: w.Variant, Kind: w.Kind,
		Mode: w.Mode, Class: w.Class, NotCovered: notCovered, Versions: event.Versions{Release: "x"}, AnswerByMs: w.AnswerByMs,
		CreatedMs: time.Now().UnixMilli(),
	}
}

func outcomeOf(w event.Window, id event.DanmakuID, state event.State, ch event.Channel) event.Outcome {
	now := time.Now().UnixMilli()
	return event.Outcome{
		Schema: 1, DanmakuID: id, RoomID: w.RoomID, State: state, Reason: "reply", By: "dispatcher", Eligible: true, Admitted: true,
		WindowID: w.WindowID, Channel: ch, ReplyMs: now, TimeMs: now,
	}
}

// answered answers all members aloud.
func answered(w event.Window) []event.Event {
	out := []event.Event{reply(w)}
	for _, m := range w.Members {
		out = append(out, outcomeOf(w, m.DanmakuID, event.Answered, event.Public))
	}
	return out
}

func inBubble(t *testing.T, fn func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, aggregator.DefaultConfig())
		fn(t, r)
		r.stop()
	})
}
