package guardrail

import (
	"encoding/json"

	"livehost/streams/event"
)

// Input is what a check may look at. For before_reply it is one text and whom it
// is for; for before_tool it is one call; for run_start the window.
type Input struct {
	Text     string
	Private  bool           // for one viewer alone
	Language string         // of the askers: "zh" or "en"
	Members  []event.Member // the danmaku the text is for
	Evidence *Evidence      // of this run

	SkillNeeded bool      // the release has reply skills and this text is the policy's own, full route
	SkillLoaded bool      // a reply skill was loaded in this run
	Internal    []string  // names of tools, skills and prompt blocks: never spoken
	Prompts     *Shingles // the harness's own prose, never spoken; nil: not known

	Tool   *ToolUse
	Window *event.Window // at run_start, before_model and stop: what the run is about
}

// ToolUse is one tool call before it is made.
type ToolUse struct {
	Name       string
	Args       json.RawMessage // an object
	LinkParams []string        // parameters that hold link numbers
	Asker      string          // parameter that holds the danmaku whose viewer it is for; "" for none
	Viewer     event.ViewerID  // whom it is for; "" when it gives everybody the same
}

// Finding is what a check objects to.
type Finding struct {
	Span    string // the part of the text; empty when the whole is meant
	Detail  string // why, and which evidence was looked at; for trajectories and hits
	Rewrite string // a text without the fault, where that is mechanical
}

// Check looks at one input; ok is false when there is a finding.
type Check func(*Input) (f Finding, ok bool)

// Checks are the built-in checks by the names hooks use.
func Checks() map[string]Check {
	return map[string]Check{
		"input_validity":     InputValidity,
		"reply_format":       ReplyFormat,
		"length":             Length,
		"required_skill":     RequiredSkill,
		"grounding":          Grounding,
		"identity":           Identity,
		"leakage":            Leakage,
		"sensitive":          Sensitive,
		"unsupported_claims": UnsupportedClaims,
		"contact_bait":       ContactBait,
		"language":           Language,
		"not_in_room":        NotInRoom,
		"tool_params":        ToolParams,
		"injection":          Injection,
		"repeated_failure":   RepeatedFailure,
		"event_reply":        EventReply,
	}
}

var fine Finding

// found is a finding at a span.
func found(span, detail string) (Finding, bool) { return Finding{Span: span, Detail: detail}, false }
