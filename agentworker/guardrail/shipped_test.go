package guardrail_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/runner"
	"livehost/harness"
	"livehost/harness/harnesstest"
	"livehost/streams/event"
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

// TestShippedNames: with two products looked up, each may be given its own price by any
// of its names and what the catalogue says of it, and not the other's price.
func TestShippedNames(t *testing.T) {
	t.Parallel()
	catalog := harnesstest.Shipped(t, "harness").Catalog
	stopped, swapped, passed := 0, 0, 0
	for i, p := range catalog.Products {
		other := catalog.Products[(i+1)%len(catalog.Products)]
		e := &guardrail.Evidence{Aliases: func(link event.LinkID, _ string) []string {
			known, _ := catalog.ByLink(link)
			return known.Aliases
		}}
		for _, known := range []harness.Product{p, other} {
			attributes := map[string]any{}
			for _, a := range known.Attributes {
				attributes[a.Key] = a.Value
			}
			e.AddResult(guardrail.ToolResult{Tool: "get_product", Data: map[string]any{
				"link_id": string(known.LinkID), "name": known.Name, "name_en": known.NameEN, "price_fen": float64(known.Price()),
				"selling_point": known.SellingPoint, "selling_point_en": known.SellingPointEN, "attributes": attributes,
			}})
		}
		right := []string{p.Name + "，" + p.SellingPoint, p.SellingPointEN + "."}
		for _, a := range p.Attributes {
			right = append(right, fmt.Sprintf("%s的%s是%s", p.Name, a.Key, a.Value))
		}
		for _, name := range slices.Concat([]string{p.Name, p.NameEN}, p.Aliases) {
			right = append(right, fmt.Sprintf("%s现在%g元", name, float64(p.Price())/100))
			if other.Price() != p.Price() {
				swapped++
				if _, ok := guardrail.Grounding(&guardrail.Input{Text: fmt.Sprintf("%s现在%g元", name, float64(other.Price())/100), Evidence: e}); ok {
					passed++
				}
			}
		}
		for _, text := range right {
			for _, check := range []guardrail.Check{guardrail.Grounding, guardrail.UnsupportedClaims} {
				if f, ok := check(&guardrail.Input{Text: text, Evidence: e}); !ok {
					stopped++
					t.Logf("%q is stopped at %q: %s", text, f.Span, f.Detail)
				}
			}
		}
	}
	if stopped > 0 || share(passed, swapped) > 2 {
		t.Errorf("%d right ones are stopped; of %d with another's price %d pass", stopped, swapped, passed)
	}
}
