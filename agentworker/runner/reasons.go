package runner

import (
	"slices"
	"strings"

	"livehost/streams/event"
)

// The closed list of outcome reasons of the agent worker, by state.
const (
	// silent and handed_over: the agent's choice. A reason of these lists that the
	// policy gives is kept, anything else is ReasonAgentChoice; its words are in the
	// trajectory.
	ReasonAgentChoice = "agent_choice"

	// expired
	ReasonDeadline = "deadline"

	// suppressed: the rule's name, with - as _; this when no rule is to blame. Silent: the run
	// failed, and silence is the conservative reply.
	ReasonNothingToSay = "nothing_to_say"

	// failed
	ReasonPolicyFailed = "policy_failed" // no answer from any replica and no conservative reply
	ReasonNoRelease    = "no_release"    // the variant has no release
	ReasonBadRequest   = "bad_request"   // the policy refuses our request
	ReasonRoundsUsed   = "rounds_used"   // no reply within the rounds and no conservative reply
)

// agentReasons are the reasons a policy may give for silence or handing over.
var agentReasons = map[event.State][]string{
	event.Silent: {
		"small_talk", "noise", "greeting", "praise", "low_information", "viewer_chat", "not_a_question", "spam",
		"off_topic", "already_answered", "injection",
	},
	event.HandedOver: {"complaint", "after_sales", "order", "refund", "human_requested", "safety", "legal"},
}

// agentReason is what the policy gave, when it is in the list.
func agentReason(state event.State, given string) string {
	given = strings.ToLower(strings.TrimSpace(given))
	if slices.Contains(agentReasons[state], given) {
		return given
	}
	return ReasonAgentChoice
}

func ruleReason(rule string) string {
	if rule == "" {
		return ReasonNothingToSay
	}
	return strings.ReplaceAll(rule, "-", "_")
}
