package clickhouse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/analytics/query"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// evening1 is one window that was answered aloud, one whose asker heard the other
// variant, one fallback and one blocked reply.
func evening1() []event.Event {
	window := func(id string, v event.Variant, mode event.Mode, members ...string) event.Window {
		w := event.Window{Schema: 1, WindowID: event.WindowID(id), RoomID: "room-1", Kind: event.DanmakuWindow, Mode: mode, Variant: v, Experiment: "exp", ExperimentVersion: 1,
			EarliestMs: evening, AnswerByMs: evening + 15_000, OpenedMs: evening + 200}
		for _, m := range members {
			w.Members = append(w.Members, event.Member{DanmakuID: event.DanmakuID(m)})
		}
		return w
	}
	reply := func(id string, v event.Variant, fallback string, covers ...event.DanmakuID) event.Reply {
		return event.Reply{Schema: 1, ReplyID: event.WindowID(id), RunID: event.RunID(id + "#1"), RoomID: "room-1", Variant: v, Experiment: "exp", ExperimentVersion: 1,
			Public: &event.PublicReply{Text: "89元", Covers: covers}, Fallback: fallback, AnswerByMs: evening + 15_000, CreatedMs: evening + 4000, Versions: versions,
			Timing: event.Timing{LaneWallUs: 1500, SlotWallUs: 2500, PolicyWallUs: 3_000_000, ToolWallUs: 40_000, RunMs: 3300}}
	}
	delivery := func(id string, v, heard event.Variant, state event.DeliveryState, reason string, danmaku ...event.DanmakuID) event.Delivery {
		return event.Delivery{Schema: 1, DeliveryID: event.DeliveryID(id), ReplyID: event.WindowID(id), RunID: event.RunID(id + "#1"), RoomID: "room-1", Outlet: "print",
			Channel: event.Public, State: state, Reason: reason, Text: "89元", DanmakuIDs: danmaku, Variant: v, HeardVariant: heard, Versions: versions,
			FirstAudioMs: evening + 5000, EndMs: evening + 9000, TimeMs: evening + 9000}
	}
	started := delivery("w1", "harness", "harness", event.DeliveryStarted, "", "d1")
	started.EndMs, started.TimeMs = 0, evening+5000
	end := func(id string, v event.Variant, state event.State, reason string, run string) event.Outcome {
		o := outcome(1, state)
		o.DanmakuID, o.RoomID, o.Variant, o.Reason, o.RunID, o.PlatformMs, o.TimeMs = event.DanmakuID(id), "room-1", v, reason, event.RunID(run), evening, evening+9000
		if o.ReplyMs > 0 {
			o.ReplyMs = evening + 4000
		}
		return o
	}
	merged := end("d2", "react-baseline", event.Merged, "heard_other_variant", "w2#1")
	merged.CoverID = "d1"
	skipped := delivery("w2", "react-baseline", "harness", event.DeliverySkipped, "heard_other_variant", "d2")
	skipped.FirstAudioMs = 0
	return []event.Event{
		window("w1", "harness", event.Single, "d1"), window("w2", "react-baseline", event.Multi, "d2", "d3"),
		reply("w1", "harness", "", "d1"), reply("w2", "react-baseline", "conservative", "d2"),
		started, delivery("w1", "harness", "harness", event.DeliveryEnded, "", "d1"), skipped,
		end("d1", "harness", event.Answered, "spoken", "w1#1"), merged, end("d3", "react-baseline", event.Expired, "deadline", ""),
		event.Step{Schema: 1, RunID: "w1#1", WindowID: "w1", RoomID: "room-1", Variant: "harness", Seq: 1, Round: 1, Kind: event.StepModel, Name: "scripted", Replica: "p0",
			StartedMs: evening + 300, EndedMs: evening + 1300, FirstTokenMs: 250, Output: "get_price", Reasoning: "secret thoughts", Versions: versions},
		event.Step{Schema: 1, RunID: "w1#1", WindowID: "w1", RoomID: "room-1", Variant: "harness", Seq: 2, Round: 1, Kind: event.StepTool, Name: "get_price",
			StartedMs: evening + 1300, EndedMs: evening + 1340, Error: "TIMEOUT", Versions: versions},
		event.GuardrailHit{Schema: 1, HitID: "g1", RoomID: "room-1", WindowID: "w1", RunID: "w1#1", DanmakuIDs: []event.DanmakuID{"d1"}, Variant: "harness", Rule: "price_grounding",
			Version: "3", Stage: "agentworker", Point: "before_reply", Span: "99元", Action: "retry", Cause: "no tool said 99", Versions: versions, TimeMs: evening + 3000},
		event.GuardrailHit{Schema: 1, HitID: "g2", RoomID: "room-2", Variant: "react-baseline", Rule: "pii", Version: "1", Stage: "aggregator", Action: "block", TimeMs: evening + 1000},
	}
}

func TestIncidents(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	newSink(t, c).store(t, evening1()...)
	ids := func(f query.IncidentFilter) string {
		t.Helper()
		list, err := c.Incidents(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, i := range list {
			out = append(out, i.ID)
		}
		return strings.Join(out, " ")
	}
	at := time.UnixMilli(evening)
	for name, tt := range map[string]struct {
		f    query.IncidentFilter
		want string
	}{
		"all, newest first": {query.IncidentFilter{}, "d3 w2#1 g1 g2"},
		"room":              {query.IncidentFilter{Scope: query.Scope{Room: "room-2"}}, "g2"},
		"variant":           {query.IncidentFilter{Scope: query.Scope{Variant: "harness"}}, "g1"},
		"rule":              {query.IncidentFilter{Rule: "price_grounding"}, "g1"},
		"kind":              {query.IncidentFilter{Kind: "fallback"}, "w2#1"},
		"version of rule":   {query.IncidentFilter{Version: "3"}, "g1"},
		"version of policy": {query.IncidentFilter{Version: "p1"}, "w2#1 g1"},
		"cause":             {query.IncidentFilter{Cause: "deadline"}, "d3"},
		"since":             {query.IncidentFilter{Scope: query.Scope{Since: at.Add(4 * time.Second)}}, "d3 w2#1"},
		"until":             {query.IncidentFilter{Scope: query.Scope{Until: at.Add(3 * time.Second)}}, "g2"},
		"limit":             {query.IncidentFilter{Limit: 1}, "d3"},
		"hostile":           {query.IncidentFilter{Rule: "x' OR 1=1 --\n\\"}, ""},
	} {
		if got := ids(tt.f); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	story, err := c.Incident(t.Context(), "", "g1")
	if err != nil {
		t.Fatal(err)
	}
	if len(story.Incidents) < 1 || story.Incidents[0].ID != "g1" || len(story.Steps) != 2 || len(story.Deliveries) != 2 || len(story.Endings) != 1 {
		t.Errorf("%+v", story)
	}
	b, err := json.Marshal(story)
	if err != nil || strings.Contains(string(b), "secret thoughts") {
		t.Errorf("reasoning got out, or %v: %s", err, b)
	}
	var text strings.Builder
	if err := story.Write(&text); err != nil || !strings.Contains(text.String(), "price_grounding") {
		t.Errorf("%v:\n%s", err, text.String())
	}
	if _, err := c.Incident(t.Context(), "", "nothing"); err == nil || fault.KindOf(err) != fault.Invalid {
		t.Errorf("unknown id: %v", err)
	}
}

func TestTailSeesEveryIncidentOnce(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	k := newSink(t, c)
	k.store(t, evening1()...)
	var got []string
	enough := errors.New("enough")
	err := c.TailIncidents(t.Context(), query.IncidentFilter{}, 10*time.Millisecond, func(i query.Incident) error {
		got = append(got, i.ID)
		if len(got) == 4 { // one that comes late, with an earlier time
			k.put(t, event.GuardrailHit{Schema: 1, HitID: "g3", RoomID: "room-1", Rule: "r", Stage: "dispatcher", Action: "block", TimeMs: evening + 2000})
		}
		if len(got) == 5 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || strings.Join(got, " ") != "g2 g1 w2#1 d3 g3" {
		t.Errorf("%v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.TailIncidents(ctx, query.IncidentFilter{}, time.Second, func(query.Incident) error { return nil }); err != nil {
		t.Errorf("ended: %v", err)
	}
}

// The limit is of what is there when the tail begins: a burst is shown whole, and what
// was left out is not shown later as if it were new.
func TestTailShowsABurstWhole(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	k := newSink(t, c)
	hit := func(i int) event.Event {
		return event.GuardrailHit{Schema: 1, HitID: fmt.Sprintf("b%02d", i), RoomID: "room-1", Rule: "r", Stage: "dispatcher", Action: "block", TimeMs: evening + int64(i)}
	}
	var before, burst, want []event.Event
	for i := range 20 {
		before, burst = append(before, hit(i)), append(burst, hit(20+i))
	}
	k.store(t, before...)
	var got []string
	enough := errors.New("enough")
	want = append(slices.Clone(before[17:]), burst...)
	err := c.TailIncidents(t.Context(), query.IncidentFilter{Limit: 3}, 10*time.Millisecond, func(i query.Incident) error {
		got = append(got, i.ID)
		if len(got) == 3 {
			k.store(t, burst...)
		}
		if i.ID == "b39" {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range want {
		ids = append(ids, e.(event.GuardrailHit).HitID)
	}
	if d := cmp.Diff(ids, got); d != "" {
		t.Errorf("shown (-want +got):\n%s", d)
	}
}

func TestLatencyAndCounts(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	empty, err := c.Latency(t.Context(), query.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range empty {
		if l.Count != 0 || l.P50 != nil {
			t.Errorf("without data: %+v", l)
		}
	}
	newSink(t, c).store(t, evening1()...)
	list, err := c.Latency(t.Context(), query.Scope{Room: "room-1", Since: time.UnixMilli(evening)})
	if err != nil {
		t.Fatal(err)
	}
	type figure struct {
		count, misses int64
		p50, max      float64
	}
	got := map[string]figure{}
	for _, l := range list {
		if l.P50 != nil {
			got[l.Stage] = figure{l.Count, l.Misses, *l.P50, *l.Max}
		}
	}
	want := map[string]figure{
		"window_wait": {2, 0, 200, 200}, "lane_wall": {2, 0, 1.5, 1.5}, "slot_wall": {2, 0, 2.5, 2.5}, "policy_wall": {2, 0, 3000, 3000}, "tool_wall": {2, 0, 40, 40},
		"run": {2, 0, 3300, 3300}, "first_token": {1, 0, 250, 250}, "model_call": {1, 0, 1000, 1000}, "tool_call": {1, 1, 40, 40},
		"reply": {3, 1, 4000, 15001}, "heard": {3, 1, 5000, 20001},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(figure{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	counts, err := c.Counts(t.Context(), query.Scope{Room: "room-1"})
	if err != nil {
		t.Fatal(err)
	}
	if counts.Outcomes[event.Answered] != 1 || counts.Outcomes[event.Merged] != 1 || counts.Outcomes[event.Expired] != 1 || counts.Total() != 3 || counts.Conflicts != 0 || len(counts.Outcomes) != 10 {
		t.Errorf("%+v", counts)
	}
	twice := outcome(1, event.Shed)
	twice.DanmakuID, twice.RoomID, twice.PlatformMs = "d1", "room-1", evening
	newSink(t, c).store(t, twice)
	if counts, err = c.Counts(t.Context(), query.Scope{}); err != nil || counts.Conflicts != 1 {
		t.Errorf("two states of one danmaku: %+v, %v", counts, err)
	}
}

// Percentiles are the nearest rank, as in docs/metrics.md and in the summary of a run:
// where the share of the count is a whole number it is that value and not the next.
func TestPercentilesAreTheNearestRank(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	sizes := []int{1, 2, 3, 4, 20, 21, 100, 101}
	var events []event.Event
	for _, n := range sizes {
		for i := range n {
			o := outcome(i, event.Answered)
			o.RoomID, o.PlatformMs, o.ReplyMs = event.RoomID(fmt.Sprint("room-of-", n)), evening, evening+int64(i+1)
			events = append(events, o)
		}
	}
	newSink(t, c).store(t, events...)
	for _, n := range sizes {
		rank := func(p int) float64 { return math.Ceil(float64(p*n) / 100) } // of 1, 2, ... n
		scope := query.Scope{Room: fmt.Sprint("room-of-", n)}
		list, err := c.Latency(t.Context(), scope)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			if l.Stage != "reply" {
				continue
			}
			got := []float64{*l.P50, *l.P90, *l.P95, *l.P99, *l.Max}
			if d := cmp.Diff([]float64{rank(50), rank(90), rank(95), rank(99), rank(100)}, got); d != "" {
				t.Errorf("latency of %d (-want +got):\n%s", n, d)
			}
		}
		minutes, err := c.Minutes(t.Context(), scope)
		if err != nil || len(minutes) != 1 {
			t.Fatalf("%d minutes, %v", len(minutes), err)
		}
		if m := minutes[0]; *m.P50 != rank(50) || *m.P95 != rank(95) {
			t.Errorf("minute of %d: P50 %v, P95 %v, want %v and %v", n, *m.P50, *m.P95, rank(50), rank(95))
		}
	}
}

func TestABReport(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	k := newSink(t, c)
	k.store(t, scene(10)...)
	k.store(t, evening1()...)
	k.store(t,
		exposure("mixed", "harness", event.Bucketed, evening), exposure("mixed", "react-baseline", event.Bucketed, evening+1),
		order("early", "u0", 1, event.OrderConfirmed, 777_000, evening-1), // before u0 was bucketed
		exposure("late", "harness", event.Bucketed, evening+10_000),
		exposure("late", "harness", event.Bucketed, evening+90_000), // logged again after a restart
		order("between", "late", 1, event.OrderConfirmed, 1000, evening+50_000),
		order("refundedfirst", "late", 1, event.OrderPaid, 3000, evening+50_000),
		order("refundedfirst", "late", 2, event.OrderRefunded, 3000, evening+60_000), // never confirmed
		// Thanks for a gift are no answer that could have been heard from the other variant.
		event.Reply{Schema: 1, ReplyID: "e1", RunID: "e1#1", RoomID: "room-1", Variant: "react-baseline", Experiment: "exp", ExperimentVersion: 1, Kind: event.EventWindow,
			Public: &event.PublicReply{Text: "谢谢"}, AnswerByMs: evening + 15_000, CreatedMs: evening + 1000, Versions: versions},
		event.Delivery{Schema: 1, DeliveryID: "e1", ReplyID: "e1", RunID: "e1#1", RoomID: "room-1", Outlet: "print", Channel: event.Public, State: event.DeliveryEnded, Text: "谢谢",
			Variant: "react-baseline", HeardVariant: "react-baseline", Versions: versions, FirstAudioMs: evening + 2000, EndMs: evening + 2000, TimeMs: evening + 2000},
	)
	r, err := c.ABReport(t.Context(), query.Plan{Version: query.Version{Experiment: "exp"}, Control: "react-baseline", Split: map[string]float64{"harness": 1, "react-baseline": 1}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != 1 || r.Units != 42 || r.Mixed != 1 || len(r.Variants) != 2 || r.Unit != "viewer" {
		t.Fatalf("%+v", r)
	}
	h, b := r.Variants[0], r.Variants[1]
	if h.Bucketed != 21 || b.Bucketed != 20 || h.Exposed != 20 {
		t.Errorf("populations: %+v, %+v", h, b)
	}
	if want := float64(20*5000-10*1500+1000) / 21; math.Abs(*h.GMVPerUser-want) > 1e-9 {
		t.Errorf("harness GMV %v, want %v", *h.GMVPerUser, want)
	}
	if *b.GMVPerUser != 5000 || *b.OrdersPerUser != 1 || *b.GMVPerExposed != 5000 {
		t.Errorf("baseline %v fen, %v orders", *b.GMVPerUser, *b.OrdersPerUser)
	}
	if want := 22.0 / 21; math.Abs(*h.OrdersPerUser-want) > 1e-9 {
		t.Errorf("harness orders %v, want %v", *h.OrdersPerUser, want)
	}
	if h.Spoken != 1 || b.Spoken != 0 || b.HeardOtherVariant != 1 || *b.DilutedPublicAnswer != 1 || *h.SpeechShare != 1 || *b.MeanWindowSize != 2 || *b.MultiShare != 1 {
		t.Errorf("deliveries: %+v, %+v", h, b)
	}
	if r.SRM.P < 0.5 || !strings.Contains(r.Verdict, "dilution") {
		t.Errorf("srm %+v, verdict %s", r.SRM, r.Verdict)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	if _, err := c.ABReport(t.Context(), query.Plan{Version: query.Version{Experiment: "nope"}}); err == nil || !strings.Contains(err.Error(), "exp") || fault.KindOf(err) != fault.Invalid {
		t.Errorf("unknown experiment: %v", err)
	}
	if r, err := c.ABReport(t.Context(), query.Plan{Version: query.Version{Experiment: "exp", Version: 7}}); err != nil || len(r.Blocked) == 0 {
		t.Errorf("version nobody was in: %+v, %v", r, err)
	}
}

// A room-level experiment takes the orders of the room.
func TestABReportOfRooms(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	var events []event.Event
	for i := range 6 {
		room := event.RoomID(fmt.Sprintf("room-%d", i))
		e := exposure(string(room), event.Variant([]string{"a", "b"}[i%2]), event.Bucketed, evening)
		e.RoomID = room
		o := order(fmt.Sprint("o", i), "u1", 1, event.OrderConfirmed, int64(1000*(i+1)), evening+1000)
		o.RoomID = room
		events = append(events, e, o)
	}
	newSink(t, c).store(t, events...)
	r, err := c.ABReport(t.Context(), query.Plan{Version: query.Version{Experiment: "exp"}, Control: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if *r.Variants[0].GMVPerUser != 3000 || *r.Variants[1].GMVPerUser != 4000 || !r.SRM.Assumed || r.Unit != "room" {
		t.Errorf("%+v", r)
	}
}

func TestSQLOnlyReads(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	newSink(t, c).store(t, evening1()...)
	r, err := c.SQL(t.Context(), "SELECT state, count() AS n, avg(1/0) AS x, NULL AS nothing, [1,2] AS list, map('a', 1/0) AS m FROM v_danmaku_outcomes GROUP BY state ORDER BY state;", 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 3 || strings.Join(r.Columns, " ") != "state n x nothing list m" {
		t.Errorf("%+v", r)
	}
	if b, err := json.Marshal(r); err != nil || !strings.Contains(string(b), `["answered",1,"+Inf",null,[1,2],{"a":"+Inf"}]`) {
		t.Errorf("%s, %v", b, err)
	}
	r, err = c.SQL(t.Context(), "SELECT (nan, 1), [(1/0, NULL)], toIPv4('10.0.0.1'), toIPv6('::1')", 10)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := json.Marshal(r.Rows); err != nil || string(b) != `[[["NaN",1],[["+Inf",null]],"10.0.0.1","::1"]]` {
		t.Errorf("tuples and addresses: %s, %v", b, err)
	}
	if r, err := c.SQL(t.Context(), "SELECT number FROM numbers(10)", 3); err != nil || len(r.Rows) != 3 || !r.Truncated {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := c.SQL(t.Context(), "-- a note\n(/* and another */ SELECT 'kill', 1 AS format)", 10); err != nil {
		t.Error(err)
	}
	if r, err := c.SQL(t.Context(), "SHOW TABLES LIKE 'v\\_ab%'", 10); err != nil || len(r.Rows) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, sql := range []string{"DROP TABLE windows", "INSERT INTO windows SELECT * FROM windows", "ALTER TABLE windows DELETE WHERE 1", "TRUNCATE TABLE windows",
		"SELECT 1; DROP TABLE windows", "SET readonly = 0", "SELECT * FROM nothing", "nonsense", "SELECT sleep(1) SETTINGS readonly = 0", "",
		"KILL QUERY WHERE 1", "/* SELECT */ kill query where 1", "SYSTEM FLUSH LOGS", "SELECT 1 FORMAT JSON", "SELECT 1 INTO OUTFILE 'x'"} {
		if _, err := c.SQL(t.Context(), sql, 10); err == nil || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v, want a refusal", sql, err)
		}
	}
	if n := number(t, c, "SELECT count() FROM v_windows"); n != 2 {
		t.Errorf("%d windows are left", n)
	}
}

func TestEveryViewAnswersAndIsDocumented(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	doc, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.SQL(t.Context(), "SELECT table, groupArray(name) FROM system.columns WHERE database = currentDatabase() AND table IN (SELECT name FROM system.tables WHERE engine = 'View') GROUP BY table ORDER BY table", 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) < 15 {
		t.Errorf("only %d views", len(r.Rows))
	}
	_, plain, _ := strings.Cut(string(doc), "## Plain views")
	for _, row := range r.Rows {
		view := fmt.Sprint(row[0])
		if _, err := c.SQL(t.Context(), "SELECT * FROM "+view, 10); err != nil {
			t.Errorf("%s: %v", view, err)
		}
		if !strings.Contains(string(doc), "`"+view+"`") {
			t.Errorf("docs/metrics.md does not explain %s", view)
		}
		if strings.Contains(plain, "`"+view+"`") || view == "exposure_first" {
			continue
		}
		for _, column := range row[1].([]any) {
			if !strings.Contains(string(doc), fmt.Sprintf("`%v`", column)) {
				t.Errorf("docs/metrics.md does not explain %s.%v", view, column)
			}
		}
	}
}
