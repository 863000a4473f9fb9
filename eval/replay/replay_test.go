package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model/modeltest"
	"livehost/agentworker/prompt"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/agentworker/trajectory"
	"livehost/eval/audit"
	"livehost/eval/replay"
	"livehost/harness"
	"livehost/harness/harnesstest"
	"livehost/internal/clock"
	"livehost/streams/event"
)

var silent = slog.New(slog.DiscardHandler)

func release(t *testing.T, edit func(fstest.MapFS)) *runner.Release {
	t.Helper()
	fsys := harnesstest.FS(t)
	if edit != nil {
		edit(fsys)
	}
	h, err := harness.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	content, err := h.Release(harnesstest.Release)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := hook.New(content.Hooks, guardrail.Checks())
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := prompt.New(prompt.DefaultConfig(), content)
	if err != nil {
		t.Fatal(err)
	}
	return &runner.Release{Release: content, Engine: engine, Prompts: prompts}
}

// shop counts its calls.
type shop struct {
	mu     sync.Mutex
	calls  int
	answer string // empty: a product
}

func (s *shop) Call(context.Context, string, string, map[string]any, map[string]any) (tool.Output, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.answer != "" {
		return tool.Output{Text: s.answer}, nil
	}
	return tool.Output{Text: `{"link_id":"1","product_id":"p1","price":"89元","price_fen":8900,"coupon":"c1"}`}, nil
}

type keep struct{ steps []audit.Entry[event.Step] }

func (k *keep) Publish(_ context.Context, events ...event.Event) error {
	for _, e := range events {
		k.steps = append(k.steps, audit.Entry[event.Step]{V: e.(event.Step)})
	}
	return nil
}

// record makes a run and gives the log it would leave.
func record(t *testing.T, s *shop, steps ...modeltest.Step) *audit.Log {
	t.Helper()
	return recordWith(t, release(t, nil), s, steps...)
}

func recordWith(t *testing.T, rel *runner.Release, s *shop, steps ...modeltest.Step) *audit.Log {
	t.Helper()
	clk, err := clock.New(time.Now(), 1./60) // a second of the budgets is a minute of a busy machine's
	if err != nil {
		t.Fatal(err)
	}
	rel.Toolbox, err = tool.New(tool.DefaultConfig(), tool.Deps{Log: silent, Servers: s})
	if err != nil {
		t.Fatal(err)
	}
	run, err := runner.New(runner.DefaultConfig(), runner.Deps{Clock: clk, Log: silent, Model: modeltest.New(steps...)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	w := event.Window{
		Schema: 1, WindowID: "w1", RoomID: "r", Kind: event.DanmakuWindow, Mode: event.Single, Variant: "main", Language: "zh", Intent: "price",
		Members: []event.Member{{
			DanmakuID: "d1", ViewerID: "v1", ViewerName: "小雨", Text: "1号多少钱", Question: "1号多少钱", Language: "zh", FocusLink: "1", Ask: 1,
			PlatformMs: now.UnixMilli(), AnswerByMs: now.Add(15 * time.Second).UnixMilli(),
		}},
		AnswerByMs: now.Add(15 * time.Second).UnixMilli(),
		Context:    event.ContextSnapshot{Settings: event.RoomSettings{Language: "zh", PrivateText: true}, FocusLink: "1"},
	}
	k := &keep{}
	rec := trajectory.New(k, event.Step{RunID: "w1#1", WindowID: "w1", RoomID: "r", Variant: "main", Versions: rel.Versions()})
	res, err := run.Run(t.Context(), runner.Task{
		Window: w, Attempt: 1, Deadline: now.Add(clk.Wall(10 * time.Second)), Release: rel, Received: now, Recorder: rec,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := &audit.Log{Windows: []audit.Entry[event.Window]{{V: w}}, Steps: k.steps}
	if res.Reply != nil {
		l.Replies = []audit.Entry[event.Reply]{{V: *res.Reply}}
	}
	for _, h := range res.Hits {
		l.Hits = append(l.Hits, audit.Entry[event.GuardrailHit]{V: h})
	}
	return l
}

var script = []modeltest.Step{
	modeltest.Call("load_skill", `{"name":"price"}`, "get_product", `{"link_id":"1"}`, "issue_coupon", `{"danmaku_id":"d1"}`),
	modeltest.Say("今天89元哦"),
}

func replayed(t *testing.T, l *audit.Log, o replay.Options) replay.Report {
	t.Helper()
	runs, err := replay.Find(l, "d1")
	if err != nil {
		t.Fatal(err)
	}
	o.Log = silent
	rep, err := replay.Replay(t.Context(), runs[0], o)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestTheSameHarnessSaysTheSame(t *testing.T) {
	t.Parallel()
	s := &shop{}
	l := record(t, s, script...)
	calls := s.calls
	rep := replayed(t, l, replay.Options{Release: release(t, nil)})
	if rep.DivergedAt != nil || !rep.SameTexts || len(rep.After) == 0 || len(rep.Unrecorded) > 0 {
		t.Errorf("%+v, diverged %+v", rep, rep.DivergedAt)
	}
	if s.calls != calls || calls == 0 {
		t.Errorf("%d calls of the shop, %d before the replay", s.calls, calls)
	}
}

// A call that a hook refused was never made: its step is not what the same call gave later.
func TestARefusedCallIsNoResult(t *testing.T) {
	t.Parallel()
	params := withHook("params", "point: before_tool\ncheck: tool_params\naction: block\n")
	s := &shop{answer: `{"link_id":"1","product_id":"p1","price":"89元","price_fen":8900,"goes_with":{"link_id":"7"}}`}
	l := recordWith(t, release(t, params), s,
		modeltest.Call("load_skill", `{"name":"price"}`, "get_product", `{"link_id":"7"}`), // nobody has said 7
		modeltest.Call("get_product", `{"link_id":"1"}`),
		modeltest.Call("get_product", `{"link_id":"7"}`),
		modeltest.Say("今天89元哦"))
	if s.calls != 2 {
		t.Fatalf("%d calls of the shop, want the first to be refused and two made", s.calls)
	}
	rep := replayed(t, l, replay.Options{Release: release(t, params)})
	if rep.DivergedAt != nil || !rep.SameTexts || len(rep.Unrecorded) > 0 {
		t.Errorf("%+v, diverged %+v", rep, rep.DivergedAt)
	}
}

// A result that a hook refused did come: the replay has it again.
func TestARefusedResultIsOne(t *testing.T) {
	t.Parallel()
	results := withHook("results", "point: after_tool\nwhen: tool.name == \"get_product\"\naction: block\n")
	l := recordWith(t, release(t, results), &shop{}, modeltest.Call("load_skill", `{"name":"price"}`, "get_product", `{"link_id":"1"}`), modeltest.Say("我再看看哦"))
	rep := replayed(t, l, replay.Options{Release: release(t, results)})
	if rep.DivergedAt != nil || !rep.SameTexts || len(rep.Unrecorded) > 0 {
		t.Errorf("%+v, diverged %+v", rep, rep.DivergedAt)
	}
	if d := try(t, l, results); len(d.Changes) > 0 {
		t.Errorf("a dry run of the same hooks finds %+v", d.Changes)
	}
}

// What a tool may answer, its step holds: a replay shows the policy the same of it.
func TestALongResultIsKeptWhole(t *testing.T) {
	t.Parallel()
	const begin, end = `{"link_id":"1","product_id":"p1","price":"89元","price_fen":8900,"notes":"`, `"}`
	for _, length := range []int{tool.MaxAnswer, tool.MaxAnswer + 1} { // taken, and refused as too long
		s := &shop{answer: begin + strings.Repeat("x", length-len(begin+end)) + end}
		l := record(t, s, script...)
		rep := replayed(t, l, replay.Options{Release: release(t, nil)})
		if rep.DivergedAt != nil || !rep.SameTexts || len(rep.Unrecorded) > 0 {
			t.Errorf("%d bytes: %+v, diverged %+v", length, rep, rep.DivergedAt)
		}
	}
}

func TestAChangedPromptDivergesAtOnce(t *testing.T) {
	t.Parallel()
	l := record(t, &shop{}, script...)
	rep := replayed(t, l, replay.Options{Release: release(t, func(fsys fstest.MapFS) {
		fsys["prompts/boundaries.md"].Data = []byte("Something else.")
	})})
	if d := rep.DivergedAt; d == nil || d.Request != 1 || d.Round != 1 || len(rep.After) > 0 {
		t.Errorf("%+v, diverged %+v", rep, rep.DivergedAt)
	}
}

func TestAChangedSkillDivergesAfterItIsLoaded(t *testing.T) {
	t.Parallel()
	l := record(t, &shop{}, script...)
	rep := replayed(t, l, replay.Options{Release: release(t, func(fsys fstest.MapFS) {
		fsys["skills/price/SKILL.md"].Data = append(fsys["skills/price/SKILL.md"].Data, "\nBe brief.\n"...)
	})})
	if d := rep.DivergedAt; d == nil || d.Request != 2 || !strings.Contains(d.Replayed, "Be brief") {
		t.Errorf("diverged %+v", rep.DivergedAt)
	}
}

func TestALivePolicyGoesOnWithoutWrites(t *testing.T) {
	t.Parallel()
	s := &shop{}
	l := record(t, s, script...)
	calls := s.calls
	live := modeltest.New(
		modeltest.Call("load_skill", `{"name":"price"}`, "get_product", `{"link_id":"1"}`, "issue_coupon", `{"danmaku_id":"d1","amount":"9"}`),
		modeltest.Say("今天只要89元"))
	rep := replayed(t, l, replay.Options{Live: live, Release: release(t, func(fsys fstest.MapFS) {
		fsys["prompts/boundaries.md"].Data = []byte("Something else.")
	})})
	if !rep.Live || rep.SameTexts || len(rep.After) != 1 || !strings.Contains(rep.After[0], "只要89元") {
		t.Errorf("%+v", rep)
	}
	if s.calls != calls {
		t.Errorf("the replay called the shop %d times", s.calls-calls)
	}
}

func TestWaterfallHidesReasoning(t *testing.T) {
	t.Parallel()
	l := record(t, &shop{}, script...)
	for i := range l.Steps {
		if l.Steps[i].V.Kind == event.StepModel {
			l.Steps[i].V.Reasoning = "secret thoughts"
		}
	}
	runs, err := replay.Find(l, "w1#1")
	if err != nil {
		t.Fatal(err)
	}
	for _, restricted := range []bool{false, true} {
		var b bytes.Buffer
		if err := runs[0].Waterfall(&b, restricted); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if strings.Contains(got, "secret thoughts") != restricted {
			t.Errorf("restricted %v:\n%s", restricted, got)
		}
		for _, want := range []string{"release main", "harness ", "model v1", "get_product", `"price_fen":8900`, "今天89元", "left s"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
	if _, err := replay.Find(l, "nobody"); err == nil {
		t.Error("an unknown id is found")
	}
	if _, err := json.Marshal(runs[0]); err != nil {
		t.Error(err)
	}
}
