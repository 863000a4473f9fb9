package query_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/analytics/query"
	"livehost/streams/event"
)

func TestGoldenConsoleStatements(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]query.Statement{
		"minute_outcomes":      query.MinuteOutcomes(scope),
		"minute_latency":       query.MinuteLatencies(query.Scope{}),
		"run_steps":            query.RunSteps("w'1#1", false),
		"run_steps_restricted": query.RunSteps("w1#1", true),
		"deliveries_of":        query.DeliveriesOf("d1"),
		"outcomes_of":          query.OutcomesOf("d1"),
		"hits_of":              query.HitsOf("w1#1"),
	} {
		golden(t, name+".sql", render(s))
	}
}

// Reasoning and raw output are read by the restricted question alone.
func TestRunStepsRestricted(t *testing.T) {
	t.Parallel()
	if sql := query.RunSteps("x", false).SQL; strings.Contains(sql, "reasoning") || !strings.Contains(sql, "if(kind = 'model', '', output)") {
		t.Errorf("the open question reads too much:\n%s", sql)
	}
}

func TestMinutes(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC) }
	got := query.Minutes(
		[]query.MinuteEnded{{at(2), "answered", 3}, {at(1), "shed", 1}, {at(2), "failed", 1}},
		[]query.MinuteLatency{{at(2), 4, 1, []float64{3000, 15001}}, {at(3), 0, 0, nil}},
	)
	p50, p95 := 3000.0, 15001.0
	want := []query.Minute{
		{Start: at(1), Ended: map[event.State]int64{event.Shed: 1}},
		{Start: at(2), Ended: map[event.State]int64{event.Answered: 3, event.Failed: 1}, Counted: 4, Misses: 1, P50: &p50, P95: &p95},
		{Start: at(3), Ended: map[event.State]int64{}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("minutes (-want +got):\n%s", d)
	}
}
