package event

// Reply is what an agent run decided to say (reply.v1). ReplyID is the window's id.
type Reply struct {
	Schema      int         `json:"schema"`
	ReplyID     WindowID    `json:"reply_id"`
	RunID       RunID       `json:"run_id"`
	Attempt     int         `json:"attempt"`
	RoomID      RoomID      `json:"room_id"`
	BroadcastID BroadcastID `json:"broadcast_id,omitempty"`
	MerchantID  MerchantID  `json:"merchant_id,omitempty"`

	Experiment        string  `json:"experiment,omitempty"`
	ExperimentVersion int     `json:"experiment_version,omitempty"`
	Variant           Variant `json:"variant"`

	Kind        WindowKind `json:"kind"`
	Mode        Mode       `json:"mode"`
	QuestionKey string     `json:"question_key,omitempty"`
	Intent      string     `json:"intent,omitempty"`
	Class       Class      `json:"class"`
	Language    string     `json:"language"`

	Public     *PublicReply   `json:"public,omitempty"`
	Private    []PrivateReply `json:"private,omitempty"`
	Members    []Member       `json:"members,omitempty"`     // the window's members this run holds claims of
	NotCovered []DanmakuID    `json:"not_covered,omitempty"` // members neither covered nor ended by an outcome; back to the aggregator once

	Verdicts  []Verdict   `json:"verdicts"`
	Facts     []Fact      `json:"facts,omitempty"`       // tool-result facts the reply states; stale when they change
	Fallback  string      `json:"fallback,omitempty"`    // "", "compact" or "conservative"
	NotInRoom []DanmakuID `json:"not_in_room,omitempty"` // members told that the product is not in this room
	Versions  Versions    `json:"versions"`

	AnswerByMs int64  `json:"answer_by_ms"`
	SpeakByMs  int64  `json:"speak_by_ms"`
	CreatedMs  int64  `json:"created_ms"`
	Timing     Timing `json:"timing"`
}

// PublicReply is text for the whole room.
type PublicReply struct {
	Text   string      `json:"text"`
	Covers []DanmakuID `json:"covers,omitempty"` // empty for event windows
}

// PrivateReply is text for one asker.
type PrivateReply struct {
	DanmakuID DanmakuID `json:"danmaku_id"`
	ViewerID  ViewerID  `json:"viewer_id"`
	Text      string    `json:"text"`
}

// Verdict is what one hook or check said of the final text.
type Verdict struct {
	Rule    string `json:"rule"`
	Version string `json:"version"`
	Stage   string `json:"stage"`  // lifecycle point, e.g. "before_reply"
	Action  string `json:"action"` // "allow", "rewrite", "retry", "block", "suppress"
}

// Fact is one fact of a tool result that the reply may state.
type Fact struct {
	Kind      string    `json:"kind"` // "price", "stock", "promotion"
	LinkID    LinkID    `json:"link_id,omitempty"`
	ProductID ProductID `json:"product_id,omitempty"`
	Value     string    `json:"value"` // fen for price, units for stock, text for promotion
}

// Timing splits the wall time of a run, in microseconds.
type Timing struct {
	LaneWallUs   int64 `json:"lane_wall_us"`   // window.v1 received to run start
	SlotWallUs   int64 `json:"slot_wall_us"`   // waiting for a policy slot
	PolicyWallUs int64 `json:"policy_wall_us"` // inside policy calls
	ToolWallUs   int64 `json:"tool_wall_us"`   // inside tool calls; parallel calls count once
	RunMs        int64 `json:"run_ms"`         // room time from run start to reply
}

// Step is one step of a run's trajectory (trajectory.v1).
type Step struct {
	Schema           int      `json:"schema"`
	RunID            RunID    `json:"run_id"`
	WindowID         WindowID `json:"window_id"`
	RoomID           RoomID   `json:"room_id"`
	Variant          Variant  `json:"variant"`
	Seq              int      `json:"seq"`   // 1, 2, ... within the run
	Round            int      `json:"round"` // model round, from 1; 0 outside rounds
	Kind             StepKind `json:"kind"`
	Name             string   `json:"name"` // model, tool, hook or cause
	StartedMs        int64    `json:"started_ms"`
	EndedMs          int64    `json:"ended_ms"`
	BudgetMs         int64    `json:"budget_ms"` // left before the run's deadline when the step began
	Replica          string   `json:"replica,omitempty"`
	FirstTokenMs     int64    `json:"first_token_ms,omitempty"`
	PromptTokens     int      `json:"prompt_tokens,omitempty"`
	CompletionTokens int      `json:"completion_tokens,omitempty"`
	Input            string   `json:"input,omitempty"`     // restricted
	Output           string   `json:"output,omitempty"`    // restricted
	Reasoning        string   `json:"reasoning,omitempty"` // restricted; never leaves trajectory.v1
	Error            string   `json:"error,omitempty"`
	Cause            string   `json:"cause,omitempty"` // why a retry, fallback or recovery happened
	Versions         Versions `json:"versions"`

	Request string     `json:"request,omitempty"` // model: digest of everything the policy was asked
	Calls   []StepCall `json:"calls,omitempty"`   // model: the tool calls of the answer; Output has its text
	Finish  string     `json:"finish,omitempty"`  // model: why the policy stopped
	Hedged  int        `json:"hedged,omitempty"`  // tool: how many more times it was made because it was slow
}

// StepCall is one tool call as the policy wrote it.
type StepCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // restricted
}

// StepKind is what a step did.
type StepKind string

// The kinds of steps.
const (
	StepModel    StepKind = "model"
	StepTool     StepKind = "tool"
	StepHook     StepKind = "hook"
	StepClaim    StepKind = "claim"
	StepFallback StepKind = "fallback"
	StepReply    StepKind = "reply"
	StepEnd      StepKind = "end"
)

// GuardrailHit is one rule that fired (guardrail-hit.v1).
type GuardrailHit struct {
	Schema     int         `json:"schema"`
	HitID      string      `json:"hit_id"` // deterministic
	RoomID     RoomID      `json:"room_id"`
	WindowID   WindowID    `json:"window_id,omitempty"`
	RunID      RunID       `json:"run_id,omitempty"`
	DanmakuIDs []DanmakuID `json:"danmaku_ids,omitempty"`
	Variant    Variant     `json:"variant,omitempty"`
	Rule       string      `json:"rule"`
	Version    string      `json:"version"`
	Stage      string      `json:"stage"`           // "aggregator", "agentworker" or "dispatcher"
	Point      string      `json:"point,omitempty"` // lifecycle point
	Span       string      `json:"span,omitempty"`  // what matched
	Action     string      `json:"action"`
	Cause      string      `json:"cause,omitempty"`
	Versions   Versions    `json:"versions"`
	TimeMs     int64       `json:"time_ms"`
}
