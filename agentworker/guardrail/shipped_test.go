package guardrail_test

import (
	"strings"
	"testing"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/runner"
	"livehost/harness/harnesstest"
)

// TestShippedAnswers holds what the shipped content says to the checks that look at
// words: the FAQ's answers as they are spoken, and example replies without
// placeholders. The harness's own prose must not stop them.
func TestShippedAnswers(t *testing.T) {
	t.Parallel()
	rel := harnesstest.Shipped(t, "harness")
	prompts := runner.PrivateTexts(rel)
	texts := map[string]string{}
	for _, e := range rel.FAQ {
		texts[e.Answer], texts[e.AnswerEN] = e.ID, e.ID
	}
	for _, s := range rel.Skills {
		for line := range strings.Lines(s.Body) {
			if _, reply, ok := strings.Cut(line, "reply: "); ok && !strings.Contains(reply, "{") {
				for _, text := range strings.Split(strings.Trim(strings.TrimSpace(reply), `[]"`), `", "`) {
					texts[text] = s.Name
				}
			}
		}
	}
	checks := guardrail.Checks()
	for text, from := range texts {
		e := &guardrail.Evidence{}
		e.AddFacts(text)
		in := &guardrail.Input{Text: text, Evidence: e, Prompts: prompts}
		for _, name := range []string{"leakage", "injection", "sensitive", "contact_bait", "unsupported_claims", "identity"} {
			if f, ok := checks[name](in); text != "" && !ok {
				t.Errorf("%s: %q is stopped by %s at %q: %s", from, text, name, f.Span, f.Detail)
			}
		}
	}
	if len(texts) < 200 {
		t.Errorf("only %d texts", len(texts))
	}
}
