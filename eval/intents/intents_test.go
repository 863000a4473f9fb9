package intents_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/aggregator/intent"
	"livehost/eval/intents"
)

const recordings = "../../../shared/data"

func labels(t *testing.T, path string) []intents.Label {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := intents.ParseLabels(path, f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func testSets(t *testing.T) []string {
	t.Helper()
	sets, err := filepath.Glob("labels/test*.labels")
	if err != nil || len(sets) == 0 {
		t.Fatalf("no test sets: %v", err)
	}
	return sets
}

// The sets were drawn at random, labelled by labellers who knew only docs/intents.md, and
// committed before the model first read them; nothing is mended by them.
func TestUnseenDanmakuAreReadAsLabelled(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(recordings); err != nil {
		t.Skip("no shared recordings here")
	}
	for _, set := range testSets(t) {
		t.Run(filepath.Base(set), func(t *testing.T) {
			t.Parallel()
			r, err := intents.Evaluate(t.Context(), recordings, labels(t, set), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d (%.1f %%)", r.Right, r.Labels, 100*r.Accuracy)
			want := least
			if filepath.Base(set) == "test17.labels" {
				want = leastOfTheSeventeenth
			}
			if r.Accuracy < want || r.Missing > 0 {
				t.Errorf("accuracy %.3f, want %.3f; %d missing", r.Accuracy, want, r.Missing)
			}
		})
	}
}

// least is a little below the worst of what the sets had on their first runs: 261, 267,
// 259, 253 and 259 right of 300, the first three with earlier models (264, 270 and 263
// with this one). 0.9 is what we want.
const least, leastOfTheSeventeenth = 0.85, 0.83

func TestTestSetsAreNotLearntFrom(t *testing.T) {
	t.Parallel()
	type place struct {
		file string
		line int
	}
	learnt := map[place]bool{}
	for _, l := range labels(t, "labels/train.labels") {
		learnt[place{l.File, l.Line}] = true
	}
	if len(learnt) == 0 {
		t.Fatal("nothing to learn from")
	}
	for _, set := range testSets(t) {
		for _, l := range labels(t, set) {
			if learnt[place{l.File, l.Line}] {
				t.Errorf("%s: %s:%d is in train.labels", set, l.File, l.Line)
			}
		}
	}
}

func TestParseLabels(t *testing.T) {
	t.Parallel()
	got, err := intents.ParseLabels("x.labels", strings.NewReader("# of two forms\na/b.jsonl:3 price|shipping\n\nc.jsonl:\n7 size\n8 low_info\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []intents.Label{
		{File: "a/b.jsonl", Line: 3, Intents: []intent.Intent{intent.Price, intent.Shipping}},
		{File: "c.jsonl", Line: 7, Intents: []intent.Intent{intent.Size}},
		{File: "c.jsonl", Line: 8, Intents: []intent.Intent{intent.LowInfo}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "7 size", "a.jsonl:x size", "a.jsonl:0 size", "a.jsonl:1", "a.jsonl:1 sizes", "a.jsonl:1 size|"} {
		if _, err := intents.ParseLabels("x.labels", strings.NewReader("# \n"+bad+"\n")); err == nil || !strings.Contains(err.Error(), "x.labels") || bad != "" && !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v, want an error that says where", bad, err)
		}
	}
}

func TestEvaluateCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "rooms", "p", "a.jsonl"),
		`{"ts_ms":0,"user":"u1","text":"多少钱","kind":"comment"}`,
		`{"ts_ms":1,"user":"h","text":"99块","kind":"host"}`,
		`{"ts_ms":2,"user":"u2","text":"主播晚上好","kind":"comment"}`)
	read := func(file string) (intents.Report, error) {
		return intents.Evaluate(t.Context(), dir, []intents.Label{
			{File: file, Line: 1, Intents: []intent.Intent{intent.Price}},
			{File: file, Line: 2, Intents: []intent.Intent{intent.Price}},
			{File: file, Line: 3, Intents: []intent.Intent{intent.Complaint}},
		}, []intents.Label{{File: file, Line: 1}})
	}
	r, err := read("p/a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if r.Labels != 3 || r.Right != 1 || r.Missing != 1 || len(r.Wrong) != 2 || r.Wrong[1].Got != "greeting" || r.NewTexts != 2 || r.NewTextsRight != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := read("p/b.jsonl"); err == nil || !strings.Contains(err.Error(), "b.jsonl") {
		t.Errorf("a recording that is not there: %v", err)
	}
	var texts bytes.Buffer
	if err := intents.WriteTexts(t.Context(), dir, &texts); err != nil {
		t.Fatal(err)
	}
	if want := "p/a.jsonl:1\t多少钱\np/a.jsonl:3\t主播晚上好\n"; texts.String() != want {
		t.Errorf("texts %q, want %q", &texts, want)
	}
	if err := intents.WriteTexts(t.Context(), t.TempDir(), &texts); err == nil {
		t.Error("no recordings, and no error")
	}
}

func TestWriteOwn(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := intents.WriteOwn("own.tsv", strings.NewReader("多少钱 \tprice\nHow MUCH\tprice|size\n"), &out); err != nil {
		t.Fatal(err)
	}
	if want := "price\t多少钱\nprice|size\thow much\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
	for _, bad := range []string{"多少钱", "多少钱\tprices", "\tprice"} {
		if err := intents.WriteOwn("own.tsv", strings.NewReader("好\tpraise\n"+bad+"\n"), &out); err == nil || !strings.Contains(err.Error(), "own.tsv line 2") {
			t.Errorf("%q: %v, want an error that names the line", bad, err)
		}
	}
}

func write(t *testing.T, path string, lines ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
