package aggregator_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"livehost/eval/audit"
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

// The busiest ten minutes of the busiest rooms, with runs as long as the policy's:
// what capacity allows is served, and what is admitted is in time.
func TestRecordedRoomsAreServed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays recordings")
	}
	rooms := map[string][]recorded{}
	eachRecorded(t, func(room string, r recorded) { rooms[room] = append(rooms[room], r) })
	for name, room := range rooms {
		const least = 500 // danmaku
		part := busiest(room, 600_000)
		if len(part) < least {
			continue
		}
		wantServed, wantInTime := 0.89, 0.96
		switch {
		case strings.HasPrefix(name, "tiktok_05"):
			// Whether its one minute of 717 danmaku meets the slots free or all busy is
			// chance: a play has 0.69 to 0.91 of what it may served.
			wantServed, wantInTime = 0.78, 0.94
		case strings.HasPrefix(name, "kuaishou_01"): // 0.84 to 0.92
			wantServed = 0.85
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const plays = 4
			var served, inTime float64
			for seed := range uint64(plays) {
				inBubble(t, func(t *testing.T, r *rig) {
					a, b := playRecording(t, r, part, seed)
					served, inTime = served+a/plays, inTime+b/plays
				})
			}
			if served < wantServed || inTime < wantInTime {
				t.Errorf("served share %.3f, in time %.3f; want %v and %v", served, inTime, wantServed, wantInTime)
			}
		})
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

// playRecording says which share of what capacity allows was served, and of what was
// admitted in time.
func playRecording(t *testing.T, r *rig, part []recorded, seed uint64) (served, attainment float64) {
	agent := &simulated{rng: rand.New(rand.NewPCG(seed, 7))}
	r.answer, r.runOf, r.step = agent.answer, agent.run, 200*time.Millisecond
	r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) { e.Settings = &event.RoomSettings{Language: "zh", PrivateText: true} }))
	start := time.Now()
	for i, rec := range part {
		r.pass(time.Duration(rec.TsMs-part[0].TsMs)*time.Millisecond - time.Since(start))
		variant := "ab"[rec.User[len(rec.User)-1]%2]
		d := r.danmaku(fmt.Sprint("d", i), string(variant)+rec.User, rec.Text)
		d.Host = rec.Kind == "host"
		r.put(d)
	}
	r.step = time.Second
	r.pass(50 * time.Second)
	var log audit.Log
	for _, rec := range r.records() {
		log.Add(rec)
	}
	log.Sort()
	s := audit.Summarize(&log, audit.Options{Slots: 8})
	sizes, reasons, asked, met := map[int]int{}, map[string]int{}, 0, 0
	for _, w := range log.Windows {
		sizes[len(w.V.Members)]++
	}
	for _, o := range log.Outcomes {
		reasons[string(o.V.State)+" "+o.V.Reason]++
		if o.V.Admitted && o.V.State != event.Silent {
			asked++
			if o.V.ReplyMs > 0 && o.V.ReplyMs <= o.V.PlatformMs+15_000 {
				met++
			}
		}
	}
	attainment = float64(met) / float64(asked)
	t.Logf("%d danmaku, eligible %d, admitted %d, attainment %.3f, served share %v of %d, shed %v, windows %v: %v",
		len(part), s.Eligible, s.Admitted, attainment, *s.ServedShare, s.CapacityBound, *s.ShedShare, sizes, reasons)
	r.check()
	return *s.ServedShare, attainment // low information that is shed counts as unserved
}

// simulated is an agent and a dispatcher as slow as the real ones: a run takes the
// longer the more it holds, one voice speaks, and what it cannot reach goes to each
// asker as text. Low information is met with silence.
type simulated struct {
	rng    *rand.Rand
	freeMs int64
}

func (s *simulated) run(w event.Window) time.Duration {
	median := 2.6 + 0.3*float64(max(len(w.Members), 1))
	seconds := median * math.Exp(0.35*s.rng.NormFloat64())
	return time.Duration(min(seconds, 10) * float64(time.Second))
}

func (s *simulated) answer(w event.Window) []event.Event {
	now := time.Now().UnixMilli()
	rep := reply(w)
	rep.Members, rep.Timing.RunMs = w.Members, now-w.OpenedMs
	var out []event.Event
	spoken := ""
	for _, m := range w.Members {
		state, channel := event.Answered, event.Private
		switch {
		case now > m.AnswerByMs:
			state, channel = event.Expired, ""
		case m.Intent == "low_info":
			state, channel = event.Silent, ""
		case m.Intent == spoken:
			channel = event.Public
		case spoken == "" && s.freeMs < now+10_000:
			spoken, channel = m.Key, event.Public
			if w.Class >= event.ClassChat { // one word of thanks
				spoken = m.Intent
			}
			s.freeMs = max(now, s.freeMs) + 4000
		case m.Key == spoken:
			channel = event.Public
		}
		o := outcomeOf(w, m.DanmakuID, state, channel)
		o.PlatformMs, o.Intent, o.Variant = m.PlatformMs, m.Intent, w.Variant
		if state == event.Expired {
			o.ReplyMs = 0
		}
		out = append(out, o)
	}
	return append([]event.Event{rep}, out...)
}
