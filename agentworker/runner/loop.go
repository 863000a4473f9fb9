package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model"
	"livehost/streams/event"
)

// drive goes through the rounds until the policy has decided or something ends it.
func (s *state) drive(ctx context.Context) ending {
	in := s.windowInput()
	if d := s.ask(ctx, hook.RunStart, in, s.vars()); stops(d.Action) && !s.goOnWithout(ctx) {
		return ending{cause: "run_start", action: d.Action, rule: d.Rule}
	}
	if s.route == routeCompact {
		s.takeOver(ctx, routeCompact, "little_time")
	}
	s.recallPrivate()
	s.prompt()
	for s.round = 1; s.round <= s.r.cfg.Rounds; s.round++ {
		if ctx.Err() != nil || s.left() < s.r.cfg.MinCall {
			return ending{cause: ReasonDeadline}
		}
		if d := s.ask(ctx, hook.BeforeModel, in, s.vars()); stops(d.Action) {
			return ending{cause: hook.BeforeModel, action: d.Action, rule: d.Rule}
		}
		resp, cause := s.complete(ctx)
		if cause != "" {
			return ending{cause: cause}
		}
		more, end := s.absorb(ctx, resp)
		if !more {
			return end
		}
	}
	s.round = s.r.cfg.Rounds
	return ending{cause: ReasonRoundsUsed}
}

// windowInput is what the hooks are asked about that judge the run and no text of it.
func (s *state) windowInput() *guardrail.Input {
	return &guardrail.Input{Language: s.w.Language, Members: s.w.Members, Evidence: s.evidence, Window: s.w}
}

// goOnWithout suppresses the danmaku that the hooks do not let a run begin with, and
// reports whether others are left.
func (s *state) goOnWithout(ctx context.Context) bool {
	if len(s.w.Members) < 2 {
		return false
	}
	whole := s.hits
	s.hits = nil // what is said of each alone says it better
	shown := *s.w
	shown.Members = nil
	for _, m := range s.w.Members {
		alone := *s.w
		alone.Members = []event.Member{m}
		in := &guardrail.Input{Language: s.w.Language, Members: alone.Members, Evidence: s.evidence, Window: &alone}
		if d := s.ask(ctx, hook.RunStart, in, s.vars()); stops(d.Action) {
			s.decide(alone.Members, event.Suppressed, ruleReason(d.Rule))
			continue
		}
		shown.Members = append(shown.Members, m)
	}
	if len(shown.Members) == 0 {
		clear(s.decisions) // the run ends as a whole
		s.hits = whole
		return false
	}
	s.shown = &shown
	return true
}

func stops(a hook.Action) bool { return a == hook.Block || a == hook.Suppress }

// prompt builds the messages the run begins with, or replaces them when the route
// has changed; what was said since stays.
func (s *state) prompt() {
	p := s.rel.Prompts.Build(s.shown, s.route == routeCompact)
	s.evidence.AddFacts(p.FAQ)
	for _, known := range p.Products {
		s.evidence.AddProduct(known.Link, known.Names, known.Text)
	}
	s.open = append(s.open, p.Facts())
	s.offer()
	first := []model.Message{{Role: model.System, Prefix: p.Prefix, Content: p.System}, {Role: model.User, Content: p.User}}
	if len(s.messages) > len(first) {
		first = append(first, s.messages[len(first):]...)
	}
	s.messages = first
}

// complete makes one policy call, with what a call may fall back to: another
// replica, then the compact route. cause is why there is no answer.
func (s *state) complete(ctx context.Context) (resp model.Response, cause string) {
	for try := 1; ; try++ {
		resp, err := s.request(ctx, try)
		if err == nil {
			return resp, ""
		}
		class := model.ClassOf(err)
		if class == model.Canceled || ctx.Err() != nil || s.left() < s.r.cfg.MinCall {
			if s.left() < s.r.cfg.MinCall || class == model.NoSlot {
				return resp, ReasonDeadline
			}
			return resp, "policy_" + string(class)
		}
		s.avoid = resp.Replica
		switch {
		case try == 1 && class != model.Rejected:
			s.takeOver(ctx, "other_replica", "policy_"+string(class))
		case s.route == routeFull && len(s.rel.Compact) > 0:
			s.goCompact(ctx, "policy_"+string(class))
		case class == model.Rejected:
			return resp, ReasonBadRequest
		default:
			return resp, "policy_" + string(class)
		}
	}
}

// goCompact changes to the shorter prompt without thinking, for the rest of the run.
func (s *state) goCompact(ctx context.Context, cause string) {
	s.route = routeCompact
	s.takeOver(ctx, routeCompact, cause)
	s.prompt()
}

// takeOver records that a shorter route or another replica goes on with the run.
func (s *state) takeOver(ctx context.Context, to, cause string) {
	s.fallback(ctx, to, cause)
	s.note(ruleFallback, hook.BeforeModel, cause, to, s.undecided())
}

func (s *state) fallback(ctx context.Context, to, cause string) {
	s.span.Fallback(to, cause)
	s.step(ctx, time.Now(), event.Step{Kind: event.StepFallback, Name: to, Cause: cause})
}

// request is one call to one replica, recorded as a step.
func (s *state) request(ctx context.Context, try int) (model.Response, error) {
	began := time.Now()
	budget := s.r.cfg.LaterCall
	if s.round == 1 && try == 1 {
		budget = s.r.cfg.FirstCall
	}
	req := model.Request{
		ID:       fmt.Sprintf("%s/%d.%d.", s.runID, s.round, try),
		Messages: s.messages, Tools: s.tools, MaxTokens: s.r.cfg.MaxTokens,
		Temperature: s.r.cfg.Temperature, TopP: s.r.cfg.TopP,
		MustCall:   s.r.cfg.MustCall && s.round == 1,
		NoThinking: s.route == routeCompact, Budget: budget, Avoid: s.avoid,
	}
	resp, err := s.chat(ctx, req)
	s.timing.SlotWallUs += resp.Wait.Microseconds()
	s.timing.PolicyWallUs += resp.Took.Microseconds()
	st := event.Step{
		Kind: event.StepModel, Name: s.rel.Policy.Version, Replica: resp.Replica,
		FirstTokenMs:     int64(resp.FirstToken.Seconds() * s.r.clock.Speed() * 1000),
		PromptTokens:     resp.Usage.Prompt,
		CompletionTokens: resp.Usage.Completion,
		Input:            s.lastInput(), Output: resp.Content, Reasoning: resp.Reasoning,
		Request: req.Digest(), Calls: stepCalls(resp.ToolCalls), Finish: string(resp.Finish),
	}
	switch {
	case resp.Rescued:
		st.Cause = "rescued_call"
		s.note(ruleRecovery, hook.AfterModel, st.Cause, actionRecover, s.undecided())
	case resp.LocalSlots:
		st.Cause = "slots_away"
	}
	if err != nil {
		st.Error, st.Cause = err.Error(), string(model.ClassOf(err))
	}
	s.step(ctx, began, st)
	return resp, err
}

// lastInput is what this call adds to the conversation: in the first round the
// prompt without its constant part, which the versions name; tool results and
// reminders later.
func (s *state) lastInput() string {
	if s.round == 1 {
		return fmt.Sprintf("[%d constant bytes of release %s]\n%s\n%s",
			len(s.messages[0].Prefix), s.rel.ID, s.messages[0].Content, s.messages[1].Content)
	}
	var b strings.Builder
	for i := len(s.messages) - 1; i > 1 && s.messages[i].Role != model.Assistant; i-- {
		b.WriteString(s.messages[i].Content)
		b.WriteByte('\n')
	}
	return b.String()
}

func stepCalls(calls []model.ToolCall) []event.StepCall {
	var out []event.StepCall
	for _, c := range calls {
		out = append(out, event.StepCall{Name: c.Name, Arguments: c.Arguments})
	}
	return out
}

// absorb takes one answer of the policy; more says whether another round is needed.
func (s *state) absorb(ctx context.Context, resp model.Response) (more bool, end ending) {
	if len(resp.ToolCalls) > 0 {
		return s.callTools(ctx, resp)
	}
	in := s.input(resp.Content, s.w.Members, false)
	d := s.ask(ctx, hook.AfterModel, in, s.vars())
	switch {
	case stops(d.Action):
		return false, ending{cause: hook.AfterModel, action: d.Action, rule: d.Rule}
	case d.Action == hook.Retry:
		s.remind(resp.Content, d.Reminder)
		return true, decided
	}
	return s.final(ctx, strings.TrimSpace(d.Text), resp.Finish)
}

// final takes an answer without calls as the reply to everyone still waiting.
func (s *state) final(ctx context.Context, content string, finish model.Finish) (more bool, end ending) {
	if s.w.Kind == event.DanmakuWindow && len(s.undecided()) == 0 {
		return false, decided
	}
	if content == "" || finish != model.FinishStop {
		cause := "empty_answer"
		if finish != model.FinishStop {
			cause = "truncated_" + string(finish)
		}
		if s.route == routeFull && len(s.rel.Compact) > 0 {
			s.goCompact(ctx, cause)
			return true, decided
		}
		return false, ending{cause: cause}
	}
	d := s.say(ctx, content)
	switch d.Action {
	case hook.Retry:
		s.remind(content, d.Reminder)
		return true, decided
	case hook.Block, hook.Suppress:
		return false, ending{cause: hook.BeforeReply, action: d.Action, rule: d.Rule}
	}
	return false, decided
}

// say proposes a final content: to those whom it is for alone in private, then to the
// others in public. When it was the first's own matter, the others are not covered.
func (s *state) say(ctx context.Context, content string) hook.Decision {
	var alone []event.Member
	others := s.undecided()
	if s.w.Context.Settings.PrivateText {
		isAlone := func(m event.Member) bool { return s.forAlone(m, content) }
		alone = slices.DeleteFunc(slices.Clone(others), func(m event.Member) bool { return !isAlone(m) })
		others = slices.DeleteFunc(others, isAlone)
	}
	if len(alone) == 0 {
		return s.propose(ctx, content, others, false)
	}
	var d hook.Decision
	for _, m := range alone {
		if d = s.propose(ctx, content, []event.Member{m}, true); d.Action != hook.Allow && d.Action != hook.Rewrite {
			return d
		}
	}
	if len(others) == 0 || s.tellsSecret(content, others, false) != "" {
		return d
	}
	return s.propose(ctx, content, others, false)
}

// remind gives a refused answer back with the reason, in the asker's language.
func (s *state) remind(content, reminder string) {
	s.messages = append(s.messages,
		model.Message{Role: model.Assistant, Content: content},
		model.Message{Role: model.User, Content: "<reminder>" + reminder + "</reminder>"})
}
