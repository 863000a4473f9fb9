package main

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/eval/audit"
	"livehost/streams/event"
)

const epoch = int64(1_700_000_000_000)

// at is the log entry of an event that was appended so many milliseconds after the epoch.
func at[T event.Event](ms int64, e T) audit.Entry[T] {
	return audit.Entry[T]{V: e, Wall: time.UnixMilli(epoch + ms)}
}

// evening is a log in which nothing is wrong: two viewers of two variants ask, one is
// answered aloud, the other in private, and a third is shed.
func evening() *audit.Log {
	l := &audit.Log{}
	for i, viewer := range []event.ViewerID{"u-a", "u-b", ""} {
		l.Danmaku = append(l.Danmaku, at(0, event.Danmaku{DanmakuID: event.DanmakuID(fmt.Sprint("d-", i)), RoomID: "r", ViewerID: viewer, PlatformTimeMs: epoch}))
	}
	for i, v := range []event.Variant{"a", "b"} {
		viewer, danmaku, window := event.ViewerID("u-"+v), event.DanmakuID(fmt.Sprint("d-", i)), event.WindowID("w-"+v)
		l.Exposures = append(l.Exposures, at(10, event.Exposure{ExposureID: "e-" + string(v), Experiment: "first", Unit: string(viewer), Variant: v, Kind: event.Exposed}))
		l.Windows = append(l.Windows, at(100, event.Window{WindowID: window, RoomID: "r", Kind: event.DanmakuWindow, Variant: v,
			Members: []event.Member{{DanmakuID: danmaku, ViewerID: viewer, PlatformMs: epoch}}}))
		l.Replies = append(l.Replies, at(3000, event.Reply{ReplyID: window, RunID: event.NewRunID(window, 1), RoomID: "r", Variant: v}))
		l.Outcomes = append(l.Outcomes, at(6000, event.Outcome{DanmakuID: danmaku, RoomID: "r", State: event.Answered, Variant: v, Eligible: true}))
	}
	l.Outcomes = append(l.Outcomes, at(200, event.Outcome{DanmakuID: "d-2", RoomID: "r", State: event.Shed, Variant: "a", Eligible: true}))
	l.Deliveries = append(speech("w-a", "d-0", 4000, 6000), at(4500, event.Delivery{
		DeliveryID: "w-b/private", ReplyID: "w-b", RunID: "w-b#1", RoomID: "r", Outlet: "private", Channel: event.Private, State: event.DeliverySent,
		DanmakuIDs: []event.DanmakuID{"d-1"}, Variant: "b",
	}))
	return l
}

// speech is a public answer of variant a, from and to so many milliseconds after the epoch.
func speech(window event.WindowID, danmaku event.DanmakuID, from, to int64) []audit.Entry[event.Delivery] {
	d := event.Delivery{
		DeliveryID: event.DeliveryID(window) + "/public", ReplyID: window, RunID: event.NewRunID(window, 1), RoomID: "r", Outlet: "console", Channel: event.Public,
		State: event.DeliveryStarted, DanmakuIDs: []event.DanmakuID{danmaku}, Variant: "a", FirstAudioMs: epoch + from, TimeMs: epoch + from,
	}
	end := d
	end.State, end.EndMs, end.TimeMs = event.DeliveryEnded, epoch+to, epoch+to
	return []audit.Entry[event.Delivery]{at(from, d), at(to, end)}
}

// bad are the bad counts of a result, by their names in its line.
func bad(t *testing.T, r *result) map[string]int {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]int)
	for _, name := range []string{"unaccounted", "conflicts", "heard_twice", "overlaps", "late_spoken", "mixed_variants"} {
		if n := int(all[name].(float64)); n != 0 {
			out[name] = n
		}
	}
	return out
}

func judged(l *audit.Log) *result {
	r := &result{Name: "planted", Injected: 1}
	l.Sort()
	r.judge(l, 8)
	return r
}

// Each bad count finds the fault that is planted for it, and no other one does.
func TestJudgeFindsPlantedFaults(t *testing.T) {
	t.Parallel()
	if r := judged(evening()); !r.good() || r.Accepted != 3 {
		t.Fatalf("nothing is wrong, but the result is %+v", r)
	}
	ask := func(l *audit.Log, id event.DanmakuID, atMs int64) {
		l.Danmaku = append(l.Danmaku, at(atMs, event.Danmaku{DanmakuID: id, RoomID: "r", ViewerID: "u-a", PlatformTimeMs: epoch + atMs}))
	}
	end := func(l *audit.Log, id event.DanmakuID, state event.State) {
		l.Outcomes = append(l.Outcomes, at(60_000, event.Outcome{DanmakuID: id, RoomID: "r", State: state, Variant: "a", Eligible: true}))
	}
	for _, tt := range []struct {
		name  string
		count string
		plant func(*audit.Log)
	}{
		{"no outcome", "unaccounted", func(l *audit.Log) { ask(l, "x", 0) }},
		{"an outcome of nobody's", "unaccounted", func(l *audit.Log) { end(l, "x", event.Shed) }},
		{"two outcomes", "conflicts", func(l *audit.Log) { end(l, "d-2", event.Expired) }},
		{"answered, but not heard", "conflicts", func(l *audit.Log) { ask(l, "x", 0); end(l, "x", event.Answered) }},
		{"answered again by another window", "heard_twice", func(l *audit.Log) {
			l.Deliveries = append(l.Deliveries, speech("w-2", "d-0", 8000, 9000)...)
		}},
		{"begun again after a kill", "heard_twice", func(l *audit.Log) { l.Deliveries = append(l.Deliveries, speech("w-a", "d-0", 8000, 9000)...) }},
		{"two voices", "overlaps", func(l *audit.Log) {
			ask(l, "x", 0)
			l.Deliveries = append(l.Deliveries, speech("w-2", "x", 5999, 7000)...)
			end(l, "x", event.Answered)
		}},
		{"20 s and a bit", "late_spoken", func(l *audit.Log) {
			ask(l, "x", 0)
			l.Deliveries = append(l.Deliveries, speech("w-2", "x", 20_002, 21_000)...) // append times are whole milliseconds
			end(l, "x", event.Answered)
		}},
		{"a window of two viewers' variants", "mixed_variants", func(l *audit.Log) {
			l.Windows = append(l.Windows, at(9000, event.Window{WindowID: "w-2", RoomID: "r", Variant: "a", Members: []event.Member{
				{DanmakuID: "y", ViewerID: "u-a"}, {DanmakuID: "z", ViewerID: "u-b"}, // u-b is of b
			}}))
		}},
		{"a viewer who is in windows of one variant only, but was exposed to the other", "mixed_variants", func(l *audit.Log) { l.Exposures[1].V.Variant = "a" }},
		{"a reply of the other variant", "mixed_variants", func(l *audit.Log) { l.Replies[0].V.Variant = "b" }},
		{"the other variant's text spoken", "mixed_variants", func(l *audit.Log) {
			l.Deliveries[2].V.ReplyID, l.Deliveries[2].V.DanmakuIDs = "w-a", nil // of b; d-1 is told nothing
			l.Outcomes[1].V.State = event.Shed
		}},
		{"a danmaku that changed its variant", "mixed_variants", func(l *audit.Log) { l.Outcomes[0].V.Variant = "b" }},
	} {
		l := evening()
		tt.plant(l)
		r := judged(l)
		if d := cmp.Diff(map[string]int{tt.count: 1}, bad(t, r)); d != "" || r.good() || len(r.Findings) == 0 {
			t.Errorf("%s: good %v, findings %v (-want +got):\n%s", tt.name, r.good(), r.Findings, d)
		}
	}
}

// What is not in the log makes a result bad, too.
func TestResultIsBad(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*result){
		"nothing was injected":    func(r *result) { r.Injected = 0 },
		"nobody wrote":            func(r *result) { r.Accepted = 0 },
		"a group is not finished": func(r *result) { r.Unfinished = 1 },
		"something was found":     func(r *result) { r.Findings = []string{"a stage died"} },
	} {
		r := judged(evening())
		spoil(r)
		if r.good() {
			t.Errorf("%s, and the result is good: %+v", name, r)
		}
	}
}
