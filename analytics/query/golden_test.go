package query_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/analytics/query"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

func render(s query.Statement) string {
	var b strings.Builder
	b.WriteString(s.SQL + "\n")
	names := make([]string, 0, len(s.Params))
	for n := range s.Params {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintf(&b, "-- %s = %#v\n", n, s.Params[n])
	}
	return b.String()
}

var scope = query.Scope{Room: "r'1", Variant: "harness", Since: time.UnixMilli(1_790_000_000_000), Until: time.UnixMilli(1_790_003_600_000)}

// Statements are every question, open and fully restricted.
func statements() map[string]query.Statement {
	v := query.Version{Experiment: "harness-vs-react", Version: 1}
	return map[string]query.Statement{
		"incidents_all":  query.Incidents(query.IncidentFilter{}),
		"incidents":      query.Incidents(query.IncidentFilter{Scope: scope, Kind: "guardrail", Rule: "price_grounding", Cause: "c", Version: "h1", Limit: 5}),
		"incident":       query.IncidentByID("", "g1"),
		"incident_room":  query.IncidentByID("r'1", "d1"),
		"columns":        query.Columns("windows"),
		"steps":          query.Steps("w1#1"),
		"deliveries":     query.Deliveries("w1#1"),
		"endings":        query.Endings("r1", []string{"d1", "d2"}),
		"outcomes":       query.OutcomeCounts(scope),
		"conflicts":      query.OutcomeConflicts(""),
		"latency":        query.Latencies(scope),
		"latency_all":    query.Latencies(query.Scope{}),
		"experiments":    query.Experiments(),
		"latest_version": query.LatestVersion("harness-vs-react"),
		"ab_units":       query.Units(v),
		"ab_mixed":       query.MixedUnits(v),
		"ab_windows":     query.Windows(v),
		"ab_speech":      query.Speech(v),
	}
}

func TestGoldenSQL(t *testing.T) {
	t.Parallel()
	for name, s := range statements() {
		golden(t, name+".sql", render(s))
		if strings.Contains(s.SQL, "r'1") || strings.Contains(s.SQL, "price_grounding") {
			t.Errorf("%s: a value is in the SQL text", name)
		}
	}
}

func units(variant string, n int64, gmv, variance float64) query.VariantUnits {
	return query.VariantUnits{Variant: variant, Unit: "viewer", Units: n, Exposed: n / 2, GMV: query.Moments{Mean: gmv, Variance: variance}, Orders: query.Moments{Mean: 0.1, Variance: 0.09},
		GMVExposed: query.Moments{Mean: 2 * gmv, Variance: variance}, OrdersExposed: query.Moments{Mean: 0.2, Variance: 0.16}}
}

func plan() query.Plan {
	return query.Plan{Version: query.Version{Experiment: "harness-vs-react", Version: 1}, Control: "react-baseline", Split: map[string]float64{"react-baseline": 5000, "harness": 5000}}
}

func input() query.ABInput {
	return query.ABInput{
		Units: []query.VariantUnits{units("harness", 5010, 1300, 4e6), units("react-baseline", 4990, 1200, 4e6)}, SeenUnits: 10_003, Mixed: 3,
		Windows: []query.VariantWindows{{Variant: "harness", Windows: 400, Members: 820, Multi: 100}, {Variant: "react-baseline", Windows: 410, Members: 830, Multi: 101}},
		Speech: []query.VariantSpeech{{Variant: "harness", Spoken: 300, HeardOther: 6, Private: 20, SpeechMs: 1_200_000},
			{Variant: "react-baseline", Spoken: 310, HeardOther: 7, Private: 21, SpeechMs: 1_100_000}},
	}
}

func TestGoldenReport(t *testing.T) {
	t.Parallel()
	r := query.NewABReport(plan(), input())
	if len(r.Blocked) != 0 {
		t.Errorf("blocked: %v", r.Blocked)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.txt", b.String())
	j, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", string(j)+"\n")
}

func TestVerdictIsBlocked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*query.Plan, *query.ABInput)
		want   string
	}{
		"sample ratio":  {func(_ *query.Plan, in *query.ABInput) { in.Units[0].Units, in.Units[1].Units = 9463, 7681 }, "sample ratio mismatch (p = 3.5e-42)"},
		"planned split": {func(p *query.Plan, _ *query.ABInput) { p.Split["harness"] = 1004 }, "sample ratio mismatch"},
		"other version": {func(p *query.Plan, in *query.ABInput) { p.SplitOf, in.Units[0].Units = 2, 1004 }, "equal shares, which are assumed"},
		"mixed units":   {func(_ *query.Plan, in *query.ABInput) { in.Mixed = 150 }, "150 of 10003 units"},
		"window size":   {func(_ *query.Plan, in *query.ABInput) { in.Windows[0].Members = 1600 }, "window size differs"},
		"mode":          {func(_ *query.Plan, in *query.ABInput) { in.Windows[0].Multi = 200 }, "mode differs"},
		"dilution":      {func(_ *query.Plan, in *query.ABInput) { in.Speech[0].HeardOther = 100 }, "dilution: 25.0 % of harness"},
		"one variant":   {func(p *query.Plan, in *query.ABInput) { p.Split, in.Units = nil, in.Units[:1] }, "fewer than two variants"},
		"empty":         {func(p *query.Plan, in *query.ABInput) { *in, p.Split = query.ABInput{}, nil }, "fewer than two variants"},
		"nobody came":   {func(_ *query.Plan, in *query.ABInput) { *in = query.ABInput{} }, "no units"},
		"foreign":       {func(p *query.Plan, _ *query.ABInput) { p.Control, p.Split = "other", nil }, "nobody is in control (other)"},
	} {
		p, in := plan(), input()
		tt.change(&p, &in)
		r := query.NewABReport(p, in)
		if !strings.Contains(strings.Join(r.Blocked, "\n"), tt.want) || !strings.HasPrefix(r.Verdict, "none: ") {
			t.Errorf("%s: blocked %v, verdict %q; want %q", name, r.Blocked, r.Verdict, tt.want)
		}
		if _, err := json.Marshal(r); err != nil { // NaN cannot be written
			t.Errorf("%s: %v", name, err)
		}
		if err := r.Write(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
	}
}

// Every sign hangs on which variant is control: one that was guessed is said to be.
func TestAGuessedControlIsSaid(t *testing.T) {
	t.Parallel()
	p := plan()
	p.Control = ""
	r := query.NewABReport(p, input())
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	if r.Control != "harness" || !r.ControlAssumed || !strings.Contains(r.Verdict, "react-baseline: GMV per bucketed user is lower") {
		t.Errorf("control %s, assumed %v, verdict %s", r.Control, r.ControlAssumed, r.Verdict)
	}
	for where, text := range map[string]string{"verdict": r.Verdict, "report": b.String()} {
		if !strings.Contains(text, "which variant is control is not known") {
			t.Errorf("the %s does not say that control is assumed:\n%s", where, text)
		}
	}
}

func TestDegenerateEffectsHaveAReason(t *testing.T) {
	t.Parallel()
	in := input()
	in.Units = []query.VariantUnits{{Variant: "harness", Units: 3}, {Variant: "react-baseline", Units: 2}}
	r := query.NewABReport(plan(), in)
	for _, e := range r.Effects {
		if e.Reason == "" || e.Interval != nil || e.P != 1 {
			t.Errorf("%+v", e)
		}
	}
	if len(r.Effects) != 4 {
		t.Errorf("%d effects", len(r.Effects))
	}
}

func TestGoldenLatency(t *testing.T) {
	t.Parallel()
	list := query.LatencyReport([]query.LatencyRow{
		{Stage: "reply", Count: 100, Misses: 6, Percentiles: []float64{3407, 8000, 15001, 15001, 15001}},
		{Stage: "lane_wall", Count: 90, Percentiles: []float64{0.25, 1, 9.94, 120.4, 300}},
		{Stage: "heard", Count: 0},
	})
	var b bytes.Buffer
	if err := query.LatencyTable(list).Write(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "latency.txt", b.String())
	if _, err := json.Marshal(list); err != nil {
		t.Fatal(err)
	}
}

func TestTableAlignsChinese(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := (query.Table{Header: []string{"A", "N"}, Rows: [][]string{{"价格", "1"}, {"ab", "22"}}, Right: []int{1}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	if want := "A      N\n价格   1\nab    22\n"; b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
	b.Reset()
	if err := (query.Table{Header: []string{"A"}}).Write(&b); err != nil || b.String() != "none\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
