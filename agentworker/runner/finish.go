package runner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/streams/event"
)

// finish turns the decisions into what is published. Members whose time is over
// are not answered any more.
func (s *state) finish(ctx context.Context) Result {
	now := s.r.clock.NowMs()
	for _, m := range s.w.Members {
		if s.decisions[m.DanmakuID] == nil && m.AnswerByMs < now {
			s.drop(m.DanmakuID)
			s.decide([]event.Member{m}, event.Expired, ReasonDeadline)
		}
	}
	in := s.windowInput()
	if s.public != nil {
		in.Text = s.public.body
	}
	if d := s.ask(ctx, hook.Stop, in, s.vars()); stops(d.Action) {
		s.public, s.private = nil, nil
		s.decide(s.undecided(), event.Suppressed, ruleReason(d.Rule))
	}
	res := Result{Hits: s.hits}
	if s.public != nil || len(s.private) > 0 || len(s.undecided()) > 0 {
		res.Reply = s.reply(now)
		s.step(ctx, time.Now(), event.Step{Kind: event.StepReply, Name: s.route, Output: s.spoken()})
	}
	for _, m := range s.w.Members {
		if d := s.decisions[m.DanmakuID]; d != nil {
			res.Outcomes = append(res.Outcomes, s.outcome(m, d, now))
		}
	}
	s.step(ctx, time.Now(), event.Step{Kind: event.StepEnd, Name: s.endName(res)})
	return res
}

func (s *state) endName(res Result) string {
	switch {
	case res.Reply != nil && (res.Reply.Public != nil || len(res.Reply.Private) > 0):
		return "reply"
	case len(res.Outcomes) > 0:
		return string(res.Outcomes[0].State)
	}
	return "nothing"
}

// drop takes a member out of the texts.
func (s *state) drop(id event.DanmakuID) {
	if s.public != nil {
		s.public.covers = slices.DeleteFunc(s.public.covers, func(c event.DanmakuID) bool { return c == id })
		if len(s.public.covers) == 0 && s.w.Kind == event.DanmakuWindow {
			s.public = nil
		}
	}
	s.private = slices.DeleteFunc(s.private, func(t *text) bool { return t.covers[0] == id })
}

func (s *state) spoken() string {
	if s.public != nil {
		return s.public.body
	}
	if len(s.private) > 0 {
		return s.private[0].body
	}
	return ""
}

func (s *state) reply(now int64) *event.Reply {
	w := s.w
	rep := &event.Reply{
		Schema: event.SchemaVersion, ReplyID: w.WindowID, RunID: s.runID, Attempt: s.t.Attempt,
		RoomID: w.RoomID, BroadcastID: w.BroadcastID, MerchantID: w.MerchantID,
		Experiment: w.Experiment, ExperimentVersion: w.ExperimentVersion, Variant: w.Variant,
		Kind: w.Kind, Mode: w.Mode, QuestionKey: w.QuestionKey, Intent: w.Intent, Class: w.Class, Language: w.Language,
		Members: w.Members, NotCovered: ids(s.undecided()), Verdicts: []event.Verdict{}, Fallback: s.route,
		Versions: s.rel.Versions(), AnswerByMs: w.AnswerByMs, SpeakByMs: w.SpeakByMs, CreatedMs: now,
	}
	if s.public != nil {
		rep.Public = &event.PublicReply{Text: s.public.body, Covers: s.public.covers}
		s.account(rep, s.public)
	}
	for _, t := range s.private {
		m, _ := s.member(t.covers[0])
		rep.Private = append(rep.Private, event.PrivateReply{DanmakuID: m.DanmakuID, ViewerID: m.ViewerID, Text: t.body})
		s.account(rep, t)
	}
	s.timing.RunMs = now - s.started.UnixMilli()
	rep.Timing = s.timing
	return rep
}

// account adds a text's verdicts, the facts it states and whom it tells that
// their product is not in this room: one that only offers another says no such thing.
func (s *state) account(rep *event.Reply, t *text) {
	for _, v := range t.verdicts {
		if !slices.ContainsFunc(rep.Verdicts, func(have event.Verdict) bool { return have.Rule == v.Rule }) {
			rep.Verdicts = append(rep.Verdicts, v)
		}
	}
	for _, f := range s.evidence.Stated(t.body) {
		if !slices.Contains(rep.Facts, f) {
			rep.Facts = append(rep.Facts, f)
		}
	}
	members := s.members(t.covers)
	missing := s.evidence.Missing(members)
	if len(members) == 1 && guardrail.StatesFact(t.body) || !guardrail.SaysAbsent(t.body) {
		return
	}
	for _, m := range members {
		if missing[m.DanmakuID] != "" {
			rep.NotInRoom = append(rep.NotInRoom, m.DanmakuID)
		}
	}
}

func (s *state) outcome(m event.Member, d *decision, now int64) event.Outcome {
	return event.Outcome{
		Schema: event.SchemaVersion, DanmakuID: m.DanmakuID, RoomID: s.w.RoomID, ViewerID: m.ViewerID,
		State: d.state, Reason: d.reason, By: By, Eligible: true, Admitted: true,
		WindowID: s.w.WindowID, RunID: s.runID, Variant: s.w.Variant, Intent: m.Intent,
		PlatformMs: m.PlatformMs, TimeMs: now,
	}
}

// By is the name of this stage in outcomes.
const By = "agentworker"

func (s *state) hit(rule, version, point, span, action string, members []event.Member) event.GuardrailHit {
	return event.GuardrailHit{
		Schema: event.SchemaVersion, HitID: fmt.Sprintf("%s/%d", s.runID, len(s.hits)+1),
		RoomID: s.w.RoomID, WindowID: s.w.WindowID, RunID: s.runID, DanmakuIDs: ids(members), Variant: s.w.Variant,
		Rule: rule, Version: version, Stage: By, Point: point, Span: clip(span, 200), Action: action,
		Versions: s.rel.Versions(), TimeMs: s.r.clock.NowMs(),
	}
}
