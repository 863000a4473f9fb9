package harness_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"livehost/harness"
)

// fixedQuery is the query of a search_faq call that holds no placeholder.
var fixedQuery = regexp.MustCompile(`search_faq, args: \{query: "?([^}"{]+)"?\}`)

// TestFixedFAQQueriesFindSomething: the FAQ answers what the examples ask it.
func TestFixedFAQQueriesFindSomething(t *testing.T) {
	t.Parallel()
	h, err := harness.Load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.Release("harness")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("skills/*/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range append(files, "prompts/react-examples.md") {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fixedQuery.FindAllStringSubmatch(string(b), -1) {
			n++
			if len(r.SearchFAQ(m[1], 1)) == 0 {
				t.Errorf("%s: search_faq %q finds nothing", f, m[1])
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d fixed queries", n)
	}
}
