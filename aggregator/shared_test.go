package aggregator_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"livehost/aggregator/cluster"
	"livehost/aggregator/filter"
	"livehost/aggregator/text"
	"livehost/streams/event"
)

type recorded struct {
	TsMs   int64  `json:"ts_ms"`
	User   string `json:"user"`
	Text   string `json:"text"`
	Kind   string `json:"kind"`
	Intent int    `json:"intent"`
}

// eachRecorded reads the shared recordings, when they are there.
func eachRecorded(t *testing.T, fn func(room string, r recorded)) {
	t.Helper()
	files, _ := filepath.Glob("../../shared/data/rooms/*/*.jsonl")
	if len(files) == 0 {
		t.Skip("no shared recordings here")
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r recorded
			if json.Unmarshal(lines.Bytes(), &r) == nil {
				fn(filepath.Base(name), r)
			}
		}
		f.Close()
	}
}

// Viewers who want to buy must not be filtered.
func TestRecordedBuyersAreNotFiltered(t *testing.T) {
	t.Parallel()
	reasons := map[filter.Reason]int{}
	samples := map[filter.Reason][]string{}
	intents := map[cluster.Intent]int{}
	total, filtered := 0, 0
	limiters := map[string]*filter.Limiter{}
	eachRecorded(t, func(room string, r recorded) {
		if r.Kind != "comment" {
			return
		}
		if limiters[room] == nil {
			limiters[room] = filter.NewLimiter(filter.Rate{Burst: 8, RefillMs: 2500})
		}
		reason := filter.None
		c := text.Clean(r.Text, "zh")
		if !limiters[room].Allow(event.ViewerID(r.User), r.TsMs) {
			reason = filter.Flood
		} else {
			reason = filter.Judge(c).Reason
		}
		if r.Intent != 1 {
			return
		}
		total++
		if reason == filter.None {
			intents[cluster.Read(cluster.Asked{Question: c.Question, Language: c.Language}).Intent]++
			return
		}
		filtered++
		reasons[reason]++
		if len(samples[reason]) < 40 {
			samples[reason] = append(samples[reason], r.Text)
		}
	})
	share := float64(filtered) / float64(total)
	t.Logf("filtered %d of %d (%.4f): %v", filtered, total, share, reasons)
	t.Logf("intents: %v", intents)
	for reason, s := range samples {
		t.Logf("%s: %q", reason, s)
	}
	if share >= 0.02 {
		t.Errorf("share %.4f of buyers' danmaku is filtered", share)
	}
}
