package clickhouse_test

import (
	"strings"
	"testing"
	"time"

	"livehost/analytics/clickhouse"
	"livehost/analytics/query"
	"livehost/internal/fault"
	"livehost/streams/event"
)

func TestMinutes(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	newSink(t, c).store(t, evening1()...)
	got, err := c.Minutes(t.Context(), query.Scope{Room: "room-1"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || !got[0].Start.Equal(time.UnixMilli(evening).Truncate(time.Minute)) {
		t.Fatalf("got %+v, want one minute", got)
	}
	m := got[0]
	if m.Ended[event.Answered] != 1 || m.Ended[event.Merged] != 1 || m.Ended[event.Expired] != 1 {
		t.Errorf("ended %v", m.Ended)
	}
	if m.P50 == nil || *m.P50 != 4000 || *m.P95 != 15_001 || m.Misses != 1 {
		t.Errorf("latency %+v", m)
	}
	none, err := c.Minutes(t.Context(), query.Scope{Room: "elsewhere"})
	if err != nil || len(none) != 0 {
		t.Errorf("of no room: %v, %v", none, err)
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	newSink(t, c).store(t, evening1()...)
	for _, tt := range []struct {
		id         string
		restricted bool
		steps      int
		said       string
		ended      string
	}{
		{"w1#1", false, 2, "w1 ended", "d1 answered"},
		{"w1", true, 2, "w1 ended", ""},
		{"d1", false, 0, "w1 ended", "d1 answered"},
		{"d2", false, 0, "w2 skipped", "d2 merged"},
		{"nothing", false, 0, "", ""},
	} {
		got, err := c.Trace(t.Context(), tt.id, tt.restricted)
		if err != nil {
			t.Fatal(err)
		}
		var said, ended []string
		for _, s := range got.Said {
			said = append(said, s.DeliveryID+" "+s.State)
		}
		for _, e := range got.Ended {
			ended = append(ended, e.DanmakuID+" "+e.State)
		}
		if (len(got.Hits) == 1 && got.Hits[0].Rule == "price_grounding" && got.Hits[0].Span == "99元") != (tt.steps > 0) {
			t.Errorf("%s: hits %+v", tt.id, got.Hits)
		}
		if len(got.Steps) != tt.steps || strings.Join(said, ", ") != tt.said {
			t.Errorf("%s: %d steps, said %v, want %d, %s", tt.id, len(got.Steps), said, tt.steps, tt.said)
		}
		if tt.ended != "" && strings.Join(ended, ", ") != tt.ended {
			t.Errorf("%s: ended %v, want %s", tt.id, ended, tt.ended)
		}
		for _, s := range got.Steps {
			if e := s.Event(); (e.Reasoning != "") != (tt.restricted && e.Kind == event.StepModel) || (e.Kind == event.StepModel && !tt.restricted && e.Output != "") {
				t.Errorf("%s restricted %v: step %+v shows too much or too little", tt.id, tt.restricted, e)
			}
		}
	}
}

func TestExperimentNames(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	names, err := c.ExperimentNames(t.Context())
	if err != nil || len(names) != 0 {
		t.Fatalf("empty store: %v, %v", names, err)
	}
	newSink(t, c).store(t, event.Exposure{
		Schema: 1, ExposureID: "e1", Experiment: "exp", ExperimentVersion: 1, Unit: "u1", Variant: "harness", Kind: event.Bucketed, RoomID: "room-1", TimeMs: evening,
	})
	if names, err = c.ExperimentNames(t.Context()); err != nil || strings.Join(names, ",") != "exp" {
		t.Errorf("got %v, %v", names, err)
	}
}

// A reader starts without the store, reads when it is there, and cannot write.
func TestOpenReader(t *testing.T) {
	t.Parallel()
	cfg := clickhouse.DefaultConfig()
	cfg.DSN = "http://127.0.0.1:1"
	away, err := clickhouse.OpenReader(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	if _, err := away.ExperimentNames(t.Context()); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("the store is away: %v, want unavailable", err)
	}
	e, c := store(t)
	newSink(t, c).store(t, evening1()...)
	cfg.DSN = "http://engine"
	reader, err := clickhouse.OpenReader(cfg, e.Dial)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if got, err := reader.Minutes(t.Context(), query.Scope{}); err != nil || len(got) == 0 {
		t.Errorf("minutes %v, %v", got, err)
	}
	if err := reader.Conn().Exec(t.Context(), "DROP TABLE replies"); err == nil {
		t.Error("a reader dropped a table")
	}
}
