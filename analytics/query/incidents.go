package query

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Incident is a guardrail hit, a fallback, or a danmaku that was suppressed,
// failed or expired.
type Incident struct {
	Time          time.Time `json:"time"` // room time
	Kind          string    `json:"kind"` // guardrail, fallback or outcome
	ID            string    `json:"id"`   // of the hit, the run or the danmaku
	RoomID        string    `json:"room_id"`
	RunID         string    `json:"run_id,omitempty"`
	Rule          string    `json:"rule"` // guardrail: its rule; fallback: what was fallen back to; outcome: the state
	Version       string    `json:"version,omitempty"`
	Stage         string    `json:"stage"`
	Action        string    `json:"action"`
	Span          string    `json:"span,omitempty"`
	Cause         string    `json:"cause,omitempty"`
	Variant       string    `json:"variant,omitempty"`
	Release       string    `json:"release,omitempty"`
	PolicyVersion string    `json:"policy_version,omitempty"`
	HarnessHash   string    `json:"harness_hash,omitempty"`
	DanmakuIDs    []string  `json:"danmaku_ids,omitempty"`
}

// Fields are where the columns of an incident's row are scanned to.
func (i *Incident) Fields() []any {
	return []any{&i.Time, &i.Kind, &i.ID, &i.RoomID, &i.RunID, &i.Rule, &i.Version, &i.Stage, &i.Action, &i.Span, &i.Cause,
		&i.Variant, &i.Release, &i.PolicyVersion, &i.HarnessHash, &i.DanmakuIDs}
}

const incidentColumns = "time, kind, id, room_id, run_id, rule, version, stage, action, span, cause, variant, release, policy_version, harness_hash, danmaku_ids"

// IncidentFilter is which incidents; empty fields do not restrict.
type IncidentFilter struct {
	Scope
	Kind    string
	Rule    string
	Cause   string
	Version string // of the rule, the release, the policy or the harness
	Limit   int    // newest first; 0: 100
}

// Most is how many are listed at most.
func (f IncidentFilter) Most() int {
	if f.Limit <= 0 {
		return 100
	}
	return f.Limit
}

// Incidents lists incidents, newest first.
func Incidents(f IncidentFilter) Statement {
	w := newWhere()
	w.scope(f.Scope, "time")
	w.equal("kind", "kind", f.Kind)
	w.equal("rule", "rule", f.Rule)
	w.equal("cause", "cause", f.Cause)
	if f.Version != "" {
		w.conditions = append(w.conditions, "has([version, release, policy_version, harness_hash], {version:String})")
		w.params["version"] = f.Version
	}
	w.params["limit"] = int64(f.Most())
	return Statement{"SELECT " + incidentColumns + "\nFROM v_incidents" + w.clause() + "\nORDER BY time DESC, kind, id\nLIMIT {limit:Int64}", w.params}
}

// IncidentByID finds the incidents of one hit, run or danmaku; an empty room is any.
func IncidentByID(room, id string) Statement {
	w := newWhere()
	w.conditions = append(w.conditions, "(id = {id:String} OR run_id = {id:String} OR has(danmaku_ids, {id:String}))")
	w.params["id"] = id
	w.equal("room_id", "room", room)
	return Statement{"SELECT " + incidentColumns + "\nFROM v_incidents" + w.clause() + "\nORDER BY id = {id:String} DESC, time, kind, id\nLIMIT 50", w.params}
}

// Step is one step of a run's trajectory, for who may see it.
type Step struct {
	Seq        uint16    `json:"seq"`
	Round      uint8     `json:"round"`
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	Input      string    `json:"input,omitempty"`
	Output     string    `json:"output,omitempty"`
	Error      string    `json:"error,omitempty"`
	Cause      string    `json:"cause,omitempty"`
	StartedAt  time.Time `json:"started_at"`
	DurationMs int64     `json:"duration_ms"`
	BudgetMs   int64     `json:"budget_ms"`
}

// Fields are where the columns of a step's row are scanned to.
func (s *Step) Fields() []any {
	return []any{&s.Seq, &s.Round, &s.Kind, &s.Name, &s.Input, &s.Output, &s.Error, &s.Cause, &s.StartedAt, &s.DurationMs, &s.BudgetMs}
}

// Steps is the trajectory of a run, without the model's reasoning.
func Steps(runID string) Statement {
	return Statement{
		`SELECT seq, round, kind, name, input, output, error, cause, started_time, dateDiff('millisecond', started_time, ended_time), budget_ms
FROM v_trajectory_steps
WHERE run_id = {run:String}
ORDER BY seq`, map[string]any{"run": runID},
	}
}

// Heard is one delivery as it ended.
type Heard struct {
	DeliveryID string    `json:"delivery_id"`
	State      string    `json:"state"`
	Reason     string    `json:"reason,omitempty"`
	Channel    string    `json:"channel"`
	Text       string    `json:"text"`
	At         time.Time `json:"at"`
}

// Fields are where the columns of a delivery's row are scanned to.
func (h *Heard) Fields() []any {
	return []any{&h.DeliveryID, &h.State, &h.Reason, &h.Channel, &h.Text, &h.At}
}

// Deliveries is what became of a run's reply.
func Deliveries(runID string) Statement {
	return Statement{
		"SELECT delivery_id, state, reason, channel, text, event_time\nFROM v_deliveries\nWHERE run_id = {run:String}\nORDER BY event_time, state",
		map[string]any{"run": runID},
	}
}

// Ending is how one danmaku ended.
type Ending struct {
	DanmakuID string    `json:"danmaku_id"`
	State     string    `json:"state"`
	Reason    string    `json:"reason"`
	By        string    `json:"by"`
	At        time.Time `json:"at"`
}

// Fields are where the columns of an outcome's row are scanned to.
func (e *Ending) Fields() []any { return []any{&e.DanmakuID, &e.State, &e.Reason, &e.By, &e.At} }

// Endings are the outcomes of a room's danmaku.
func Endings(room string, danmaku []string) Statement {
	return Statement{
		"SELECT danmaku_id, state, reason, written_by, outcome_time\nFROM v_danmaku_outcomes\nWHERE room_id = {room:String} AND danmaku_id IN {danmaku:Array(String)}\nORDER BY outcome_time, danmaku_id",
		map[string]any{"room": room, "danmaku": danmaku},
	}
}

// IncidentStory is an incident with the run behind it.
type IncidentStory struct {
	Incidents  []Incident `json:"incidents"` // the one asked for first, then others of the same run or danmaku
	Steps      []Step     `json:"steps,omitempty"`
	Deliveries []Heard    `json:"deliveries,omitempty"`
	Endings    []Ending   `json:"outcomes,omitempty"`
}

const clockFormat = "2006-01-02 15:04:05.000"

// IncidentTable is incidents for people.
func IncidentTable(list []Incident) Table {
	t := Table{Header: []string{"TIME", "KIND", "RULE", "ACTION", "ROOM", "VARIANT", "CAUSE", "SPAN", "ID"}}
	for _, i := range list {
		t.Rows = append(t.Rows, []string{i.Time.Format(clockFormat), i.Kind, i.Rule, i.Action, i.RoomID, i.Variant, Clip(i.Cause, 40), Clip(i.Span, 30), i.ID})
	}
	return t
}

// Line is an incident on one line, for a stream of them.
func (i Incident) Line() string {
	line := fmt.Sprintf("%s  %s %s: %s  room %s  %s", i.Time.Format(clockFormat), i.Kind, i.Rule, i.Action, i.RoomID, i.ID)
	for _, s := range []string{i.Variant, Clip(i.Cause, 60), Clip(i.Span, 40)} {
		if s != "" {
			line += "  " + s
		}
	}
	return printable(line)
}

// Write prints the story for people.
func (s IncidentStory) Write(w io.Writer) error {
	p := &printer{w: w}
	for _, i := range s.Incidents {
		p.printf("%s  %s %s: %s by %s", i.Time.Format(clockFormat), i.Kind, i.Rule, i.Action, i.Stage)
		p.printf("  id %s, room %s, run %s, variant %s, release %s, policy %s, harness %s", i.ID, i.RoomID, i.RunID, i.Variant, i.Release, i.PolicyVersion, i.HarnessHash)
		if i.Span != "" || i.Cause != "" {
			p.printf("  matched %q, cause %q", i.Span, i.Cause)
		}
	}
	steps := Table{Header: []string{"SEQ", "ROUND", "STEP", "NAME", "MS", "LEFT MS", "CAUSE", "OUTPUT"}, Right: []int{0, 1, 4, 5}}
	for _, st := range s.Steps {
		steps.Rows = append(steps.Rows, []string{fmt.Sprint(st.Seq), fmt.Sprint(st.Round), st.Kind, st.Name, fmt.Sprint(st.DurationMs), fmt.Sprint(st.BudgetMs),
			strings.Trim(st.Error+" "+st.Cause, " "), Clip(oneLine(st.Output), 60)})
	}
	p.section("run", steps)
	heard := Table{Header: []string{"TIME", "STATE", "CHANNEL", "REASON", "TEXT"}}
	for _, h := range s.Deliveries {
		heard.Rows = append(heard.Rows, []string{h.At.Format(clockFormat), h.State, h.Channel, h.Reason, Clip(oneLine(h.Text), 60)})
	}
	p.section("deliveries", heard)
	ends := Table{Header: []string{"TIME", "DANMAKU", "STATE", "REASON", "BY"}}
	for _, e := range s.Endings {
		ends.Rows = append(ends.Rows, []string{e.At.Format(clockFormat), e.DanmakuID, e.State, e.Reason, e.By})
	}
	p.section("outcomes", ends)
	return p.err
}
