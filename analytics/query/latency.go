package query

import (
	"fmt"
	"strings"
)

// stage is one thing that takes time.
type stage struct {
	name   string
	what   string // for people
	ms     string // SQL of the milliseconds
	missed string // SQL of whether it counts as a miss
	from   string
	only   string // condition; empty: all rows
	time   string // column that Since and Until restrict
}

// stages are in the order of a danmaku's way.
var stages = []stage{
	{"window_wait", "first member sent to window opened", "dateDiff('millisecond', earliest_time, opened_time)", "0", "v_windows", "kind = 'danmaku'", "earliest_time"},
	{"lane_wall", "window received to run started", "lane_wall_ms", "0", "v_run_stages", "", "created_time"},
	{"slot_wall", "waiting for a policy slot", "slot_wall_ms", "0", "v_run_stages", "", "created_time"},
	{"policy_wall", "inside policy calls", "policy_wall_ms", "0", "v_run_stages", "", "created_time"},
	{"tool_wall", "inside tool calls", "tool_wall_ms", "0", "v_run_stages", "", "created_time"},
	{"run", "run started to reply", "run_ms", "0", "v_run_stages", "", "created_time"},
	{"first_token", "policy call to first token", "first_token_ms", "0", "v_model_calls", "first_token_ms > 0", "started_time"},
	{"model_call", "one policy call; a miss failed", "duration_ms", "error != ''", "v_model_calls", "", "started_time"},
	{"tool_call", "one tool call; a miss failed", "duration_ms", "error != ''", "v_tool_calls", "", "started_time"},
	{"reply", "danmaku sent to reply; a miss is over 15 s", "latency_ms", "latency_ms > 15000", "v_latency", "", "platform_time"},
	{"heard", "danmaku sent to first audio or private text; a miss is over 20 s", "heard_ms", "heard_ms > 20000", "v_heard", "", "platform_time"},
}

// Latency is the percentiles of one stage, in milliseconds. Misses are counted in
// the percentiles: as 15,001 ms (reply) and 20,001 ms (heard). The percentiles of
// a stage without data are nil.
type Latency struct {
	Stage  string   `json:"stage"`
	What   string   `json:"what"`
	Count  int64    `json:"count"`
	Misses int64    `json:"misses"` // too late or never; of calls: failed
	P50    *float64 `json:"p50_ms"`
	P90    *float64 `json:"p90_ms"`
	P95    *float64 `json:"p95_ms"`
	P99    *float64 `json:"p99_ms"`
	Max    *float64 `json:"max_ms"`
}

// LatencyRow is one row of Latencies' answer.
type LatencyRow struct {
	Stage         string
	Count, Misses int64
	Percentiles   []float64 // 50, 90, 95, 99, 100
}

// Fields are where the columns are scanned to.
func (r *LatencyRow) Fields() []any { return []any{&r.Stage, &r.Count, &r.Misses, &r.Percentiles} }

// Latencies asks for all stages at once. Percentiles are values that occurred:
// between a reply and a miss there is nothing to interpolate.
func Latencies(s Scope) Statement {
	parts := make([]string, len(stages))
	var params map[string]any
	for i, st := range stages {
		w := newWhere()
		if st.only != "" {
			w.conditions = append(w.conditions, st.only)
		}
		w.scope(s, st.time)
		parts[i] = "SELECT '" + st.name + "' AS stage, toFloat64(" + st.ms + ") AS ms, toUInt8(" + st.missed + ") AS missed FROM " + st.from + w.clause()
		params = w.params
	}
	return Statement{"SELECT stage, toInt64(count()), toInt64(countIf(missed)), " + percentiles("ms", 50, 90, 95, 99, 100) + "\nFROM (\n" +
		strings.Join(parts, "\nUNION ALL\n") + "\n)\nGROUP BY stage", params}
}

// LatencyReport puts the rows in the order of the stages; those without a row
// have no data.
func LatencyReport(rows []LatencyRow) []Latency {
	out := make([]Latency, len(stages))
	for i, st := range stages {
		out[i] = Latency{Stage: st.name, What: st.what}
		for _, r := range rows {
			if r.Stage != st.name || r.Count == 0 || len(r.Percentiles) != 5 {
				continue
			}
			p := r.Percentiles
			out[i].Count, out[i].Misses = r.Count, r.Misses
			out[i].P50, out[i].P90, out[i].P95, out[i].P99, out[i].Max = &p[0], &p[1], &p[2], &p[3], &p[4]
		}
	}
	return out
}

// LatencyTable is the report for people.
func LatencyTable(list []Latency) Table {
	t := Table{Header: []string{"STAGE", "COUNT", "MISSES", "P50", "P90", "P95", "P99", "MAX", "WHAT (ms)"}, Right: []int{1, 2, 3, 4, 5, 6, 7}}
	for _, l := range list {
		row := []string{l.Stage, fmt.Sprint(l.Count), fmt.Sprint(l.Misses)}
		for _, p := range []*float64{l.P50, l.P90, l.P95, l.P99, l.Max} {
			row = append(row, milliseconds(l.Stage, p))
		}
		t.Rows = append(t.Rows, append(row, l.What))
	}
	return t
}

func milliseconds(stage string, p *float64) string {
	switch {
	case p == nil:
		return "-"
	case stage == "reply" && *p > 15_000:
		return ">15000"
	case stage == "heard" && *p > 20_000:
		return ">20000"
	case *p < 10:
		return fmt.Sprintf("%.1f", *p)
	}
	return fmt.Sprintf("%.0f", *p)
}
