package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model"
	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/streams/event"
)

// action is one tool call of a round on its way to an answer message.
type action struct {
	call   model.ToolCall
	tool   *harness.Tool  // nil when the release has none of the name
	args   map[string]any // as the tool gets them, by our names; nil when they are wrong
	theirs map[string]any // by the binding's names
	began  time.Time
	result tool.Result
	hedged int    // how many more times it was made because it was slow
	rule   string // the hook that refused the call, with BAD_ARGS, or its result, with MALFORMED
}

// callTools answers every call of a round: tools in parallel, flow control after
// them in the policy's order, silence and handing over last because they take
// whoever is left.
func (s *state) callTools(ctx context.Context, resp model.Response) (more bool, end ending) {
	acts := make([]*action, 0, len(resp.ToolCalls))
	for i, c := range resp.ToolCalls {
		c.ID = fmt.Sprintf("call_%d_%d", s.round, i) // theirs may be empty or repeated
		acts = append(acts, s.prepare(ctx, c))
	}
	s.withhold(acts)
	s.runAll(ctx, acts)
	flow := s.flowControl(ctx, acts)
	calls := make([]model.ToolCall, 0, len(acts))
	answers := make([]model.Message, 0, len(acts))
	for _, a := range acts {
		call := a.call
		if !model.IsObject(call.Arguments) {
			call.Arguments = "{}" // anything else would break the replica's template
		}
		calls = append(calls, call)
		answers = append(answers, model.Message{Role: model.ToolRole, ToolCallID: call.ID, Content: a.result.Text})
	}
	s.messages = append(append(s.messages, model.Message{Role: model.Assistant, Content: resp.Content, ToolCalls: calls}), answers...)
	return s.afterFlow(flow)
}

// prepare asks the hooks about a call. A call that they refuse has its answer already.
func (s *state) prepare(ctx context.Context, c model.ToolCall) *action {
	a := s.action(c)
	if a.tool == nil || !model.IsObject(c.Arguments) {
		return a // the toolset says so
	}
	if !slices.ContainsFunc(s.tools, func(t model.Tool) bool { return t.Name == c.Name }) {
		a.refuse(tool.Permission, "the tool is not offered in this room")
		return a
	}
	d := s.ask(ctx, hook.BeforeTool, s.callInput(a), s.toolVars(a))
	if d.Action != hook.Allow && d.Action != hook.Rewrite {
		a.rule = d.Rule
		a.refuse(tool.BadArgs, strings.TrimSpace(d.Hits[0].Detail+". "+d.Reminder))
	} else if a.tool.Write && slices.Contains(s.unsure, s.writeOf(a)) {
		a.refuse(tool.Permission, "it gave no answer before and may have been done: do not repeat it, say that it is being checked")
	}
	return a
}

// action is a call with its arguments as the tool will get them, which is what the
// hooks judge: 102 is "102" to it.
func (s *state) action(c model.ToolCall) *action {
	a := &action{call: c, began: time.Now()}
	if a.tool, _ = s.rel.Tool(c.Name); a.tool != nil {
		a.args, a.theirs = tool.Args(a.tool, c.Arguments)
	}
	return a
}

// write is a write tool and whom it was called for.
type write struct {
	tool   string
	viewer event.ViewerID
}

func (s *state) writeOf(a *action) write { return write{a.tool.Name, s.viewerOf(a)} }

// withhold refuses the calls of a round that nobody could tell the result of: a write
// that no round is left for, and reads beside which nothing is said that they could
// support.
func (s *state) withhold(acts []*action) {
	last := s.round >= s.r.cfg.Rounds
	said := slices.ContainsFunc(acts, func(a *action) bool {
		name := flowName(a.tool)
		return name == harness.BuiltinAnswer || name == harness.BuiltinReplyPrivate
	})
	for _, a := range acts {
		switch {
		case a.result.Code != "" || a.tool == nil || flowName(a.tool) != "":
		case a.tool.Write && (last || s.left() < s.r.cfg.AnswerTime):
			a.refuse(tool.Permission, "it was not done: there is no time left to tell of it")
		case last && !said:
			a.refuse(tool.Permission, "no round is left for the result")
		}
	}
}

func (s *state) callInput(a *action) *guardrail.Input {
	in := s.input("", s.shown.Members, false)
	in.Tool = &guardrail.ToolUse{Name: a.tool.Name, Args: json.RawMessage(a.call.Arguments), LinkParams: linkParams(a.tool)}
	if b, err := json.Marshal(a.args); err == nil && a.args != nil {
		in.Tool.Args = b
	}
	in.Tool.Asker, in.Tool.Viewer = a.tool.Asker, s.viewerOf(a)
	return in
}

func (s *state) toolVars(a *action) hook.Vars {
	v := s.vars()
	v.ToolName, v.ToolError = a.call.Name, string(a.result.Code)
	if a.tool != nil {
		v.ToolPrivate, v.ToolWrite = a.tool.Private, a.tool.Write
		v.ToolQuestion = s.questionOf(a)
	}
	return v
}

// askersOf are the danmaku that a call is for: the one that it names, else all of the
// run. A name that is nobody's is for none.
func (s *state) askersOf(a *action) []event.Member {
	id, _ := a.args[a.tool.Asker].(string)
	if a.tool.Asker == "" || id == "" {
		return s.shown.Members
	}
	return s.members([]event.DanmakuID{event.DanmakuID(id)})
}

// viewerOf is the viewer whom a call is for, "" for a tool that gives everybody the same.
func (s *state) viewerOf(a *action) event.ViewerID {
	askers := s.askersOf(a)
	if len(askers) == 0 || a.tool.Asker == "" && !a.tool.Private && !a.tool.Write {
		return ""
	}
	return askers[0].ViewerID
}

// questionOf is what the askers of a call asked.
func (s *state) questionOf(a *action) string {
	var all []string
	for _, m := range s.askersOf(a) {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n")
}

// refuse gives a call an error for an answer.
func (a *action) refuse(code tool.Code, message string) {
	b, err := json.Marshal(map[string]string{"error": string(code), "message": message})
	if err != nil {
		b = []byte(`{"error":"` + code + `"}`)
	}
	a.result = tool.Result{Tool: a.tool, Code: code, Text: string(b), Full: string(b)}
}

// flowName is the built-in that a flow-control tool is bound to, "" for any other.
func flowName(t *harness.Tool) string {
	if t == nil || t.Binding.Kind != harness.BindBuiltin {
		return ""
	}
	switch name := t.Binding.Name; name {
	case harness.BuiltinAnswer, harness.BuiltinReplyPrivate, harness.BuiltinStaySilent, harness.BuiltinHandOver:
		return name
	}
	return ""
}

// linkParams are the tool's parameters that hold link numbers, by what they are
// bound to: our names are free.
func linkParams(t *harness.Tool) []string {
	var out []string
	for ours := range t.Schema.Properties {
		theirs := ours
		if p := t.Binding.Params[ours]; p != "" {
			theirs = p
		}
		if theirs == "link_id" || theirs == "link_ids" {
			out = append(out, ours)
		}
	}
	slices.Sort(out)
	return out
}

// runAll runs the calls of a round in parallel and takes in their results in order.
func (s *state) runAll(ctx context.Context, acts []*action) {
	run := s.toolRun()
	began := time.Now()
	var wg sync.WaitGroup
	ran := false
	for _, a := range acts {
		if a.result.Code == "" {
			ran = ran || flowName(a.tool) == ""
			wg.Go(func() { a.result, a.hedged = s.call(ctx, run, a) })
		}
	}
	wg.Wait()
	if ran {
		s.timing.ToolWallUs += time.Since(began).Microseconds()
	}
	for _, a := range acts {
		if flowName(a.tool) == "" {
			s.take(ctx, a)
		}
	}
}

func (s *state) toolRun() *tool.Run {
	run := &tool.Run{RoomID: s.w.RoomID, MerchantID: s.w.MerchantID, Release: s.rel.Release, Language: s.w.Language}
	for _, m := range s.shown.Members {
		run.Askers = append(run.Askers, tool.Asker{DanmakuID: m.DanmakuID, ViewerID: m.ViewerID})
	}
	return run
}

// take adds a result to what the run knows and records its step.
func (s *state) take(ctx context.Context, a *action) {
	if a.rule == "" && a.result.Code == "" {
		d := s.ask(ctx, hook.AfterTool, s.input(a.result.Text, nil, false), s.toolVars(a))
		if d.Action != hook.Allow && d.Action != hook.Rewrite {
			a.rule = d.Rule
			a.refuse(tool.Malformed, "the result was refused")
		}
	}
	if a.tool != nil && a.tool.Write && a.result.Code.Away() {
		s.unsure = append(s.unsure, s.writeOf(a))
	}
	s.learn(a)
	output := a.result.Full
	if output == "" {
		output = a.result.Text
	}
	s.step(ctx, a.began, event.Step{
		Kind: event.StepTool, Name: a.call.Name, Input: a.call.Arguments, Output: output, Error: string(a.result.Code), Cause: a.rule, Hedged: a.hedged,
	})
}

// learn takes a result in as evidence, or a skill as loaded.
func (s *state) learn(a *action) {
	res := &a.result
	switch {
	case res.Skill != nil: // its examples are no evidence
		s.skills.Add(res.Skill)
		return
	case res.Tool == nil:
		return
	case res.Tool.Binding.Kind == harness.BindBuiltin:
		if res.Code == "" {
			s.evidence.AddText(a.call.Name, res.Args, res.Full)
			s.open = append(s.open, res.Full)
		}
		return
	}
	s.evidence.AddResult(guardrail.ToolResult{
		Tool: a.call.Name, Args: res.Args, Code: string(res.Code), Data: res.Data, Fields: res.Tool.Facts, Facts: res.Facts,
		Private: res.Private, Viewer: s.viewerOf(a),
	})
	switch {
	case res.Private && res.Code == "":
		s.learnPrivate(a)
	case !res.Private:
		s.open = append(s.open, res.Full)
	}
}
