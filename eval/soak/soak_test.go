package main

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/internal/testkit"
	"livehost/streams/event"
)

func newTestReceiver(t *testing.T) *receiver {
	t.Helper()
	r, err := newReceiver()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.server.Close() })
	return r
}

func TestReceiver(t *testing.T) {
	t.Parallel()
	type cue struct {
		atMs     int64
		delivery event.DeliveryID
		seq      int
		kind     event.CueKind
		fence    int64
		want     int
	}
	const said, end, stop = event.CueSentence, event.CueEnd, event.CueStop
	for name, tt := range map[string]struct {
		cues                    []cue
		twice, overlaps, fenced int
	}{
		"one after another": {cues: []cue{{0, "a", 1, said, 1, 200}, {1000, "a", 2, said, 1, 200}, {2000, "a", 2, end, 1, 200}, {2300, "b", 1, said, 1, 200}}},
		"a retried call":    {cues: []cue{{0, "a", 1, said, 1, 200}, {10, "a", 1, said, 1, 409}}},
		"stopped, then another": {
			cues: []cue{{0, "a", 1, said, 1, 200}, {100, "a", 1, stop, 1, 200}, {110, "b", 1, said, 1, 200}},
		},
		"two voices":            {cues: []cue{{0, "a", 1, said, 1, 200}, {999, "b", 1, said, 2, 200}}, overlaps: 1},
		"the old owner":         {cues: []cue{{0, "a", 1, said, 2, 200}, {1000, "b", 1, said, 1, 412}}, fenced: 1},
		"the new owner repeats": {cues: []cue{{0, "a", 1, said, 1, 200}, {5000, "a", 1, said, 2, 200}}, twice: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, begin := newTestReceiver(t), time.Now()
			for i, c := range tt.cues {
				got := r.cue(event.SpeechCue{
					CueID: string(c.delivery) + string(c.kind) + string(rune('0'+c.seq)), Kind: c.kind, DeliveryID: c.delivery, RoomID: "r",
					Fence: c.fence, Seq: c.seq, LengthMs: 1000,
				}, begin.Add(time.Duration(c.atMs)*time.Millisecond))
				if got != c.want {
					t.Errorf("cue %d: %s, want %s", i, http.StatusText(got), http.StatusText(c.want))
				}
			}
			if got, want := []int{r.counted.twice, r.counted.overlaps, r.counted.fenced}, []int{tt.twice, tt.overlaps, tt.fenced}; !cmp.Equal(got, want) {
				t.Errorf("twice, overlaps, fenced: %v, want %v", got, want)
			}
		})
	}
}

// scene is one danmaku that was answered aloud, as it should be.
type scene struct {
	list  []asked
	log   *log
	heard *receiver
	kills []kill
}

var began = time.UnixMilli(1_700_000_000_000)

func newScene(t *testing.T) *scene {
	reply := event.Reply{ReplyID: "w", RoomID: "r", Public: &event.PublicReply{Text: "x"}, Members: []event.Member{{DanmakuID: "1"}}}
	s := &scene{list: []asked{{event: reply}}, heard: newTestReceiver(t), log: &log{
		outcomes:   map[danmaku][]event.Outcome{{"r", "1"}: {{State: event.Answered, Reason: "spoken", Channel: event.Public}}},
		deliveries: map[event.DeliveryID][]event.Delivery{"w/v": {s1(event.DeliveryStarted, ""), s1(event.DeliveryEnded, "")}},
	}}
	s.heard.begun["w/v"] = began
	return s
}

func s1(state event.DeliveryState, reason string) event.Delivery {
	return event.Delivery{DeliveryID: "w/v", RoomID: "r", State: state, Reason: reason, DanmakuIDs: []event.DanmakuID{"1"}, TimeMs: began.UnixMilli()}
}

func (s *scene) interrupted() {
	s.log.outcomes[danmaku{"r", "1"}] = []event.Outcome{{State: event.Failed, Reason: "interrupted"}}
	end := s1(event.DeliveryInterrupted, "interrupted")
	end.TimeMs += 10_000
	s.log.deliveries["w/v"][1] = end
}

// Each thing that must not be is found, and what is as it must be is not.
func TestJudge(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		edit func(*scene)
		good bool
	}{
		"as it must be":     {func(*scene) {}, true},
		"too little spoken": {(*scene).interrupted, false},
		"no outcome":        {func(s *scene) { clear(s.log.outcomes) }, false},
		"no reason":         {func(s *scene) { s.log.outcomes[danmaku{"r", "1"}][0].Reason = "" }, false},
		"two outcomes": {func(s *scene) {
			at := danmaku{"r", "1"}
			s.log.outcomes[at] = append(s.log.outcomes[at], event.Outcome{State: event.Expired})
		}, false},
		"the same one again": {func(s *scene) {
			at := danmaku{"r", "1"}
			s.log.outcomes[at] = append(s.log.outcomes[at], s.log.outcomes[at][0])
		}, true},
		"never heard":    {func(s *scene) { clear(s.heard.begun) }, false},
		"without an end": {func(s *scene) { s.log.deliveries["w/v"] = s.log.deliveries["w/v"][:1] }, false},
		"heard by another delivery too": {func(s *scene) {
			other := s1(event.DeliverySent, "")
			other.DeliveryID = "w/v/1"
			s.log.deliveries["w/v/1"], s.heard.sent["w/v/1"] = []event.Delivery{other}, true
		}, false},
		"two voices":       {func(s *scene) { s.heard.counted.overlaps = 1 }, false},
		"a sentence again": {func(s *scene) { s.heard.counted.twice = 1 }, false},
		"another room's danmaku of that id": {func(s *scene) {
			s.list = append(s.list, asked{event: event.Reply{ReplyID: "w", RoomID: "q", Members: []event.Member{{DanmakuID: "1"}}}})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			tt.edit(s)
			if r := judge(options{length: time.Minute}, s.list, s.log, s.heard, s.kills); r.good() != tt.good {
				t.Errorf("good is %v: %+v", r.good(), r)
			}
		})
	}
}

// A run in which nothing was due is a report, too, and a bad one.
func TestNothingDueIsReported(t *testing.T) {
	t.Parallel()
	r := judge(options{length: time.Minute}, nil, &log{}, newTestReceiver(t), nil)
	if _, err := json.Marshal(r); err != nil || r.good() {
		t.Errorf("%+v: good, or cannot be written: %v", r, err)
	}
}

// Speech that was cut off needs a kill after it began, and a kill excuses one in a room.
func TestSkipsNeedKills(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kills    []kill
		others   int // deliveries of the room that ended so as well
		most     int
		findings int
	}{
		"killed":              {[]kill{{began.Add(time.Second), "d"}}, 0, 1, 0},
		"killed before":       {[]kill{{began.Add(-time.Second), "d"}}, 0, 0, 1},
		"killed long after":   {[]kill{{began.Add(time.Hour), "d"}}, 0, 0, 1},
		"two by one kill":     {[]kill{{began.Add(time.Second), "d"}}, 1, 2, 1},
		"nothing was touched": {nil, 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.interrupted()
			for i := range tt.others {
				s.log.deliveries[event.DeliveryID(rune('a'+i))] = s.log.deliveries["w/v"]
			}
			r := &result{}
			r.skips(s.log, s.heard, tt.kills)
			if r.SkippedMost != tt.most || len(r.Findings) != tt.findings || r.Skipped != 1+tt.others {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestLoadIsSeeded(t *testing.T) {
	t.Parallel()
	make := func(seed uint64) []asked { return load(5, time.Minute, rand.New(rand.NewPCG(seed, 1))) }
	equal := func(a, b []asked) bool { return cmp.Equal(a, b, cmp.AllowUnexported(asked{})) }
	if !equal(make(1), make(1)) || equal(make(1), make(2)) {
		t.Error("the load is not the seed's")
	}
	for _, a := range make(1) {
		if _, err := event.Encode(a.timed(began)); err != nil {
			t.Error(err)
		}
	}
}

// A short run on real processes.
func TestSoak(t *testing.T) {
	livehost := os.Getenv("LIVEHOST")
	if livehost == "" {
		testkit.Missing(t, "LIVEHOST does not name the binary")
	}
	livehost, err := filepath.Abs(livehost)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run(t.Context(), options{livehost: livehost, seed: 1, length: 25 * time.Second, kills: 1, pauses: 1, rooms: 6, dispatchers: 2})
	if err != nil {
		t.Fatal(err)
	}
	r.Share = max(r.Share, enough) // too few replies for a share
	if !r.good() {
		t.Errorf("%+v", r)
	}
}
