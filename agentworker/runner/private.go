package runner

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/streams/event"
)

// rulePrivate is the runner's own rule: what a private tool gave is for its asker alone.
const (
	rulePrivate        = "private-facts"
	rulePrivateVersion = "2"
)

// secret is a text that only one viewer may be told.
type secret struct {
	value  string
	viewer event.ViewerID
	turn   bool // of an earlier answer: its own words are meant, not what it says
}

// learnPrivate keeps what a private tool gave for the viewer it was asked for.
func (s *state) learnPrivate(a *action) {
	for _, value := range secrets(a.result.Data) {
		s.secrets = append(s.secrets, secret{value: value, viewer: a.result.Viewer})
	}
	s.askers = append(s.askers, ids(s.askersOf(a))...)
}

// recallPrivate keeps what the prompt holds of earlier private answers.
func (s *state) recallPrivate() {
	for _, t := range s.shown.Context.Dialogue {
		if t.Private && t.ViewerID == s.shown.OnlyViewer() {
			s.secrets = append(s.secrets, secret{value: t.Answer, viewer: t.ViewerID, turn: true})
		}
	}
	if len(s.secrets) == 0 {
		return
	}
	for _, byIntent := range s.rel.Fallbacks { // they are sent in private as well
		for _, texts := range byIntent {
			s.open = append(s.open, texts...)
		}
	}
}

// secrets are the texts of a private result that nobody else may hear. Short ones
// are words of every day; numbers are the grounding hooks' to find without evidence.
func secrets(v any) []string {
	const shortest = 4 // runes
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			out = append(out, secrets(x)...)
		}
	case []any:
		for _, x := range v {
			out = append(out, secrets(x)...)
		}
	case string:
		if utf8.RuneCountInString(v) >= shortest {
			out = append(out, v)
		}
	}
	return out
}

// listener is the one viewer who gets a text, "" for everybody.
func listener(to []event.Member, private bool) event.ViewerID {
	if private && len(to) == 1 {
		return to[0].ViewerID
	}
	return ""
}

// tellsSecret is what of a private result, or of an earlier private answer, would be
// told to somebody else: as it stands there, or in words that are close to it. What the
// listener's own results or the public ones hold as well is no secret.
func (s *state) tellsSecret(body string, to []event.Member, private bool) string {
	if len(s.secrets) == 0 {
		return ""
	}
	viewer := listener(to, private)
	known := slices.Clone(s.open)
	results, turns := guardrail.Close(), &guardrail.Shingles{}
	var others []string
	for _, sec := range s.secrets {
		switch {
		case viewer != "" && sec.viewer == viewer:
			known = append(known, sec.value)
		case sec.turn:
			turns.Add(sec.value)
		default:
			others = append(others, sec.value)
			results.Add(sec.value)
		}
	}
	for _, value := range others {
		isKnown := func(k string) bool { return strings.Contains(k, value) }
		if strings.Contains(body, value) && !slices.ContainsFunc(known, isKnown) {
			return value
		}
	}
	if span := results.Beyond(body, guardrail.Close(known...)); span != "" {
		return span
	}
	var said guardrail.Shingles
	for _, k := range known {
		said.Add(k)
	}
	return turns.Beyond(body, &said)
}

// refuseSecret asks for another text.
func (s *state) refuseSecret(ctx context.Context, span string, members []event.Member) hook.Decision {
	action := string(hook.Retry)
	s.hits = append(s.hits, s.hit(rulePrivate, rulePrivateVersion, hook.BeforeReply, strings.Repeat("*", utf8.RuneCountInString(span)), action, members))
	s.step(ctx, time.Now(), event.Step{Kind: event.StepHook, Name: rulePrivate, Output: action, Cause: span})
	return hook.Decision{Action: hook.Retry, Rule: rulePrivate, Reminder: s.privateReminder(members)}
}

func (s *state) privateReminder(members []event.Member) string {
	if s.input("", members, false).Language == "en" {
		return "That is one viewer's private matter: tell it to this viewer alone, in private, and to nobody else."
	}
	return "这是一位观众的私人信息：只能私下回复本人，不能公开说，也不能告诉别人。"
}

// forAlone reports whether a final content is for the member alone: it may rest on their
// private data, or it repeats what is theirs.
func (s *state) forAlone(m event.Member, content string) bool {
	if slices.Contains(s.askers, m.DanmakuID) {
		return true
	}
	one := []event.Member{m}
	return s.tellsSecret(content, one, false) != "" && s.tellsSecret(content, one, true) == ""
}
