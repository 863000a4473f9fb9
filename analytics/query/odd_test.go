package query_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/analytics/query"
)

// What a cell shows came from viewers and models: it neither moves the terminal's cursor
// nor begins a line, and one long cell does not widen every row to its own length.
func TestTableOfOddTexts(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	long := strings.Repeat("长", 5000)
	table := query.Table{Header: []string{"A", "B"}, Rows: [][]string{{"x\x1b[2Jy\nz", "1"}, {"\u202eabc\t", "2"}, {"", "3"}, {long, "4"}}}
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	var got []string
	for _, l := range lines {
		if len(l) < len(long) {
			got = append(got, strings.Join(strings.Fields(l), " "))
		}
	}
	if d := cmp.Diff([]string{"A B", "x [2Jy z 1", "abc 2", "3"}, got); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	if n := len(lines[1]); n > 500 {
		t.Errorf("a short row has %d characters", n)
	}
	i := query.Incident{Kind: "guardrail", Rule: "r", Span: "a\x1b]0;title\x07\nforged line", Cause: "c\r"}
	if line := i.Line(); strings.ContainsAny(line, "\x1b\x07\r\n") {
		t.Errorf("line %q", line)
	}
}
