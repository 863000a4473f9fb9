package query

import (
	"time"

	"livehost/streams/event"
)

// RunStep is one step of a run with everything that is stored of it. Reasoning is
// empty unless the restricted steps were asked for.
type RunStep struct {
	step                             event.Step
	run, window, room, variant, kind string
	seq, round, prompt, completion   int64
}

// Fields are where the columns of RunSteps are scanned to.
func (s *RunStep) Fields() []any {
	e := &s.step
	return []any{
		&s.run, &s.window, &s.room, &s.variant, &s.seq, &s.round, &s.kind, &e.Name, &e.Replica, &e.StartedMs, &e.EndedMs,
		&e.BudgetMs, &e.FirstTokenMs, &s.prompt, &s.completion, &e.Input, &e.Output, &e.Error, &e.Cause,
		&e.Versions.Release, &e.Versions.PolicyVersion, &e.Versions.HarnessHash, &e.Reasoning,
	}
}

// Event is the step as it was on the log.
func (s RunStep) Event() event.Step {
	e := s.step
	e.RunID, e.WindowID, e.RoomID, e.Variant = event.RunID(s.run), event.WindowID(s.window), event.RoomID(s.room), event.Variant(s.variant)
	e.Kind, e.Seq, e.Round = event.StepKind(s.kind), int(s.seq), int(s.round)
	e.PromptTokens, e.CompletionTokens = int(s.prompt), int(s.completion)
	return e
}

// RunSteps are the steps of a run, or of all runs of a window, without prompts.
// Only the restricted ones have reasoning and the policy's raw output.
func RunSteps(id string, restricted bool) Statement {
	output, reasoning, from := "if(kind = 'model', '', output)", "''", "v_trajectory_steps"
	if restricted {
		output, reasoning, from = "output", "reasoning", "trajectory_steps FINAL"
	}
	return Statement{
		`SELECT run_id, window_id, room_id, variant, toInt64(seq), toInt64(round), kind, name, replica,
    toUnixTimestamp64Milli(started_time), toUnixTimestamp64Milli(ended_time), budget_ms, first_token_ms,
    toInt64(prompt_tokens), toInt64(completion_tokens), if(kind = 'model', '', input), ` + output + `, error, cause,
    release, policy_version, harness_hash, ` + reasoning + `
FROM ` + from + `
WHERE run_id = {id:String} OR window_id = {id:String}
ORDER BY run_id, seq
LIMIT 500`, map[string]any{"id": id},
	}
}

// Said is one delivery in its last state, and whom it concerns.
type Said struct {
	DeliveryID, RunID, ReplyID, RoomID string
	Channel, State, Reason, Text       string
	Variant, HeardVariant              string
	DanmakuIDs                         []string
	FirstAudio, End, At                time.Time
}

// Fields are where the columns of Said are scanned to.
func (s *Said) Fields() []any {
	return []any{&s.DeliveryID, &s.RunID, &s.ReplyID, &s.RoomID, &s.Channel, &s.State, &s.Reason, &s.Text, &s.Variant, &s.HeardVariant, &s.DanmakuIDs, &s.FirstAudio, &s.End, &s.At}
}

// DeliveriesOf are the deliveries of a run, a window or a danmaku, each in its
// last state: the text and the times that it started with are not those that were heard.
func DeliveriesOf(id string) Statement {
	last := func(column string) string { return "argMax(" + column + ", (event_time, state != 'started'))" }
	return Statement{
		`SELECT delivery_id, any(run_id), any(reply_id), any(room_id), any(channel), ` + last("state") + `, ` + last("reason") + `,
    ` + last("text") + `, any(variant), ` + last("heard_variant") + `, ` + last("danmaku_ids") + `,
    ` + last("first_audio") + `, ` + last("end_time") + `, max(event_time)
FROM v_deliveries
WHERE run_id = {id:String} OR reply_id = {id:String} OR has(danmaku_ids, {id:String})
GROUP BY delivery_id
ORDER BY max(event_time), delivery_id
LIMIT 100`, map[string]any{"id": id},
	}
}

// Ended is how one danmaku ended, with where it had been.
type Ended struct {
	DanmakuID, RoomID, State, Reason, By string
	WindowID, RunID, CoverID, Variant    string
	Asked, At                            time.Time
}

// Fields are where the columns of Ended are scanned to.
func (e *Ended) Fields() []any {
	return []any{&e.DanmakuID, &e.RoomID, &e.State, &e.Reason, &e.By, &e.WindowID, &e.RunID, &e.CoverID, &e.Variant, &e.Asked, &e.At}
}

// OutcomesOf are the outcomes of a run's, a window's, or one danmaku.
func OutcomesOf(id string) Statement {
	return Statement{
		`SELECT danmaku_id, room_id, state, reason, written_by, window_id, run_id, cover_id, variant, platform_time, outcome_time
FROM v_danmaku_outcomes
WHERE danmaku_id = {id:String} OR run_id = {id:String} OR window_id = {id:String}
ORDER BY outcome_time, danmaku_id
LIMIT 100`, map[string]any{"id": id},
	}
}

// Hit is one guardrail hit of a run.
type Hit struct {
	ID, RunID, RoomID, Rule, Version, Stage, Point, Action, Span, Cause string
	At                                                                  time.Time
}

// Fields are where the columns of HitsOf are scanned to.
func (h *Hit) Fields() []any {
	return []any{&h.ID, &h.RunID, &h.RoomID, &h.Rule, &h.Version, &h.Stage, &h.Point, &h.Action, &h.Span, &h.Cause, &h.At}
}

// HitsOf are the guardrail hits of a run, or of all runs of a window.
func HitsOf(id string) Statement {
	return Statement{
		`SELECT hit_id, run_id, room_id, rule, version, stage, point, action, span, cause, hit_time
FROM v_guardrail_hits
WHERE run_id = {id:String} OR window_id = {id:String}
ORDER BY hit_time, hit_id
LIMIT 100`, map[string]any{"id": id},
	}
}
