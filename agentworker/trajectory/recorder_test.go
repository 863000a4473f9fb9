package trajectory_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"livehost/agentworker/trajectory"
	"livehost/streams/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// slow is a log that takes its time for a batch.
type slow struct {
	batches [][]event.Step
	err     error
}

func (s *slow) Publish(_ context.Context, events ...event.Event) error {
	t := time.NewTimer(time.Second)
	<-t.C
	var batch []event.Step
	for _, e := range events {
		st, _ := e.(event.Step)
		batch = append(batch, st)
	}
	s.batches = append(s.batches, batch)
	return s.err
}

func TestBatchesWhileInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &slow{}
		r := trajectory.New(log, event.Step{RunID: "w#1", WindowID: "w", RoomID: "r", Variant: "v"})
		began := time.Now()
		r.Add(t.Context(), event.Step{Kind: event.StepClaim})
		synctest.Wait()
		r.SetVersions(event.Versions{Release: "x"})
		for range 5 {
			r.Add(t.Context(), event.Step{Kind: event.StepTool})
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("adding took %v", took)
		}
		if err := r.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 2*time.Second || len(log.batches) != 2 {
			t.Errorf("%d batches in %v, want 2 in 2s", len(log.batches), took)
		}
		seq := 0
		for _, b := range log.batches {
			for _, st := range b {
				if seq++; st.Seq != seq || st.RunID != "w#1" || st.RoomID != "r" || st.Schema != event.SchemaVersion {
					t.Errorf("step %d: %+v", seq, st)
				}
			}
		}
		if got := log.batches[1][0].Versions.Release; seq != 6 || got != "x" {
			t.Errorf("%d steps, release %q", seq, got)
		}
	})
}

func TestFlushReportsAndCancelledRunsAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		log := &slow{err: down}
		r := trajectory.New(log, event.Step{RunID: "w#1"})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r.Add(ctx, event.Step{})
		if err := r.Flush(t.Context()); !errors.Is(err, down) {
			t.Errorf("Flush: %v, want the log's error", err)
		}
		if len(log.batches) != 1 {
			t.Errorf("%d batches", len(log.batches))
		}
	})
}

func TestFlushEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := trajectory.New(&slow{}, event.Step{RunID: "w#1"})
		r.Add(t.Context(), event.Step{})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := r.Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Flush: %v, want the context's end", err)
		}
		if err := r.Flush(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestCaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &slow{}
		r := trajectory.New(log, event.Step{})
		long := strings.Repeat("价", 300_000)
		r.Add(t.Context(), event.Step{Input: long, Output: long, Reasoning: long})
		if err := r.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		st := log.batches[0][0]
		for most, s := range map[int]string{trajectory.MaxInput: st.Input, trajectory.MaxOutput: st.Output, trajectory.MaxReasoning: st.Reasoning} {
			if len(s) > most+100 || !utf8.ValidString(s) || !strings.Contains(s, "left out") {
				t.Errorf("%d bytes, at most %d", len(s), most)
			}
		}
	})
}
