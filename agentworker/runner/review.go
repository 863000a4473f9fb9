package runner

import (
	"cmp"
	"context"
	"slices"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/skill"
	"livehost/streams/event"
)

func (s *state) input(body string, members []event.Member, private bool) *guardrail.Input {
	language := s.w.Language
	if len(members) > 0 && members[0].Language != "" {
		language = members[0].Language
	}
	return &guardrail.Input{
		Text: body, Private: private, Language: language, Members: members, Evidence: s.evidence,
		SkillNeeded: s.route == routeFull && s.w.Kind == event.DanmakuWindow && skill.Required(s.rel.Release),
		SkillLoaded: s.skills.HasReply(), Internal: s.internal, Prompts: s.rel.Private,
	}
}

// textInput is a text for these members, with the evidence that they may be told.
func (s *state) textInput(body string, members []event.Member, private bool) *guardrail.Input {
	in := s.input(body, members, private)
	in.Evidence = s.evidence.For(listener(members, private))
	return in
}

// propose has the hooks judge a text for these members, and keeps it when they
// allow it. A second public text joins the first when both fit into one.
func (s *state) propose(ctx context.Context, body string, members []event.Member, private bool) hook.Decision {
	joined, covers := body, ids(members)
	all := members
	if !private && s.public != nil {
		joined = s.public.body + " " + body
		covers = append(slices.Clone(s.public.covers), covers...)
		all = slices.Concat(s.members(s.public.covers), members)
	}
	if span := s.tellsSecret(joined, members, private); span != "" {
		return s.refuseSecret(ctx, span, members)
	}
	d := s.ask(ctx, hook.BeforeReply, s.textInput(joined, all, private), s.vars())
	if d.Action != hook.Allow && d.Action != hook.Rewrite {
		return d
	}
	t := &text{body: d.Text, covers: covers, verdicts: d.Verdicts}
	if private {
		s.private = append(s.private, t)
	} else {
		s.public = t
	}
	return d
}

func (s *state) members(list []event.DanmakuID) []event.Member {
	var out []event.Member
	for _, id := range list {
		if m, ok := s.member(id); ok {
			out = append(out, m)
		}
	}
	return out
}

// rescue decides for the members that the loop left undecided: the conservative
// reply, checked like any other text, or an outcome. Those whom the reply does not fit get
// their own in private, or go back to the aggregator; where the harness has none on purpose,
// the run is silent.
func (s *state) rescue(ctx context.Context, end ending) {
	if end == decided || s.public != nil || len(s.private) > 0 {
		return // what is left goes back to the aggregator as not covered
	}
	waiting := s.undecided()
	if s.w.Kind == event.EventWindow || len(waiting) == 0 {
		s.fallback(ctx, routeNone, end.cause)
		return
	}
	if end.action == hook.Suppress {
		s.fallback(ctx, "suppress", end.cause)
		s.noteRescue(end, string(hook.Suppress), waiting)
		s.decide(waiting, event.Suppressed, ruleReason(end.rule))
		return
	}
	if waiting = s.hush(waiting); len(waiting) == 0 {
		s.fallback(ctx, routeNone, end.cause)
		s.noteRescue(end, actionSilence, s.w.Members)
		return
	}
	body, fits := s.conservative(waiting)
	s.fallback(ctx, routeConservative, end.cause)
	s.noteRescue(end, actionFallback, waiting)
	if body == "" {
		s.decide(waiting, end.state(), end.reason())
		return
	}
	s.route = routeConservative
	d := s.propose(ctx, body, fits, false)
	if d.Action == hook.Allow || d.Action == hook.Rewrite {
		s.writeOwn(ctx)
		return
	}
	rule := end.rule
	if rule == "" {
		rule = d.Rule
	}
	s.noteRescue(ending{cause: end.cause, rule: rule}, string(hook.Suppress), waiting)
	s.decide(waiting, event.Suppressed, ruleReason(rule))
}

// The runner's own rules, beside private-facts: what a run fell back to, and what
// it made of an answer that was not as it should be.
const (
	ruleFallback = "fallback" // actions: fallback, silence, suppress, or the route or replica that took over
	ruleRecovery = "recovery" // a tool call taken out of an answer's text
	rulesVersion = "1"

	actionFallback = "fallback"
	actionSilence  = "silence"
	actionRecover  = "recover"
)

// noteRescue records that the run ended in a conservative reply or in silence, and
// whose doing that was.
func (s *state) noteRescue(end ending, action string, members []event.Member) {
	cause := end.cause
	if end.rule != "" {
		cause = "rule " + end.rule
	}
	s.note(ruleFallback, end.cause, cause, action, members)
}

// note records a hit of one of the runner's own rules; its span is its cause.
func (s *state) note(rule, point, cause, action string, members []event.Member) {
	hit := s.hit(rule, rulesVersion, point, cause, action, members)
	hit.Cause = cause
	s.hits = append(s.hits, hit)
}

// state and reason of the members when there is no conservative reply either.
func (e ending) state() event.State {
	switch {
	case e.rule != "":
		return event.Suppressed
	case e.cause == ReasonDeadline:
		return event.Expired
	}
	return event.Failed
}

func (e ending) reason() string {
	switch {
	case e.rule != "":
		return ruleReason(e.rule)
	case e.cause == ReasonDeadline, e.cause == ReasonBadRequest, e.cause == ReasonRoundsUsed:
		return e.cause
	}
	return ReasonPolicyFailed
}

// hush ends the members for whose intent silence is the conservative reply, as for chat, and
// returns the others.
func (s *state) hush(waiting []event.Member) (rest []event.Member) {
	for _, m := range waiting {
		if texts := s.fallbacksFor(m); texts != nil && len(texts) == 0 {
			s.decide([]event.Member{m}, event.Silent, ReasonNothingToSay)
			continue
		}
		rest = append(rest, m)
	}
	return rest
}

func (s *state) fallbacksFor(m event.Member) []string {
	return s.rel.Fallbacks.For(cmp.Or(m.Language, s.w.Language), cmp.Or(m.Intent, s.w.Intent))
}

// conservative picks the text for the first member's intent and language, and those
// of the others who would get the same.
func (s *state) conservative(waiting []event.Member) (body string, fits []event.Member) {
	body = s.conservativeFor(waiting[0])
	for _, m := range waiting {
		if s.conservativeFor(m) == body {
			fits = append(fits, m)
		}
	}
	return body, fits
}

// writeOwn gives the members that are left their own conservative reply, where they can be
// written to.
func (s *state) writeOwn(ctx context.Context) {
	for _, m := range s.undecided() {
		if s.w.Context.Settings.PrivateText && !m.ViewerID.Anonymous() {
			s.propose(ctx, s.conservativeFor(m), []event.Member{m}, true)
		}
	}
}

// conservativeFor is the text for a member, the same for the same window.
func (s *state) conservativeFor(m event.Member) string {
	texts := s.fallbacksFor(m)
	if len(texts) == 0 {
		return ""
	}
	sum := 0
	for _, b := range []byte(s.w.WindowID) {
		sum += int(b)
	}
	return texts[sum%len(texts)]
}

func (s *state) decide(members []event.Member, st event.State, reason string) {
	for _, m := range members {
		s.decisions[m.DanmakuID] = &decision{state: st, reason: reason}
	}
}
