package aggregator_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

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

// The busiest ten minutes of the busiest rooms, 3.4 s a run: nobody is shed who
// could have been served.
func TestRecordedRoomsAreServed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays recordings")
	}
	rooms := map[string][]recorded{}
	eachRecorded(t, func(room string, r recorded) { rooms[room] = append(rooms[room], r) })
	for name, room := range rooms {
		const least = 700 // danmaku
		part := busiest(room, 600_000)
		if len(part) < least {
			continue
		}
		t.Run(name, func(t *testing.T) { inBubble(t, func(t *testing.T, r *rig) { playRecording(t, r, part) }) })
	}
}

// busiest is the part of span room time with the most danmaku.
func busiest(room []recorded, spanMs int64) []recorded {
	var best []recorded
	for from, to := 0, 0; from < len(room); from++ {
		for to < len(room) && room[to].TsMs < room[from].TsMs+spanMs {
			to++
		}
		if to-from > len(best) {
			best = room[from:to]
		}
	}
	return best
}

func playRecording(t *testing.T, r *rig, part []recorded) {
	r.answer, r.runMs, r.step = answered, 3400*time.Millisecond, 200*time.Millisecond
	start := time.Now()
	for i, rec := range part {
		r.pass(time.Duration(rec.TsMs-part[0].TsMs)*time.Millisecond - time.Since(start))
		variant := "ab"[rec.User[len(rec.User)-1]%2]
		d := r.danmaku(fmt.Sprint("d", i), string(variant)+rec.User, rec.Text)
		d.Host = rec.Kind == "host"
		r.put(d)
	}
	r.pass(50 * time.Second)
	states := map[string]int{}
	eligible, served := 0, 0
	for _, o := range all[event.Outcome](r) {
		states[string(o.State)+" "+o.Reason]++
		if o.Eligible {
			eligible++
		}
		if o.State == event.Answered || o.State == event.Merged {
			served++
		}
	}
	t.Logf("%d danmaku, %d eligible, %d served, %d windows: %v", len(part), eligible, served, len(all[event.Window](r)), states)
	if float64(served) < 0.95*float64(eligible) {
		t.Errorf("served %d of %d", served, eligible)
	}
	r.check()
}
