package runner_test

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/tools/txtar"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model"
	"livehost/agentworker/prompt"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/agentworker/trajectory"
	"livehost/harness"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// shop is the tools' server: the answers by tool, after a wait.
type shop struct {
	wait    map[string]time.Duration
	answers map[string]tool.Output
}

func (s shop) Call(ctx context.Context, _, name string, args, meta map[string]any) (tool.Output, error) {
	t := time.NewTimer(s.wait[name])
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		return tool.Output{}, ctx.Err()
	}
	key := name
	if link, ok := args["link_id"].(string); ok {
		key += " " + link
	}
	if viewer, ok := meta["livehost/viewer_id"].(string); ok && name == "get_order_status" {
		key += " " + viewer
	}
	out, ok := s.answers[key]
	if !ok {
		link, _ := args["link_id"].(string)
		return tool.Output{Text: `{"error":"NOT_FOUND","message":"nothing","link_id":"` + link + `"}`, IsError: true}, nil
	}
	return out, nil
}

var defaultShop = shop{answers: map[string]tool.Output{
	"get_product 1":       {Text: `{"link_id":"1","product_id":"p1","name":"围巾","price":"89元","price_fen":8900,"stock":3,"in_stock":true,"promotion":"满300减50"}`},
	"get_product 2":       {Text: `{"link_id":"2","product_id":"p2","name":"帽子","price":"59元","price_fen":5900,"stock":0,"in_stock":false,"promotion":""}`},
	"get_order_status v1": {Text: `{"order_id":"9900112233","status":"shipped","status_text":"您的订单已发货，明天送到"}`},
}}

// stepLog keeps what runs recorded.
type stepLog struct{ trajectory.Memory }

// Publish implements streams.Publisher; a nil log keeps nothing.
func (l *stepLog) Publish(ctx context.Context, events ...event.Event) error {
	if l == nil {
		return nil
	}
	return l.Memory.Publish(ctx, events...)
}

// causes are the causes of the fallback steps, "to: cause".
func (l *stepLog) causes() []string {
	var out []string
	for _, st := range l.Steps() {
		if st.Kind == event.StepFallback {
			out = append(out, st.Name+": "+st.Cause)
		}
	}
	return out
}

type rig struct {
	*runner.Runner
	clock   *clock.Clock
	release *runner.Release
	log     *stepLog
	took    time.Duration
}

func harnessFS(tb testing.TB) fs.FS {
	tb.Helper()
	a, err := txtar.ParseFile("testdata/harness.txtar")
	if err != nil {
		tb.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for _, f := range a.Files {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return fsys
}

func newRig(tb testing.TB, m model.Model, s tool.Servers) *rig {
	tb.Helper()
	return newRigOn(tb, clock.Real(), runner.DefaultConfig(), m, s)
}

// slowly is a clock for runs that wait for the machine: the budgets are room time, and
// none runs out because the machine is busy.
func slowly(tb testing.TB) *clock.Clock {
	tb.Helper()
	c, err := clock.New(time.Now(), 1./60)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func newRigOn(tb testing.TB, c *clock.Clock, cfg runner.Config, m model.Model, s tool.Servers) *rig {
	tb.Helper()
	return newRigOf(tb, harnessFS(tb), "full", c, cfg, m, s)
}

// shipped is a rig on the harness that we ship.
func shipped(tb testing.TB, m model.Model, s tool.Servers) *rig {
	tb.Helper()
	return newRigOf(tb, os.DirFS("../../harness"), "harness", clock.Real(), runner.DefaultConfig(), m, s)
}

func newRigOf(tb testing.TB, content fs.FS, release string, c *clock.Clock, cfg runner.Config, m model.Model, s tool.Servers) *rig {
	tb.Helper()
	h, err := harness.Load(content)
	if err != nil {
		tb.Fatal(err)
	}
	rel, err := h.Release(release)
	if err != nil {
		tb.Fatal(err)
	}
	engine, err := hook.New(rel.Hooks, guardrail.Checks())
	if err != nil {
		tb.Fatal(err)
	}
	prompts, err := prompt.New(prompt.DefaultConfig(), rel)
	if err != nil {
		tb.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	tools, err := tool.New(tool.DefaultConfig(), tool.Deps{Log: log, Servers: s})
	if err != nil {
		tb.Fatal(err)
	}
	r, err := runner.New(cfg, runner.Deps{Clock: c, Log: log, Model: m})
	if err != nil {
		tb.Fatal(err)
	}
	return &rig{Runner: r, clock: c, log: &stepLog{}, release: &runner.Release{Release: rel, Engine: engine, Toolbox: tools, Prompts: prompts}}
}

func member(id, text, intent string) event.Member {
	now := time.Now()
	lang := "zh"
	if !strings.ContainsFunc(text, func(r rune) bool { return r > 127 }) {
		lang = "en"
	}
	return event.Member{
		DanmakuID: event.DanmakuID(id), ViewerID: event.ViewerID("v" + id[1:]), ViewerName: "小雨", Text: text, Question: text,
		Language: lang, Intent: intent, FocusLink: "1", Ask: 1, PlatformMs: now.UnixMilli(), AnswerByMs: now.Add(15 * time.Second).UnixMilli(),
	}
}

// window is one of the members, asked now: a busy machine comes to a test late.
func window(mode event.Mode, members ...event.Member) event.Window {
	now := time.Now()
	members = slices.Clone(members)
	for i := range members {
		members[i].PlatformMs, members[i].AnswerByMs = now.UnixMilli(), now.Add(15*time.Second).UnixMilli()
	}
	return event.Window{
		Schema: 1, WindowID: "w1", RoomID: "r", Kind: event.DanmakuWindow, Mode: mode, Variant: "full", Language: members[0].Language,
		Intent: members[0].Intent, Class: event.ClassPurchase, Members: members, AnswerByMs: now.Add(15 * time.Second).UnixMilli(),
		SpeakByMs: now.Add(20 * time.Second).UnixMilli(),
		Context: event.ContextSnapshot{
			Settings: event.RoomSettings{Language: "zh", PrivateText: true, HandOver: true}, FocusLink: "1",
		},
	}
}

// task is a run of the window that begins now.
func (r *rig) task(w event.Window) runner.Task {
	now := time.Now()
	return runner.Task{
		Window: w, Attempt: 1, Deadline: now.Add(r.clock.Wall(10 * time.Second)), Release: r.release, Received: now,
		Recorder: trajectory.New(r.log, event.Step{RunID: "w1#1", WindowID: "w1", RoomID: "r", Variant: "full", Versions: r.release.Versions()}),
	}
}

func (r *rig) run(tb testing.TB, w event.Window) runner.Result {
	tb.Helper()
	return r.runWithin(tb, w, 10*time.Second)
}

// runWithin is run for a window that has waited: it has less time left.
func (r *rig) runWithin(tb testing.TB, w event.Window, left time.Duration) runner.Result {
	tb.Helper()
	began, task := time.Now(), r.task(w)
	task.Deadline = began.Add(r.clock.Wall(left))
	res, err := r.Run(tb.Context(), task)
	if err != nil {
		tb.Fatal(err)
	}
	r.took = time.Since(began)
	if err := task.Recorder.Flush(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	conserve(tb, w, res)
	return res
}

// conserve checks that every member ends in exactly one way.
func conserve(tb testing.TB, w event.Window, res runner.Result) {
	tb.Helper()
	fellBack := slices.ContainsFunc(res.Hits, func(h event.GuardrailHit) bool { return h.Rule == "fallback" && h.Action == "fallback" })
	if res.Reply != nil && fellBack != (res.Reply.Fallback == "conservative") {
		tb.Errorf("hit of the fallback %v, reply by %q", fellBack, res.Reply.Fallback)
	}
	ends := map[event.DanmakuID]int{}
	for _, o := range res.Outcomes {
		ends[o.DanmakuID]++
	}
	if rep := res.Reply; rep != nil {
		for _, id := range rep.NotCovered {
			ends[id]++
		}
		var told []event.DanmakuID
		if rep.Public != nil {
			told = append(told, rep.Public.Covers...)
		}
		for _, p := range rep.Private {
			told = append(told, p.DanmakuID)
		}
		slices.Sort(told)
		for _, id := range told {
			ends[id]++
		}
	}
	for _, m := range w.Members {
		if ends[m.DanmakuID] != 1 {
			tb.Errorf("danmaku %s ends in %d ways, want 1", m.DanmakuID, ends[m.DanmakuID])
		}
	}
}
