package runner

import (
	"context"

	"livehost/agentworker/hook"
	"livehost/agentworker/model"
	"livehost/streams/event"
)

// Again judges what a recorded run asked for and said by the hooks of a release, as
// a run of it would. It asks no policy and publishes nothing; what tools gave comes
// from the release's toolbox. It is not safe for concurrent use.
type Again struct{ s *state }

// Again begins with the task's window; the task's recorder is not used.
func (r *Runner) Again(t Task) *Again {
	s := r.begin(t)
	s.prompt()
	return &Again{s}
}

// At says which round, from 1, and which route (Reply.Fallback) the run had come to.
func (a *Again) At(round int, route string) { a.s.round, a.s.route = round, route }

// Start judges the window at the run's start.
func (a *Again) Start() hook.Decision {
	return a.s.hooks.At(hook.RunStart, a.s.windowInput(), a.s.vars())
}

// Call judges one tool call; a call of no tool of the release is the toolset's to refuse.
func (a *Again) Call(name, args string) hook.Decision {
	act := a.action(name, args)
	if act.tool == nil || !model.IsObject(args) {
		return hook.Decision{Action: hook.Allow}
	}
	return a.s.hooks.At(hook.BeforeTool, a.s.callInput(act), a.s.toolVars(act))
}

// Learn makes one tool call and takes its result in as the run did. What speaks,
// hands over or keeps silent is not made.
func (a *Again) Learn(ctx context.Context, name, args string) {
	act := a.action(name, args)
	if flowName(act.tool) != "" {
		return
	}
	act.result = a.s.rel.Toolbox.Call(ctx, a.s.toolRun(), name, args)
	a.s.learn(act)
}

// Text judges a text before it is said.
func (a *Again) Text(body string, members []event.DanmakuID, private bool) hook.Decision {
	return a.s.hooks.At(hook.BeforeReply, a.s.textInput(body, a.s.members(members), private), a.s.vars())
}

func (a *Again) action(name, args string) *action {
	return a.s.action(model.ToolCall{Name: name, Arguments: args})
}
