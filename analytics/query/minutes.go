package query

import (
	"slices"
	"time"

	"livehost/streams/event"
)

// Minute is the danmaku that were asked in one minute: how they ended, and how
// long replies took. A reply's miss counts as 15,001 ms, as in Latency.
type Minute struct {
	Start   time.Time             `json:"start"`
	Ended   map[event.State]int64 `json:"ended"`
	Counted int64                 `json:"counted"` // that should have had a reply
	Misses  int64                 `json:"misses"`  // late or never
	P50     *float64              `json:"p50_ms"`
	P95     *float64              `json:"p95_ms"`
}

// MinuteEnded is one row of MinuteOutcomes' answer.
type MinuteEnded struct {
	Start time.Time
	State string
	N     int64
}

// Fields are where the columns are scanned to.
func (m *MinuteEnded) Fields() []any { return []any{&m.Start, &m.State, &m.N} }

// MinuteOutcomes counts danmaku by the minute they were asked in and by state.
func MinuteOutcomes(s Scope) Statement {
	w := newWhere()
	w.scope(s, "platform_time")
	return Statement{"SELECT toStartOfMinute(platform_time) AS minute, state, toInt64(count())\nFROM v_danmaku_outcomes" + w.clause() + "\nGROUP BY minute, state\nORDER BY minute, state", w.params}
}

// MinuteLatency is one row of MinuteLatencies' answer.
type MinuteLatency struct {
	Start           time.Time
	Counted, Misses int64
	Percentiles     []float64 // 50, 95
}

// Fields are where the columns are scanned to.
func (m *MinuteLatency) Fields() []any {
	return []any{&m.Start, &m.Counted, &m.Misses, &m.Percentiles}
}

// MinuteLatencies asks for the latency to the reply by the minute of asking.
func MinuteLatencies(s Scope) Statement {
	w := newWhere()
	w.scope(s, "platform_time")
	return Statement{"SELECT toStartOfMinute(platform_time) AS minute, toInt64(count()), toInt64(countIf(latency_ms > 15000)), " + percentiles("toFloat64(latency_ms)", 50, 95) + "\nFROM v_latency" + w.clause() + "\nGROUP BY minute\nORDER BY minute", w.params}
}

// Minutes joins the two answers, in order of time.
func Minutes(ended []MinuteEnded, latencies []MinuteLatency) []Minute {
	at := map[int64]*Minute{}
	minute := func(start time.Time) *Minute {
		m, ok := at[start.Unix()]
		if !ok {
			m = &Minute{Start: start.UTC(), Ended: map[event.State]int64{}}
			at[start.Unix()] = m
		}
		return m
	}
	for _, e := range ended {
		minute(e.Start).Ended[event.State(e.State)] = e.N
	}
	for _, l := range latencies {
		m := minute(l.Start)
		m.Counted, m.Misses = l.Counted, l.Misses
		if l.Counted > 0 && len(l.Percentiles) == 2 {
			m.P50, m.P95 = &l.Percentiles[0], &l.Percentiles[1]
		}
	}
	out := make([]Minute, 0, len(at))
	for _, m := range at {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b Minute) int { return a.Start.Compare(b.Start) })
	return out
}
