package source_test

import (
	"path/filepath"
	"testing"
	"time"

	"livehost/streams/source"
)

// TestRealRecordings reads every recorded room beside the checkout, when there are any.
func TestRealRecordings(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"rooms/*/*.jsonl", "streams/*.jsonl"} {
		found, err := filepath.Glob("../../../shared/data/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("no ../shared beside the checkout")
	}
	for _, name := range files {
		rec, problems, err := source.ReadFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, p := range problems {
			if p.What != "the text is empty" { // one of them really is
				t.Error(p)
			}
		}
		from, n := rec.Busiest(10 * time.Minute)
		items := rec.Items(source.Room{ID: "r"}, epoch, source.Slice{From: from, For: 10 * time.Minute}, nil)
		if len(items) < n+2 || n == 0 {
			t.Errorf("%s: %d items for the busiest %d comments", name, len(items), n)
		}
	}
}
