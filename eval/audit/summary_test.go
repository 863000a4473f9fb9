package audit_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"livehost/eval/audit"
	"livehost/streams/event"
	"livehost/streams/streamstest"
)

const start = int64(1_700_000_000_000) // room time, ms

// world builds a log as the stages would write it. Wall time is room time.
type world struct {
	t   *testing.T
	now int64 // append time of the next record
	log streamstest.Log
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, now: start}
	w.log.Now = func() time.Time { return time.UnixMilli(w.now) }
	return w
}

func (w *world) put(atMs int64, events ...event.Event) {
	w.t.Helper()
	w.now = start + atMs
	for i := range events {
		events[i] = complete(events[i], w.now)
	}
	if err := w.log.Publish(w.t.Context(), events...); err != nil {
		w.t.Fatal(err)
	}
}

// complete gives an event the fields that no test is about.
func complete(e event.Event, nowMs int64) event.Event {
	versions := event.Versions{Release: "test", PolicyVersion: "p-1", HarnessHash: "h"}
	switch e := e.(type) {
	case event.Window:
		e.AnswerByMs, e.OpenedMs, e.EarliestMs, e.Class, e.Intent = start+15_000, nowMs, nowMs-100, event.ClassPurchase, "price"
		return e
	case event.Reply:
		e.AnswerByMs, e.Versions = start+15_000, versions
		return e
	case event.Step:
		e.Versions, e.StartedMs, e.EndedMs = versions, nowMs-30, nowMs
		return e
	case event.GuardrailHit:
		e.TimeMs = nowMs
		return e
	case event.Delivery:
		e.TimeMs = cmp.Or(e.TimeMs, nowMs)
		return e
	case event.Outcome:
		e.TimeMs = nowMs
		return e
	default:
		return e
	}
}

func (w *world) read() *audit.Log {
	w.t.Helper()
	l, err := audit.Read(w.t.Context(), &w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

func (w *world) summary() audit.Summary {
	return audit.Summarize(w.read(), audit.Options{
		Slots:    8,
		Labels:   map[event.DanmakuID]bool{"d-1": true, "spam": true, "d-2": false},
		Products: []audit.Product{{Link: "3", ID: "p-3", Names: []string{"云朵枕头", "pillow", ""}}, {Link: "5", ID: "p-5", Names: []string{"保温杯"}}},
	})
}

func danmaku(id, text string, atMs int64) event.Danmaku {
	return event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: "r", ViewerID: "u", Text: text, PlatformTimeMs: start + atMs}
}

func outcome(id string, state event.State) event.Outcome {
	return event.Outcome{Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: "r", State: state, Reason: "x", By: "dispatcher", Eligible: state != event.Filtered, Variant: "a"}
}

func members(atMs int64, ids ...string) []event.Member {
	var out []event.Member
	for _, id := range ids {
		out = append(out, event.Member{DanmakuID: event.DanmakuID(id), Ask: 1, PlatformMs: start + atMs, WaitWallUs: 100_000})
	}
	return out
}

func covers(ids []string) []event.DanmakuID {
	var out []event.DanmakuID
	for _, id := range ids {
		out = append(out, event.DanmakuID(id))
	}
	return out
}

// answer is a whole good path: ids asked at atMs, replied 3.5 s later, spoken from 4 s to 6 s after.
func (w *world) answer(window string, atMs int64, text, tool string, ids ...string) {
	w.t.Helper()
	w.put(atMs+100, event.Window{Schema: 1, WindowID: event.WindowID(window), RoomID: "r", Kind: event.DanmakuWindow, Mode: event.Single, Variant: "a",
		Members: members(atMs, ids...), AnswerByMs: start + atMs + 15_000})
	run := event.NewRunID(event.WindowID(window), 1)
	w.put(atMs+2000, event.Step{
		Schema: 1, RunID: run, WindowID: event.WindowID(window), RoomID: "r", Seq: 1, Kind: event.StepModel, Name: "p-1", Round: 1, Input: "the prompt",
		FirstTokenMs: 250, PromptTokens: 900, CompletionTokens: 40,
		Calls: []event.StepCall{{Name: "get_product", Arguments: `{"link_id":"1"}`}, {Name: "get_stock", Arguments: `{"link_id":"1"}`}},
	})
	w.put(atMs+3000, event.Step{Schema: 1, RunID: run, WindowID: event.WindowID(window), RoomID: "r", Seq: 2, Kind: event.StepTool, Name: "get_product", Output: tool})
	w.put(atMs+3500, event.Reply{Schema: 1, ReplyID: event.WindowID(window), RunID: run, Attempt: 1, RoomID: "r", Kind: event.DanmakuWindow, Variant: "a", Mode: event.Single,
		Public: &event.PublicReply{Text: text, Covers: covers(ids)}, Members: members(atMs, ids...), CreatedMs: start + atMs + 3500, Class: 1, Language: "zh",
		Verdicts: []event.Verdict{{Rule: "grounding", Version: "1", Stage: "before_reply", Action: "allow"}}, Timing: event.Timing{LaneWallUs: 1_000, SlotWallUs: 2_000, PolicyWallUs: 3_380_000, ToolWallUs: 10_000, RunMs: 3400}})
	w.speak(window, atMs+4000, atMs+6000, text, ids...)
	for _, id := range ids {
		w.put(atMs+6000, outcome(id, event.Answered))
	}
}

func delivery(window string, state event.DeliveryState, text string, ids ...string) event.Delivery {
	return event.Delivery{Schema: 1, DeliveryID: event.DeliveryID(window + "/p"), ReplyID: event.WindowID(window), RunID: event.NewRunID(event.WindowID(window), 1), RoomID: "r",
		Outlet: "print", Channel: event.Public, State: state, Text: text, DanmakuIDs: covers(ids), Variant: "a", HeardVariant: "a"}
}

func (w *world) speak(window string, fromMs, toMs int64, text string, ids ...string) {
	w.t.Helper()
	d := delivery(window, event.DeliveryStarted, text, ids...)
	d.FirstAudioMs, d.TimeMs = start+fromMs, start+fromMs
	w.put(fromMs, d)
	d.State, d.EndMs, d.TimeMs = event.DeliveryEnded, start+toMs, start+toMs
	w.put(toMs, d)
}

// good is a run without a fault: a price answer, a merged question, spam, a
// private answer and one that was shed.
func good(t *testing.T) *world {
	w := newWorld(t)
	w.put(0, danmaku("d-1", "3号多少钱", 0))
	w.put(0, danmaku("d-1", "3号多少钱", 0)) // the platform repeats itself
	w.answer("w-1", 0, "三号八十九块，满300减50哦", `{"name":"云朵枕头","price":"89元","price_fen":8900,"promotion":"满300减50"}`, "d-1")
	w.put(6000, outcome("d-1", event.Answered)) // at least once
	w.put(1000, danmaku("m-1", "多少钱啊", 1000))
	merged := outcome("m-1", event.Merged)
	merged.CoverID = "d-1"
	w.put(7000, merged)
	w.put(2000, danmaku("spam", "加V", 2000), outcome("spam", event.Filtered))
	w.put(8000, danmaku("d-2", "我的订单呢", 8000))
	w.put(8100, event.Window{Schema: 1, WindowID: "w-2", RoomID: "r", Kind: event.DanmakuWindow, Mode: event.Multi, Variant: "b", Members: members(8000, "d-2")})
	w.put(10_000, event.Reply{Schema: 1, ReplyID: "w-2", RunID: "w-2#1", RoomID: "r", Kind: event.DanmakuWindow, Variant: "b", Members: members(8000, "d-2"),
		Private: []event.PrivateReply{{DanmakuID: "d-2", ViewerID: "u", Text: "已发货"}}, CreatedMs: start + 10_000, Timing: event.Timing{RunMs: 1900, PolicyWallUs: 1_890_000}})
	private := delivery("w-2", event.DeliverySent, "已发货", "d-2")
	private.Channel, private.Outlet, private.Variant = event.Private, "private", "b"
	w.put(10_100, private, outcome("d-2", event.Answered))
	w.put(9000, danmaku("d-3", "有优惠吗", 9000), outcome("d-3", event.Shed))
	w.put(9500, event.GuardrailHit{Schema: 1, HitID: "h-1", RoomID: "r", DanmakuIDs: []event.DanmakuID{"spam"}, Span: "加V", Rule: "contact_bait", Version: "1", Stage: "aggregator", Action: "filter"})
	w.put(9500, event.GuardrailHit{Schema: 1, HitID: "h-1", RoomID: "r", DanmakuIDs: []event.DanmakuID{"spam"}, Span: "加V", Rule: "contact_bait", Version: "1", Stage: "aggregator", Action: "filter"})
	return w
}

func ptr[T any](x T) *T { return &x }

func TestACleanLog(t *testing.T) {
	t.Parallel()
	got := good(t).summary()
	want := audit.Summary{
		Accepted: 5, Eligible: 4, Admitted: 2,
		Outcomes: map[event.State]int{event.Answered: 2, event.Merged: 1, event.Filtered: 1, event.Shed: 1, event.Expired: 0, event.Silent: 0,
			event.HandedOver: 0, event.Suppressed: 0, event.Retracted: 0, event.Failed: 0},
		IntentFilteredShare: ptr(0.5), Attainment: ptr(1.0), ShedShare: ptr(0.25), CapacityBound: 4, ServedShare: ptr(0.75),
		LatencyMs:  audit.Latency{P50: ptr(int64(2000)), P95: ptr(int64(3500)), P99: ptr(int64(3500))},
		OverheadMs: audit.Overhead{P50: ptr(7.0), P99: ptr(10.0)},
		Variants: map[event.Variant]audit.VariantSummary{
			"a": {Eligible: 3, Admitted: 1, Windows: 1, Outcomes: map[event.State]int{event.Answered: 1, event.Merged: 1, event.Shed: 1}, Attainment: ptr(1.0), P50Ms: ptr(int64(3500))},
			"b": {Eligible: 1, Admitted: 1, Windows: 1, Outcomes: map[event.State]int{event.Answered: 1}, Attainment: ptr(1.0), P50Ms: ptr(int64(2000))},
		},
		Hits: map[string]int{"contact_bait": 1},
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("summary (-want +got):\n%s", d)
	}
}

// TestPlantedFaults plants each fault in the clean log; the summary finds it, and only it.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		plant func(*world)
		kind  audit.FindingKind
		n     int
	}{
		{"overlap", func(w *world) {
			w.put(5000, danmaku("x", "你好", 5000))
			w.answer("w-x", 1500, "你好呀", "{}", "x") // spoken from 5.5 s, w-1 ends at 6 s
		}, audit.Overlap, 1},
		{"late", func(w *world) {
			w.put(20_000, danmaku("x", "你好", 20_000))
			w.put(20_100, event.Window{Schema: 1, WindowID: "w-x", RoomID: "r", Kind: event.DanmakuWindow, Variant: "a", Members: members(20_000, "x")})
			w.speak("w-x", 40_001, 41_000, "你好呀", "x")
			w.put(41_000, outcome("x", event.Answered))
		}, audit.LateSpoken, 1},
		{"late by a platform time that a stage moved", func(w *world) {
			w.put(20_000, danmaku("x", "你好", 20_000))
			w.put(20_100, event.Window{Schema: 1, WindowID: "w-x", RoomID: "r", Kind: event.DanmakuWindow, Variant: "a", Members: members(30_000, "x")})
			w.speak("w-x", 45_000, 46_000, "你好呀", "x")
			w.put(46_000, outcome("x", event.Answered))
		}, audit.LateSpoken, 1},
		{"answered twice in public", func(w *world) { w.speak("w-9", 20_000, 21_000, "八十九", "d-1") }, audit.AnsweredTwice, 1},
		{"interrupted and spoken again", func(w *world) {
			d := delivery("w-9", event.DeliveryInterrupted, "八十", "d-1")
			w.put(8000, d)
		}, audit.AnsweredTwice, 1},
		{"public and private to one asker", func(w *world) {
			d := delivery("w-9", event.DeliverySent, "到啦", "d-1")
			d.Channel, d.Outlet = event.Private, "private"
			w.put(8000, d)
		}, audit.AnsweredTwice, 1},
		{"one delivery spoken again", func(w *world) {
			d := delivery("w-1", event.DeliveryStarted, "三号", "d-1")
			d.FirstAudioMs, d.TimeMs = start+4000, start+19_000
			w.put(19_000, d)
		}, audit.AnsweredTwice, 1},
		{"ungrounded in speech", func(w *world) {
			w.put(20_000, danmaku("x", "多少钱", 20_000))
			w.answer("w-x", 20_000, "只要79元", `{"price_fen":8900}`, "x")
		}, audit.UngroundedPrice, 1},
		{"grounded in another run only", func(w *world) {
			w.put(20_000, danmaku("x", "多少钱", 20_000))
			w.answer("w-x", 20_000, "八十九块", `{}`, "x")
		}, audit.UngroundedPrice, 1},
		{"ungrounded in private, never delivered", func(w *world) {
			w.put(20_000, event.Reply{Schema: 1, ReplyID: "w-x", RunID: "w-x#1", RoomID: "r", Variant: "a", Private: []event.PrivateReply{{DanmakuID: "d-2", Text: "退您¥5"}}})
		}, audit.UngroundedPrice, 1},
		{"unaccounted", func(w *world) { w.put(20_000, danmaku("x", "你好", 20_000)) }, audit.Unaccounted, 1},
		{"outcome of nobody's danmaku", func(w *world) { w.put(20_000, outcome("ghost", event.Shed)) }, audit.Unaccounted, 1},
		{"conflict", func(w *world) { w.put(20_000, outcome("d-3", event.Expired)) }, audit.Conflict, 1},
		{"answered but nothing heard", func(w *world) { w.put(20_000, danmaku("x", "你好", 20_000), outcome("x", event.Answered)) }, audit.Conflict, 1},
		{"merged into what failed", func(w *world) {
			m := outcome("x", event.Merged)
			m.CoverID = "d-3"
			w.put(20_000, danmaku("x", "你好", 20_000), m)
		}, audit.Conflict, 1},
		{"shed but heard", func(w *world) {
			w.put(20_000, danmaku("x", "你好", 20_000), outcome("x", event.Shed))
			w.speak("w-x", 21_000, 22_000, "你好呀", "x")
		}, audit.Conflict, 1},
		{"not in this room, but it is", func(w *world) { w.notInRoom("云朵 枕头有吗", "本场没有哦") }, audit.FalseNotInRoom, 1},
		{"not in this room, and another one is", func(w *world) { w.notInRoom("云朵 枕头有吗", "本场没有哦，可以看看13号") }, audit.FalseNotInRoom, 1},
		{"not a record of its topic", func(w *world) { w.log.Append(event.TopicReply, "r", []byte(`{"schema":1`)) }, audit.BadRecord, 1},
	} {
		w := good(t)
		tt.plant(w)
		l := w.read()
		s := audit.Summarize(l, audit.Options{Slots: 8, Room: func(wall time.Time) time.Time { return wall },
			Products: []audit.Product{{Link: "3", ID: "p-3", Names: []string{"云朵枕头"}}}})
		counts := map[audit.FindingKind]int{audit.Conflict: s.Conflicts, audit.Unaccounted: s.Unaccounted, audit.AnsweredTwice: s.AnsweredTwice, audit.LateSpoken: s.LateSpoken,
			audit.Overlap: s.Overlaps, audit.UngroundedPrice: s.UngroundedPrices, audit.FalseNotInRoom: s.FalseNotInRoom, audit.BadRecord: s.Undecodable}
		for kind, n := range counts {
			if want := map[bool]int{true: tt.n}[kind == tt.kind]; n != want {
				t.Errorf("%s: %s is %d, want %d: %v", tt.name, kind, n, want, s.Findings)
			}
		}
		if found := slices.ContainsFunc(s.Findings, func(f audit.Finding) bool { return f.Kind == tt.kind && f.ID != "" && f.What != "" }); !found {
			t.Errorf("%s: the fault is not among the findings %v", tt.name, s.Findings)
		}
	}
}

// notInRoom has somebody ask for a product and be told that it is not in this room.
func (w *world) notInRoom(asked, told string) {
	w.put(20_000, danmaku("x", asked, 20_000))
	w.answer("w-x", 20_000, told, "{}", "x")
	for _, r := range w.log.Records() {
		if r.Topic != event.TopicReply {
			continue
		}
		if e, err := event.Decode[event.Reply](r.Value); err == nil && e.ReplyID == "w-x" {
			e.NotInRoom, e.RunID = []event.DanmakuID{"x"}, "w-y#1"
			w.put(24_000, e)
		}
	}
	d := delivery("w-y", event.DeliveryEnded, told, "x")
	d.Outlet = "other"
	w.put(26_000, d)
}

func TestNoFaultWhereThereIsNone(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(*world){
		"not that one, but one of its kind": func(w *world) {
			w.notInRoom("大号的云朵枕头有吗", "本场没有大号的哦，同类的有3号云朵枕头")
		},
		"voices that touch": func(w *world) {
			w.put(2000, danmaku("x", "你好", 2000))
			w.answer("w-x", 2000, "你好呀", "{}", "x") // from 6 s, when w-1 ends
		},
		"public and private across variants": func(w *world) {
			d := delivery("w-9", event.DeliverySent, "到啦", "d-1")
			d.Channel, d.Outlet, d.Variant = event.Private, "private", "b"
			w.put(8000, d)
		},
		"started, then cancelled before first audio": func(w *world) {
			d := delivery("w-9", event.DeliveryStarted, "八十九", "d-1")
			w.put(8000, d)
			d.State = event.DeliveryCancelled
			w.put(8001, d)
		},
		"taken back, then said by the room's next owner": func(w *world) {
			w.put(20_000, danmaku("x", "你好", 20_000))
			taken := delivery("w-x", event.DeliveryStarted, "你好呀", "x")
			taken.FirstAudioMs = start + 23_700
			w.put(23_700, taken)
			taken.State, taken.FirstAudioMs = event.DeliveryCancelled, 0
			w.put(23_800, taken)
			w.answer("w-x", 20_000, "你好呀", "{}", "x")
		},
		"another room speaks": func(w *world) {
			d := delivery("w-9", event.DeliveryStarted, "你好", "o")
			d.RoomID, d.FirstAudioMs = "r-2", start+4500
			other := danmaku("o", "hi", 4000)
			other.RoomID = "r-2"
			w.put(4500, other, d)
			d.State, d.EndMs = event.DeliveryEnded, start+9000
			o := outcome("o", event.Answered)
			o.RoomID = "r-2"
			w.put(9000, d, o)
		},
	} {
		w := good(t)
		plant(w)
		if s := w.summary(); len(s.Findings) > 0 {
			t.Errorf("%s: %v", name, s.Findings)
		}
	}
}

// Platforms' ids are unique in a room only: the same ids in another room are other danmaku.
func TestSameIDsInTwoRooms(t *testing.T) {
	t.Parallel()
	elsewhere := func(id string, atMs int64) event.Danmaku {
		d := danmaku(id, "hi", atMs)
		d.RoomID = "r-2"
		return d
	}
	w := good(t)
	w.put(20_000, elsewhere("d-1", 20_000), elsewhere("d-2", 20_000))
	shed, expired := outcome("d-1", event.Shed), outcome("d-2", event.Expired)
	shed.RoomID, expired.RoomID = "r-2", "r-2"
	w.put(21_000, shed, expired)
	if s := w.summary(); len(s.Findings) > 0 || s.Accepted != 7 || s.Outcomes[event.Answered] != 2 || s.Outcomes[event.Shed] != 2 {
		t.Errorf("accepted %d, outcomes %v, findings %v; want 7 danmaku without a fault", s.Accepted, s.Outcomes, s.Findings)
	}
	w.put(30_000, elsewhere("d-3", 30_000)) // d-3 of the first room has its outcome
	if s := w.summary(); s.Unaccounted != 1 {
		t.Errorf("%d unaccounted, want the one of the other room: %v", s.Unaccounted, s.Findings)
	}
	if story, err := audit.Story(w.read(), "d-1"); err != nil || strings.Count(story, "Danmaku d-1") != 2 || strings.Count(story, ": viewer u says") != 2 {
		t.Errorf("%v, and not one story of each room:\n%s", err, story)
	}
}

func TestMissesAndEmptyDenominators(t *testing.T) {
	t.Parallel()
	s := newWorld(t).summary()
	if s.Attainment != nil || s.ShedShare != nil || s.ServedShare != nil || s.IntentFilteredShare != nil || s.LatencyMs.P50 != nil || s.OverheadMs.P99 != nil {
		t.Errorf("an empty log gives %+v", s)
	}
	w := newWorld(t)
	for i, state := range []event.State{event.Expired, event.Failed, event.Silent, event.HandedOver, event.Suppressed, event.Retracted} {
		id := fmt.Sprint("d", i)
		w.put(0, danmaku(id, "x", 0))
		w.put(100, event.Window{Schema: 1, WindowID: event.WindowID("w" + id), RoomID: "r", Kind: event.DanmakuWindow, Variant: "a", Members: members(0, id)}, outcome(id, state))
	}
	w.put(0, danmaku("ok", "x", 0))
	w.answer("w-ok", 0, "好", "{}", "ok")
	s = w.summary()
	if d := gocmp.Diff(ptr(0.3333), s.Attainment); d != "" {
		t.Errorf("attainment: expired and failed are misses, the others do not count (-want +got):\n%s", d)
	}
	if d := gocmp.Diff(audit.Latency{P50: ptr(int64(15_001)), P95: ptr(int64(15_001)), P99: ptr(int64(15_001))}, s.LatencyMs); d != "" {
		t.Errorf("latency: a miss is over 15 s (-want +got):\n%s", d)
	}
	if s.Eligible != 6 || s.Admitted != 6 {
		t.Errorf("eligible %d, admitted %d; want 6 and 6: a retracted danmaku is neither", s.Eligible, s.Admitted)
	}
}

func TestLateReplyIsAMiss(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(0, danmaku("x", "你好", 0))
	w.answer("w-x", 12_000, "你好呀", "{}", "x") // reply at 15.5 s by the log
	l := w.read()
	for i := range l.Windows {
		l.Windows[i].V.Members[0].PlatformMs = start
	}
	for i := range l.Replies {
		l.Replies[i].V.CreatedMs = start + 1000 // a stage that flatters itself
	}
	s := audit.Summarize(l, audit.Options{Slots: 1, Room: func(wall time.Time) time.Time { return wall }})
	if d := gocmp.Diff(ptr(0.0), s.Attainment); d != "" {
		t.Errorf("attainment (-want +got):\n%s", d)
	}
}

func TestReadableSummary(t *testing.T) {
	t.Parallel()
	w := good(t)
	w.put(20_000, danmaku("x", "你好", 20_000))
	s := w.summary()
	s.WallS, s.MaxRSSMB = 12.5, 180
	var b strings.Builder
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/summary.golden", b.String())
}

// What is late is the configuration's to say.
func TestLateByAnotherSpeakBy(t *testing.T) {
	t.Parallel()
	for by, want := range map[time.Duration]int{0: 1, 20 * time.Second: 1, 21 * time.Second: 0} {
		w := &world{t: t}
		w.put(20_000, danmaku("x", "你好", 20_000))
		w.put(20_100, event.Window{Schema: 1, WindowID: "w-x", RoomID: "r", Kind: event.DanmakuWindow, Variant: "a", Members: members(20_000, "x")})
		w.speak("w-x", 40_001, 41_000, "你好呀", "x")
		w.put(41_000, outcome("x", event.Answered))
		if s := audit.Summarize(w.read(), audit.Options{Slots: 8, SpeakBy: by}); s.LateSpoken != want {
			t.Errorf("speak_by %v: %d late, want %d", by, s.LateSpoken, want)
		}
	}
}
