package guardrail_test

import (
	_ "embed"
	"strings"
	"testing"

	"livehost/agentworker/guardrail"
	"livehost/streams/event"
)

//go:embed testdata/replies.txt
var replies string

// notReplies are checks of calls and of events.
var notReplies = map[string]bool{"tool_params": true, "repeated_failure": true, "event_reply": true, "required_skill": true}

// Bounds of DESIGN's issue: shares of right replies stopped and of wrong ones let through.
const (
	mostFalseStops = 0.02
	mostMisses     = 0.02
)

// TestReplies judges whole replies by all checks together.
func TestReplies(t *testing.T) {
	t.Parallel()
	judgeReplies(t, replies, 300, mostFalseStops, mostMisses)
}

// judgeReplies judges a table of at least so many replies and fails when a larger share of right
// ones is stopped, or of wrong ones let through, than allowed.
func judgeReplies(t *testing.T, table string, atLeast int, falseStops, mostMissed float64) {
	t.Helper()
	checks := guardrail.Checks()
	var right, wrong, stops, misses int
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		f := strings.SplitN(line, "|", 5)
		if strings.HasPrefix(line, "#") || len(f) < 5 {
			continue
		}
		results, facts, question, verdict, text := f[0], f[1], f[2], f[3], strings.TrimSuffix(f[4], "|")
		by, span := objection(checks, replyInput(evidence(t, results, facts, question), question, text))
		switch {
		case verdict == "ok" && by != "":
			stops++
			t.Logf("false stop: %q for %q by %s at %q", text, question, by, span)
		case verdict == "no" && by == "":
			misses++
			t.Logf("miss: %q for %q", text, question)
		}
		if verdict == "ok" {
			right++
		} else {
			wrong++
		}
	}
	t.Logf("%d replies: %d right, false stops %.1f %%; %d wrong, misses %.1f %%", right+wrong, right, share(stops, right), wrong, share(misses, wrong))
	if right+wrong < atLeast {
		t.Errorf("%d replies, want at least %d", right+wrong, atLeast)
	}
	if share(stops, right) > 100*falseStops || share(misses, wrong) > 100*mostMissed {
		t.Error("more false stops or misses than allowed")
	}
}

// replyInput is a public reply to one viewer's question, in the language it was asked in.
func replyInput(e *guardrail.Evidence, question, text string) *guardrail.Input {
	lang := "zh"
	if !strings.ContainsFunc(question, func(r rune) bool { return r > 127 }) {
		lang = "en"
	}
	return &guardrail.Input{
		Text: text, Language: lang, Evidence: e, Internal: []string{"get_product", "answer"},
		Members: []event.Member{{DanmakuID: "d1", ViewerName: "小雨", Text: question, Question: question, Language: lang}},
	}
}

// objection is a check that stops a reply, with the span it stops at; "" when all let it pass.
func objection(checks map[string]guardrail.Check, in *guardrail.Input) (by, span string) {
	for name, check := range checks {
		if notReplies[name] {
			continue
		}
		if f, ok := check(in); !ok && f.Rewrite == "" {
			by, span = name, f.Span
		}
	}
	return by, span
}

func share(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
