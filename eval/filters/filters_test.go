package filters_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/aggregator"
	"livehost/aggregator/filter"
	"livehost/eval/filters"
)

func options(dir string) filters.Options {
	return filters.Options{Dir: dir, Rate: aggregator.DefaultConfig().Rate()}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "rooms/one.jsonl", `{"ts_ms":0,"user":"u1","text":"多少钱","kind":"comment","intent":1}
{"ts_ms":10,"user":"u2","text":"加微信领券","kind":"comment","intent":0}
{"ts_ms":20,"user":"u3","text":"我要买[赞]","kind":"comment","intent":1}
{"ts_ms":30,"user":"u4","text":"[赞][赞]","kind":"comment","intent":1}
{"ts_ms":40,"user":"h","text":"欢迎","kind":"host","intent":1}
not json
`)
	write(t, dir, "rooms/b/two.jsonl", `{"ts_ms":0,"user":"u1","text":"某某词多少钱","kind":"comment","intent":1}
`)
	write(t, dir, "elsewhere/no.jsonl", `{"a":1}`)
	lists, err := filter.ParseLists("w", []byte("[sensitive]\n某某词\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := options(dir)
	o.Lists = lists
	got, err := filters.Evaluate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	share := 0.5
	want := filters.Report{
		Version: got.Version, Files: 2, Danmaku: 5, Filtered: 3, BadLines: 1, Wanted: 4, WantedFiltered: 2, IntentFilteredShare: &share,
		Reasons:    map[string]int{"emoji_only": 1, "sensitive": 1},
		AllReasons: map[string]int{"emoji_only": 1, "sensitive": 1, "contact_bait": 1},
		Examples: []filters.Example{
			{File: "rooms/b/two.jsonl", Line: 1, Reason: "sensitive", Span: "某某词"},
			{File: "rooms/one.jsonl", Line: 4, Reason: "emoji_only"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// As in the stage, what a talkative viewer asks is no flood: it is judged by its words.
func TestFloodSparesQuestions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var lines strings.Builder
	line := func(text string) {
		fmt.Fprintf(&lines, `{"ts_ms":0,"user":"u1","text":%q,"kind":"comment","intent":1}`+"\n", text)
	}
	for i := range 12 {
		line(fmt.Sprintf("今天天气第%d次真好", i))
	}
	line("3号链接多少钱")
	line("加微信abc12345 5号链接多少钱")
	write(t, dir, "one.jsonl", lines.String())
	got, err := filters.Evaluate(t.Context(), options(dir))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]int{"viewer_flood": 4, "contact_bait": 1}, got.Reasons); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestNothingToRead(t *testing.T) {
	t.Parallel()
	if _, err := filters.Evaluate(t.Context(), options(t.TempDir())); err == nil {
		t.Error("an empty folder is taken")
	}
	if _, err := filters.Evaluate(t.Context(), options(filepath.Join(t.TempDir(), "no"))); err == nil {
		t.Error("a folder that is not there is taken")
	}
}

// Viewers who want to buy must not be filtered.
func TestRecordedBuyersAreNotFiltered(t *testing.T) {
	t.Parallel()
	const data = "../../../shared/data"
	if _, err := os.Stat(data); err != nil {
		t.Skip("no shared recordings here")
	}
	r, err := filters.Evaluate(t.Context(), options(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d danmaku, %d filtered %v, %d of %d buyers filtered %v", r.Files, r.Danmaku, r.Filtered, r.AllReasons, r.WantedFiltered, r.Wanted, r.Reasons)
	if r.IntentFilteredShare == nil || *r.IntentFilteredShare >= 0.02 {
		t.Errorf("share of buyers' danmaku filtered %v", r.IntentFilteredShare)
	}
}
