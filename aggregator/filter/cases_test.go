package filter_test

import (
	"os"
	"strings"
	"testing"

	"livehost/aggregator/filter"
	"livehost/aggregator/text"
)

func cases(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

func TestUnwantedIsFiltered(t *testing.T) {
	t.Parallel()
	all := cases(t, "unwanted.txt")
	if len(all) < 300 {
		t.Fatalf("%d cases", len(all))
	}
	var missed []string
	for _, in := range all {
		if filter.New(filter.Lists{}).Judge(text.Clean(in, "zh")).Reason == filter.None {
			missed = append(missed, in)
		}
	}
	t.Logf("%d of %d pass: %q", len(missed), len(all), missed)
	if len(missed)*20 > len(all) {
		t.Errorf("%d of %d are not filtered, want at most 5 %%", len(missed), len(all))
	}
}

func TestP42WantedPasses(t *testing.T) {
	t.Parallel()
	for _, in := range cases(t, "wanted.txt") {
		if got := filter.New(filter.Lists{}).Judge(text.Clean(in, "zh")); got.Reason.Hit() {
			t.Errorf("%q is filtered as %s by %q", in, got.Reason, got.Span)
		}
	}
}
