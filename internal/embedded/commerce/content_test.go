package commerce_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"livehost/harness"
	"livehost/internal/embedded/commerce"
)

// goodArgs are, for each tool, arguments that succeed on the default catalogue.
var goodArgs = map[string]string{
	"get_product": `{"link_id":"17"}`, "search_product": `{"query":"防晒"}`, "get_stock": `{"link_id":"17","sku":"M码"}`,
	"get_promotions": `{"link_id":"1"}`, "get_attribute": `{"link_id":"17","question":"材质"}`, "get_shipping": `{"link_id":"17","region":"上海"}`,
	"get_after_sales": `{"link_id":"17"}`, "get_size_advice": `{"link_id":"17","height_cm":160,"weight_kg":50}`,
	"compare_products": `{"link_ids":["17","18"]}`, "issue_coupon": `{}`, "get_membership": `{}`,
}

var resultPath = regexp.MustCompile(`\{result\.([^}]+)\}`)

// TestContentUsesOnlyWhatResultsHold: every {result.path} of the shipped examples
// is a field of the tool's result. A misspelt one would silently drop a sentence.
func TestContentUsesOnlyWhatResultsHold(t *testing.T) {
	t.Parallel()
	h, err := harness.Default()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(_ *commerce.Config, d *commerce.Deps) {
		r, err := h.Release("harness")
		if err != nil {
			t.Fatal(err)
		}
		d.Catalog = r.Catalog
	})
	results := map[string]map[string]any{
		"search_faq":       {"id": "", "question": "", "answer": "", "answer_en": ""},
		"get_order_status": {"order_id": "", "status": "", "status_text": "", "status_text_en": ""},
	}
	for tool, args := range goodArgs {
		results[tool] = s.call(t, "u-1", tool, args, "livehost/idempotency_key", "k")
		if results[tool]["error"] != nil {
			t.Errorf("%s %s: %v", tool, args, results[tool])
		}
	}
	checked := 0
	check := func(file string, text []byte) {
		examples, err := harness.ParseExamples(file, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range examples {
			if e.Call == nil {
				continue
			}
			texts := append([]string{}, e.Reply...)
			for _, w := range e.When {
				if w.If["error"] == nil {
					texts = append(texts, w.Reply...)
				}
			}
			for _, m := range resultPath.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
				checked++
				if strings.HasPrefix(m[1], "attributes.") {
					continue // which attributes there are is the product's matter
				}
				if err := lookup(results[e.Call.Tool], m[1]); err != nil {
					t.Errorf("%s:%d: %s: {result.%s}: %v", file, e.Line, e.Call.Tool, m[1], err)
				}
			}
		}
	}
	for _, id := range h.Releases() {
		r, err := h.Release(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, sk := range r.Skills {
			check(sk.File, []byte(sk.Body))
		}
		for _, b := range r.Prompt {
			check("prompts/"+b.Name, []byte(b.Text))
		}
	}
	t.Logf("%d placeholders", checked)
}

func lookup(v any, path string) error {
	for _, step := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[step]
			if !ok {
				return fmt.Errorf("there is no field %s", step)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(at) {
				return fmt.Errorf("there is no element %s", step)
			}
			v = at[i]
		default:
			return fmt.Errorf("%s is inside a %T", step, v)
		}
	}
	return nil
}
