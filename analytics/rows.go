package analytics

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync"
	"time"

	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

// Row is one row of one table, values in the order of Columns[Table].
type Row struct {
	Table  string
	Values []any
}

// Columns are the columns that rows of each table fill.
var Columns = map[string][]string{
	"danmaku_outcomes": {"room_id", "danmaku_id", "viewer", "state", "reason", "written_by", "eligible", "admitted", "window_id", "run_id",
		"cover_id", "channel", "variant", "intent", "platform_time", "reply_time", "outcome_time"},
	"windows": {"room_id", "window_id", "broadcast_id", "kind", "mode", "variant", "experiment", "experiment_version", "question_key", "intent",
		"class", "members", "danmaku_ids", "earliest_time", "answer_by", "opened_time"},
	"replies": {"room_id", "reply_id", "run_id", "attempt", "variant", "experiment", "experiment_version", "mode", "intent", "language",
		"public_text", "public_covers", "private_danmaku", "private_texts", "not_covered", "not_in_room", "fallback", "verdict_rules", "verdict_actions",
		"release", "policy_version", "harness_hash", "lane_wall_us", "slot_wall_us", "policy_wall_us", "tool_wall_us", "run_ms", "answer_by", "created_time"},
	"deliveries": {"room_id", "delivery_id", "reply_id", "run_id", "state", "reason", "channel", "outlet", "text", "danmaku_ids", "viewer", "variant",
		"heard_variant", "intent", "stale_fact", "release", "policy_version", "harness_hash", "first_audio", "end_time", "speak_by", "speech_queued_ms", "event_time"},
	"trajectory_steps": {"run_id", "seq", "room_id", "window_id", "variant", "round", "kind", "name", "replica", "input", "output", "reasoning", "error",
		"cause", "budget_ms", "first_token_ms", "prompt_tokens", "completion_tokens", "release", "policy_version", "harness_hash", "started_time", "ended_time"},
	"model_calls": {"replica", "variant", "run_id", "call_no", "room_id", "round", "release", "policy_version", "first_token_ms", "duration_ms",
		"prompt_tokens", "completion_tokens", "error", "cause", "started_time"},
	"tool_calls": {"tool", "variant", "run_id", "call_no", "room_id", "round", "release", "duration_ms", "error", "cause", "started_time"},
	"guardrail_hits": {"rule", "variant", "hit_id", "run_id", "window_id", "room_id", "danmaku_ids", "version", "stage", "point", "span", "action", "cause",
		"release", "policy_version", "harness_hash", "hit_time"},
	"exposures":    {"experiment", "unit", "experiment_version", "variant", "kind", "unit_kind", "room_id", "degraded", "exposure_id", "exposure_time", "append_time"},
	"order_events": {"order_id", "seq", "room_id", "merchant_id", "viewer", "product_id", "status", "amount_fen", "quantity", "order_time", "append_time"},
}

// rowsOf are the topics that are stored, and how.
var rowsOf = map[string]func(*mapper, streams.Record) ([]Row, error){
	event.TopicOutcome:      mapped((*mapper).outcome),
	event.TopicWindow:       mapped((*mapper).window),
	event.TopicReply:        mapped((*mapper).reply),
	event.TopicDelivery:     mapped((*mapper).delivery),
	event.TopicTrajectory:   mapped((*mapper).step),
	event.TopicGuardrailHit: mapped((*mapper).hit),
	event.TopicExposure:     mapped((*mapper).exposure),
	event.TopicOrder:        mapped((*mapper).order),
}

func mapped[T event.Event](f func(*mapper, T, streams.Record) []Row) func(*mapper, streams.Record) ([]Row, error) {
	return func(m *mapper, r streams.Record) ([]Row, error) {
		e, err := event.Decode[T](r.Value)
		if err != nil {
			return nil, err
		}
		rows := f(m, e, r)
		for _, row := range rows {
			if err := row.check(); err != nil {
				return nil, fault.Wrap(fault.Invalid, fmt.Errorf("%s: %w", r.Topic, err))
			}
		}
		return rows, nil
	}
}

// mapper makes rows of records: the same record always gives the same rows.
type mapper struct {
	key   []byte
	macs  sync.Pool // of hash.Hash with key
	clock *clock.Clock
}

func newMapper(key string, c *clock.Clock) *mapper {
	m := &mapper{key: []byte(key), clock: c}
	m.macs.New = func() any { return hmac.New(sha256.New, m.key) }
	return m
}

func (m *mapper) rows(r streams.Record) ([]Row, error) {
	f, ok := rowsOf[r.Topic]
	if !ok {
		return nil, fault.Errorf(fault.Internal, "analytics: topic %s is not stored", r.Topic)
	}
	return f(m, r)
}

// pseudonym is the keyed hash of a viewer or unit: the same id and key always
// give the same 32 hex digits, and nobody without the key can go back. Anonymous
// viewers have none.
func (m *mapper) pseudonym(id event.ViewerID) string {
	if id.Anonymous() {
		return ""
	}
	mac := m.macs.Get().(hash.Hash)
	defer m.macs.Put(mac)
	mac.Reset()
	_, _ = io.WriteString(mac, string(id)) // a hash never fails
	var sum [sha256.Size]byte
	return hex.EncodeToString(mac.Sum(sum[:0])[:16])
}

// latest is the end of what the tables' times can hold.
var latest = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// mostFen is more than an order can cost (100 billion yuan): the sum of any number of
// orders that there can be stays an Int64.
const mostFen = 10_000_000_000_000

// check finds what the tables cannot hold, which would make its whole block
// unacceptable for ever, and amounts that would falsify every sum they are in.
func (r Row) check() error {
	for i, v := range r.Values {
		column := Columns[r.Table][i]
		switch v := v.(type) {
		case time.Time:
			if v.Unix() < 0 || !v.Before(latest) {
				return fmt.Errorf("%s: %v is not a time between 1970 and 2100", column, v.UnixMilli())
			}
		case int64:
			if column == "amount_fen" && (v < 0 || v > mostFen) {
				return fmt.Errorf("%s: %d is not an amount between 0 and %d", column, v, int64(mostFen))
			}
		}
	}
	return nil
}

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func texts[T ~string](ids []T) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}

func (m *mapper) outcome(o event.Outcome, _ streams.Record) []Row {
	return []Row{{"danmaku_outcomes", []any{
		string(o.RoomID), string(o.DanmakuID), m.pseudonym(o.ViewerID), string(o.State), o.Reason, o.By, flag(o.Eligible), flag(o.Admitted),
		string(o.WindowID), string(o.RunID), string(o.CoverID), string(o.Channel), string(o.Variant), o.Intent, at(o.PlatformMs), at(o.ReplyMs), at(o.TimeMs),
	}}}
}

func (m *mapper) window(w event.Window, _ streams.Record) []Row {
	ids := make([]string, len(w.Members))
	for i, member := range w.Members {
		ids[i] = string(member.DanmakuID)
	}
	return []Row{{"windows", []any{
		string(w.RoomID), string(w.WindowID), string(w.BroadcastID), string(w.Kind), string(w.Mode), string(w.Variant), w.Experiment, uint32(w.ExperimentVersion),
		Redact(w.QuestionKey), w.Intent, uint8(w.Class), uint8(len(w.Members)), ids, at(w.EarliestMs), at(w.AnswerByMs), at(w.OpenedMs),
	}}}
}

func (m *mapper) reply(r event.Reply, _ streams.Record) []Row {
	var public string
	covers, private, privateTexts := []string{}, []string{}, []string{}
	if r.Public != nil {
		public, covers = Redact(r.Public.Text), texts(r.Public.Covers)
	}
	for _, p := range r.Private {
		private, privateTexts = append(private, string(p.DanmakuID)), append(privateTexts, Redact(p.Text))
	}
	rules, actions := make([]string, len(r.Verdicts)), make([]string, len(r.Verdicts))
	for i, v := range r.Verdicts {
		rules[i], actions[i] = v.Rule, v.Action
	}
	return []Row{{"replies", []any{
		string(r.RoomID), string(r.ReplyID), string(r.RunID), uint16(r.Attempt), string(r.Variant), r.Experiment, uint32(r.ExperimentVersion), string(r.Mode), r.Intent, r.Language,
		public, covers, private, privateTexts, texts(r.NotCovered), texts(r.NotInRoom), r.Fallback, rules, actions,
		r.Versions.Release, r.Versions.PolicyVersion, r.Versions.HarnessHash,
		r.Timing.LaneWallUs, r.Timing.SlotWallUs, r.Timing.PolicyWallUs, r.Timing.ToolWallUs, r.Timing.RunMs, at(r.AnswerByMs), at(r.CreatedMs),
	}}}
}

func (m *mapper) delivery(d event.Delivery, _ streams.Record) []Row {
	return []Row{{"deliveries", []any{
		string(d.RoomID), string(d.DeliveryID), string(d.ReplyID), string(d.RunID), string(d.State), d.Reason, string(d.Channel), d.Outlet, Redact(d.Text),
		texts(d.DanmakuIDs), m.pseudonym(d.ViewerID), string(d.Variant), string(d.HeardVariant), d.Intent, flag(d.StaleFact),
		d.Versions.Release, d.Versions.PolicyVersion, d.Versions.HarnessHash, at(d.FirstAudioMs), at(d.EndMs), at(d.SpeakByMs), d.SpeechQueuedMs, at(d.TimeMs),
	}}}
}

// step is a row of the trajectory, and one of the calls when it was a call.
func (m *mapper) step(p event.Step, _ streams.Record) []Row {
	rows := []Row{{"trajectory_steps", []any{
		string(p.RunID), uint16(p.Seq), string(p.RoomID), string(p.WindowID), string(p.Variant), uint8(p.Round), string(p.Kind), p.Name, p.Replica,
		Redact(p.Input), Redact(p.Output), Redact(p.Reasoning), Redact(p.Error), Redact(p.Cause), p.BudgetMs, p.FirstTokenMs, uint32(p.PromptTokens), uint32(p.CompletionTokens),
		p.Versions.Release, p.Versions.PolicyVersion, p.Versions.HarnessHash, at(p.StartedMs), at(p.EndedMs),
	}}}
	switch p.Kind {
	case event.StepModel:
		rows = append(rows, Row{"model_calls", []any{
			p.Replica, string(p.Variant), string(p.RunID), uint16(p.Seq), string(p.RoomID), uint8(p.Round), p.Versions.Release, p.Versions.PolicyVersion,
			p.FirstTokenMs, p.EndedMs - p.StartedMs, uint32(p.PromptTokens), uint32(p.CompletionTokens), Redact(p.Error), Redact(p.Cause), at(p.StartedMs),
		}})
	case event.StepTool:
		rows = append(rows, Row{"tool_calls", []any{
			p.Name, string(p.Variant), string(p.RunID), uint16(p.Seq), string(p.RoomID), uint8(p.Round), p.Versions.Release,
			p.EndedMs - p.StartedMs, p.Error, Redact(p.Cause), at(p.StartedMs),
		}})
	}
	return rows
}

func (m *mapper) hit(h event.GuardrailHit, _ streams.Record) []Row {
	return []Row{{"guardrail_hits", []any{
		h.Rule, string(h.Variant), h.HitID, string(h.RunID), string(h.WindowID), string(h.RoomID), texts(h.DanmakuIDs), h.Version, h.Stage, h.Point, Redact(h.Span),
		h.Action, Redact(h.Cause), h.Versions.Release, h.Versions.PolicyVersion, h.Versions.HarnessHash, at(h.TimeMs),
	}}}
}

func (m *mapper) exposure(e event.Exposure, r streams.Record) []Row {
	return []Row{{"exposures", []any{
		e.Experiment, m.pseudonym(event.ViewerID(e.Unit)), uint32(e.ExperimentVersion), string(e.Variant), string(e.Kind), unitKind(e), string(e.RoomID), flag(e.Degraded),
		m.pseudonym(event.ViewerID(e.ExposureID)), at(e.TimeMs), m.appended(r),
	}}}
}

// unitKind is what the experiment assigns: viewers, or whole rooms. Only a record that
// does not say it is guessed at: a room may have the id of a viewer, its host for one,
// who would then be credited with all the room's orders.
func unitKind(e event.Exposure) string {
	switch {
	case e.UnitKind != "":
		return string(e.UnitKind)
	case e.Unit == string(e.RoomID):
		return string(event.UnitRoom)
	}
	return string(event.UnitViewer)
}

// appended is when the log had the record, in room time.
func (m *mapper) appended(r streams.Record) time.Time {
	return at(m.clock.Room(r.AppendTime).UnixMilli())
}

func (m *mapper) order(o event.Order, r streams.Record) []Row {
	return []Row{{"order_events", []any{
		string(o.OrderID), uint64(o.Seq), string(o.RoomID), string(o.MerchantID), m.pseudonym(o.ViewerID), string(o.ProductID), string(o.Status),
		o.AmountFen, o.Quantity, at(o.TimeMs), m.appended(r),
	}}}
}
