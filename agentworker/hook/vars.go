package hook

import (
	"livehost/agentworker/guardrail"
	"livehost/streams/event"
)

// Vars is what conditions see. Zero values are there for what does not apply at a
// point.
type Vars struct {
	Mode, Kind, Intent, Language, Variant, Release, Fallback string
	Class, Round, RoundsLeft, Members                        int
	Skills                                                   []string // loaded
	ToolName, ToolError                                      string
	ToolQuestion                                             string // of the danmaku that the call is for, else of all
	ToolPrivate, ToolWrite                                   bool
	Room                                                     *event.ContextSnapshot
}

// activation renders the CEL variables.
func (v Vars) activation(in *guardrail.Input) map[string]any {
	channel := "public"
	if in.Private {
		channel = "private"
	}
	room := event.ContextSnapshot{}
	if v.Room != nil {
		room = *v.Room
	}
	skills := v.Skills
	if skills == nil {
		skills = []string{}
	}
	return map[string]any{
		"run": map[string]any{
			"mode": v.Mode, "kind": v.Kind, "intent": v.Intent, "language": v.Language, "variant": v.Variant,
			"release": v.Release, "fallback": v.Fallback, "class": v.Class, "round": v.Round,
			"rounds_left": v.RoundsLeft, "members": v.Members, "skills": skills,
		},
		"reply": map[string]any{
			"text": in.Text, "channel": channel, "language": in.Language, "covers": len(in.Members),
		},
		"tool": map[string]any{
			"name": v.ToolName, "error": v.ToolError, "question": v.ToolQuestion, "private": v.ToolPrivate, "write": v.ToolWrite,
		},
		"room": map[string]any{
			"language": room.Settings.Language, "private_text": room.Settings.PrivateText, "hand_over": room.Settings.HandOver,
			"focus_link_id": string(room.FocusLink), "listed_links": room.ListedLinks,
			"speech_queued_ms": room.SpeechQueuedMs, "waiting_danmaku": room.WaitingDanmaku,
		},
	}
}
