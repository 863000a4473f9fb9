package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"livehost/agentworker/hook"
	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/streams/event"
)

// flowed is what the flow-control calls of a round came to.
type flowed struct {
	tools    bool // the round also called tools: the policy is not finished
	accepted bool
	refused  bool // something is to be said differently
	stop     ending
}

// flowControl carries out the flow-control calls of a round.
func (s *state) flowControl(ctx context.Context, acts []*action) flowed {
	var f flowed
	var last []*action
	early := s.early(acts)
	for _, a := range acts {
		switch {
		case flowName(a.tool) == "":
			f.tools = true
		case a.result.Code != "": // refused by a hook or the toolset
			f.refused = true
			s.recordFlow(ctx, a)
		case flowName(a.tool) == harness.BuiltinStaySilent || flowName(a.tool) == harness.BuiltinHandOver:
			last = append(last, a)
		default:
			s.speak(ctx, a, early, &f)
		}
	}
	for _, a := range last {
		s.leave(ctx, a, &f)
	}
	return f
}

// afterFlow says whether the policy gets another round.
func (s *state) afterFlow(f flowed) (more bool, end ending) {
	switch {
	case f.stop != decided:
		return false, f.stop
	case s.w.Kind == event.DanmakuWindow && len(s.undecided()) == 0:
		return false, decided
	case f.tools || f.refused:
		return true, decided
	case f.accepted:
		return false, decided // it said all it wanted to; the rest is not covered
	}
	return true, decided
}

// early are the danmaku for which the round changes or reads something of their viewer's
// own: a text for them was written before the result was there.
func (s *state) early(acts []*action) []event.DanmakuID {
	var out []event.DanmakuID
	for _, a := range acts {
		if a.tool != nil && (a.tool.Write || a.tool.Private) {
			out = append(out, ids(s.askersOf(a))...)
		}
	}
	return out
}

// speak carries out answer and reply_private.
func (s *state) speak(ctx context.Context, a *action, early []event.DanmakuID, f *flowed) {
	body, _ := a.result.Args["text"].(string)
	members, private, problem := s.addressed(a)
	among := func(list []event.DanmakuID) bool {
		return slices.ContainsFunc(members, func(m event.Member) bool { return slices.Contains(list, m.DanmakuID) })
	}
	switch {
	case problem != "":
	case among(early):
		problem = "say it after the results of this round's calls"
	case !private && among(s.askers):
		problem = s.privateReminder(members)
		s.note(rulePrivate, hook.BeforeReply, "a public answer to whom private data was read for", string(hook.Retry), members)
	}
	if problem != "" {
		a.refuse(tool.BadArgs, problem)
		f.refused = true
		s.recordFlow(ctx, a)
		return
	}
	d := s.propose(ctx, strings.TrimSpace(body), members, private)
	switch d.Action {
	case hook.Retry:
		a.refuse(tool.BadArgs, d.Reminder)
		f.refused = true
	case hook.Block, hook.Suppress:
		a.refuse(tool.Permission, "this may not be said")
		if s.public == nil || private {
			f.stop = ending{cause: hook.BeforeReply, action: d.Action, rule: d.Rule}
		}
	default:
		f.accepted = true
	}
	s.recordFlow(ctx, a)
}

// addressed are the members a text is for; problem says what is wrong with them.
func (s *state) addressed(a *action) (members []event.Member, private bool, problem string) {
	named := []any{a.result.Args["danmaku_id"]}
	private = flowName(a.tool) == harness.BuiltinReplyPrivate
	if !private {
		named, _ = a.result.Args["covers"].([]any)
	}
	seen := map[event.DanmakuID]bool{}
	for _, v := range named {
		id, _ := v.(string)
		m, ok := s.member(event.DanmakuID(id))
		switch {
		case !ok:
			return nil, private, fmt.Sprintf("%q is not a danmaku of this window", id)
		case seen[m.DanmakuID] || s.answered(m.DanmakuID) || s.decisions[m.DanmakuID] != nil:
			continue
		}
		seen[m.DanmakuID] = true
		members = append(members, m)
	}
	if len(members) == 0 {
		return nil, private, "nobody is left of those it is for"
	}
	return members, private, ""
}

// leave carries out stay_silent and hand_over: for the danmaku it names, else for
// everyone still waiting.
func (s *state) leave(ctx context.Context, a *action, f *flowed) {
	st := event.Silent
	if flowName(a.tool) == harness.BuiltinHandOver {
		st = event.HandedOver
	}
	waiting := s.undecided()
	if id, _ := a.result.Args["danmaku_id"].(string); id != "" {
		m, ok := s.member(event.DanmakuID(id))
		if !ok {
			a.refuse(tool.BadArgs, fmt.Sprintf("%q is not a danmaku of this window", id))
			f.refused = true
			s.recordFlow(ctx, a)
			return
		}
		waiting = []event.Member{m}
		if s.answered(m.DanmakuID) || s.decisions[m.DanmakuID] != nil {
			waiting = nil
		}
	}
	reason, _ := a.result.Args["reason"].(string)
	s.decide(waiting, st, agentReason(st, reason))
	f.accepted = true
	s.recordFlow(ctx, a)
}

func (s *state) recordFlow(ctx context.Context, a *action) {
	s.step(ctx, a.began, event.Step{
		Kind: event.StepTool, Name: a.call.Name, Input: a.call.Arguments, Output: a.result.Text, Error: string(a.result.Code),
	})
}
