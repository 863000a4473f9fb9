package replay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"livehost/agentworker/model"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/agentworker/trajectory"
	"livehost/harness"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// Options say what a run is made again with.
type Options struct {
	Release *runner.Release // its toolbox is replaced by the recorded results
	Live    model.Model     // answers from the first difference on; nil: the replay ends there
	Log     *slog.Logger
}

// Report is what came of a replay.
type Report struct {
	RunID      event.RunID    `json:"run_id"`
	Recorded   event.Versions `json:"recorded"`
	Replayed   event.Versions `json:"replayed"`
	DivergedAt *Divergence    `json:"diverged_at,omitempty"` // nil: the policy was asked the same all along
	Live       bool           `json:"live"`                  // a live policy answered from there on
	Unrecorded []string       `json:"unrecorded_calls,omitempty"`
	Before     []string       `json:"recorded_texts"`
	After      []string       `json:"replayed_texts"` // empty when the replay ended early
	SameTexts  bool           `json:"same_texts"`
	Hits       []string       `json:"hits,omitempty"` // of guardrails in the replay: rule and action
}

// Divergence is the first request to the policy that is not the recorded one.
type Divergence struct {
	Round    int    `json:"round"`
	Request  int    `json:"request"` // of the run, from 1
	What     string `json:"what"`
	Recorded string `json:"recorded,omitempty"` // first differing line of what was asked
	Replayed string `json:"replayed,omitempty"`
}

// speed is how fast recorded waits pass: fast, and slow enough that our own work
// is not mistaken for them.
const speed = 20

// Replay makes the run again.
func Replay(ctx context.Context, r *Run, o Options) (Report, error) {
	first, ok := r.first()
	rep := Report{RunID: r.ID, Replayed: o.Release.Versions(), Before: Texts(r.Reply)}
	if !ok {
		return rep, fmt.Errorf("run %s: there is nothing in it but its claim", r.ID)
	}
	rep.Recorded = first.Versions
	pace := float64(speed)
	if o.Live != nil {
		pace = 1
	}
	clk, err := clock.New(time.UnixMilli(first.StartedMs), pace)
	if err != nil {
		return rep, err
	}
	runCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	policy := &recordedPolicy{clock: clk, live: o.Live, stop: cancel}
	box, err := newToolbox(r, o, clk)
	if err != nil {
		return rep, err
	}
	for _, st := range r.Steps {
		if st.Kind == event.StepModel {
			if st.Request == "" {
				return rep, fmt.Errorf("run %s: recorded without the digests of its requests; it cannot be compared", r.ID)
			}
			policy.steps = append(policy.steps, st)
		}
	}
	run, err := runner.New(unhedged(), runner.Deps{Clock: clk, Log: o.Log, Model: policy})
	if err != nil {
		return rep, err
	}
	made := &trajectory.Memory{}
	release := *o.Release
	release.Toolbox, release.Release = box, box.release
	rec := trajectory.New(made, event.Step{RunID: r.ID, WindowID: r.Window.WindowID, RoomID: r.Window.RoomID, Variant: r.Window.Variant, Versions: rep.Replayed})
	res, err := run.Run(runCtx, runner.Task{
		Window: r.Window, Attempt: r.attempt(), Release: &release, Compact: r.compact(), Received: time.Now(), Recorder: rec,
		Deadline: time.UnixMilli(first.StartedMs + first.BudgetMs),
	})
	if ferr := rec.Flush(ctx); ferr != nil {
		return rep, ferr
	}
	rep.DivergedAt, rep.Live = policy.diverged, policy.diverged != nil && o.Live != nil
	if d := rep.DivergedAt; d != nil {
		d.explain(policy.steps, made.Steps())
	}
	if err != nil && (rep.DivergedAt == nil || ctx.Err() != nil) {
		return rep, err
	}
	rep.After, rep.Unrecorded = Texts(res.Reply), box.unrecorded
	rep.SameTexts = slices.Equal(rep.Before, rep.After)
	for _, h := range res.Hits {
		rep.Hits = append(rep.Hits, h.Rule+" "+h.Action)
	}
	return rep, nil
}

// unhedged is how a run is replayed: what a recorded call took has its hedge in it.
func unhedged() runner.Config {
	cfg := runner.DefaultConfig()
	cfg.ToolHedge = 0
	return cfg
}

// recordedPolicy answers as recorded for as long as it is asked the same.
type recordedPolicy struct {
	clock    *clock.Clock
	live     model.Model
	stop     context.CancelFunc
	steps    []event.Step // of kind model
	next     int
	diverged *Divergence
}

// Complete implements model.Model.
func (p *recordedPolicy) Complete(ctx context.Context, req model.Request) (model.Response, error) {
	if p.diverged == nil {
		switch {
		case p.next >= len(p.steps):
			p.diverged = &Divergence{Round: p.rounds() + 1, What: "the policy is asked once more than recorded"}
		case p.steps[p.next].Request != req.Digest():
			p.diverged = &Divergence{Round: p.steps[p.next].Round, What: "the policy is asked something else"}
		default:
			p.next++
			return p.answer(ctx, p.steps[p.next-1])
		}
		p.diverged.Request = p.next + 1
	}
	if p.live == nil {
		p.stop()
		return model.Response{}, &model.Error{Class: model.Canceled, Err: context.Canceled}
	}
	return p.live.Complete(ctx, req)
}

// rounds is how many rounds are recorded.
func (p *recordedPolicy) rounds() int {
	if len(p.steps) == 0 {
		return 0
	}
	return p.steps[len(p.steps)-1].Round
}

func (p *recordedPolicy) answer(ctx context.Context, st event.Step) (model.Response, error) {
	resp := model.Response{
		Content: st.Output, Reasoning: st.Reasoning, Finish: model.Finish(st.Finish), Replica: st.Replica,
		Usage: model.Usage{Prompt: st.PromptTokens, Completion: st.CompletionTokens}, Rescued: st.Cause == "rescued_call",
	}
	for _, c := range st.Calls {
		resp.ToolCalls = append(resp.ToolCalls, model.ToolCall{Name: c.Name, Arguments: c.Arguments})
	}
	if err := p.clock.Sleep(ctx, took(st)); err != nil {
		return resp, &model.Error{Class: model.ClassOf(err), Err: err}
	}
	if st.Error != "" {
		return resp, &model.Error{Class: model.Class(st.Cause), Err: errors.New(st.Error)}
	}
	return resp, nil
}

func took(st event.Step) time.Duration {
	return time.Duration(st.EndedMs-st.StartedMs) * time.Millisecond
}

// explain finds the first line in which the two requests differ.
func (d *Divergence) explain(recorded, replayed []event.Step) {
	var was, is string
	if d.Request <= len(recorded) {
		was = recorded[d.Request-1].Input
	}
	n := 0
	for _, st := range replayed {
		if st.Kind == event.StepModel {
			if n++; n == d.Request {
				is = st.Input
			}
		}
	}
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range max(len(a), len(b)) {
		line := func(l []string) string {
			if i < len(l) {
				return l[i]
			}
			return ""
		}
		if line(a) != line(b) {
			d.Recorded, d.Replayed = line(a), line(b)
			return
		}
	}
	d.What += ": its constant part, a tool or an earlier message"
}

// toolbox answers tool calls with their recorded results.
type toolbox struct {
	*tool.Toolset
	clock   *clock.Clock
	release *harness.Release // every tool that would be called is answered by this box
	instant bool             // answers without taking the recorded time

	mu         sync.Mutex
	recorded   map[string][]event.Step
	unrecorded []string
}

func newToolbox(r *Run, o Options, clk *clock.Clock) (*toolbox, error) {
	b := &toolbox{clock: clk, recorded: map[string][]event.Step{}}
	content := *o.Release.Release
	content.Tools = slices.Clone(content.Tools)
	for i, t := range content.Tools {
		if t.Binding.Kind != harness.BindBuiltin {
			bound := *t
			bound.Binding.Kind = harness.BindMCP
			content.Tools[i] = &bound
		}
	}
	b.release = &content
	for _, st := range r.Steps {
		if st.Kind == event.StepTool && !refusedCall(st) {
			key := st.Name + "\x00" + st.Input
			b.recorded[key] = append(b.recorded[key], st)
		}
	}
	var err error
	b.Toolset, err = tool.New(tool.DefaultConfig(), tool.Deps{Log: o.Log, Servers: recordedServers{}, HTTP: recordedServers{}})
	return b, err
}

// refusedCall reports whether a hook refused a tool's call, which so was never made. One
// that refused the call's result leaves another error.
func refusedCall(st event.Step) bool { return st.Cause != "" && st.Error == string(tool.BadArgs) }

type resultKey struct{}

// Call implements runner.Toolbox.
func (b *toolbox) Call(ctx context.Context, run *tool.Run, name, args string) tool.Result {
	t, ok := run.Release.Tool(name)
	if !ok || t.Binding.Kind == harness.BindBuiltin {
		return b.Toolset.Call(ctx, run, name, args)
	}
	st, ok := b.take(name, args)
	if !ok {
		refused := *run
		refused.NoWrites = true
		return b.Toolset.Call(ctx, &refused, name, args)
	}
	if !b.instant {
		if err := b.clock.Sleep(ctx, took(st)); err != nil {
			return b.Toolset.Call(ctx, run, name, args) // too late: says so
		}
	}
	return b.Toolset.Call(context.WithValue(ctx, resultKey{}, st), run, name, args)
}

func (b *toolbox) take(name, args string) (event.Step, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := name + "\x00" + args
	list := b.recorded[key]
	if len(list) == 0 {
		b.unrecorded = append(b.unrecorded, name+"("+args+")")
		return event.Step{}, false
	}
	b.recorded[key] = list[1:]
	return list[0], true
}

// recordedServers gives the recorded result that a call brings along.
type recordedServers struct{}

// Call implements tool.Servers.
func (recordedServers) Call(ctx context.Context, _, _ string, _, _ map[string]any) (tool.Output, error) {
	st, ok := ctx.Value(resultKey{}).(event.Step)
	if !ok {
		return tool.Output{}, errors.New("the call is not in the recording")
	}
	return tool.Output{Text: st.Output, IsError: st.Error != ""}, nil
}

// RoundTrip implements http.RoundTripper: no tool of a replay goes that way.
func (recordedServers) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("a replay calls nobody")
}
