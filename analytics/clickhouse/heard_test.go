package clickhouse_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/analytics/query"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// speech is a state of a public delivery of one danmaku in room-1, said from first to
// end after evening.
func speech(id string, state event.DeliveryState, firstMs, endMs, atMs int64, danmaku event.DanmakuID) event.Delivery {
	d := event.Delivery{Schema: 1, DeliveryID: event.DeliveryID(id + "/voice"), ReplyID: event.WindowID(id), RunID: event.RunID(id + "#1"), RoomID: "room-1", Outlet: "voice",
		Channel: event.Public, State: state, Text: "89元", DanmakuIDs: []event.DanmakuID{danmaku}, Variant: "harness", HeardVariant: "harness", Versions: versions, TimeMs: evening + atMs}
	if firstMs > 0 {
		d.FirstAudioMs = evening + firstMs
	}
	if endMs > 0 {
		d.EndMs = evening + endMs
	}
	return d
}

// text is a private delivery to a danmaku's viewer.
func text(id string, atMs int64, danmaku event.DanmakuID) event.Delivery {
	d := speech(id, event.DeliverySent, atMs, atMs, atMs, danmaku)
	d.DeliveryID, d.Outlet, d.Channel, d.ViewerID = event.DeliveryID(id+"/text/"+string(danmaku)), "text", event.Private, "v-"+event.ViewerID(danmaku)
	return d
}

// ended is the outcome of a danmaku of room-1 that was sent askedMs after evening.
func ended(id event.DanmakuID, state event.State, askedMs int64, cover event.DanmakuID) event.Outcome {
	o := outcome(0, state)
	o.DanmakuID, o.RoomID, o.CoverID, o.PlatformMs, o.TimeMs = id, "room-1", cover, evening+askedMs, evening+askedMs+9000
	if o.ReplyMs > 0 {
		o.ReplyMs = evening + 4000
	}
	return o
}

// What was heard is what delivery.v1 says was said to its end, or sent: a beginning that
// was announced and called off is none. Who asked while the covering answer was being
// said heard it at once, who asked after it did not.
func TestHeard(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	newcomer := ended("newcomer", event.Merged, 12_000, "cover")
	newcomer.Admitted, newcomer.SpeakByMs = false, evening+32_000
	newSink(t, c).store(t,
		speech("w1", event.DeliveryStarted, 5000, 0, 5000, "called-off"), speech("w1", event.DeliveryCancelled, 0, 0, 6000, "called-off"),
		text("w1", 9000, "called-off"), ended("called-off", event.Answered, 0, ""),
		speech("w2", event.DeliveryStarted, 4900, 0, 4900, "cover"), speech("w2", event.DeliveryEnded, 5000, 9000, 9000, "cover"), ended("cover", event.Answered, 0, ""),
		ended("waited", event.Merged, 1000, "cover"), ended("while", event.Merged, 6000, "cover"), ended("after", event.Merged, 9500, "cover"),
		text("w2", 13_000, "newcomer"), newcomer,
		speech("w3", event.DeliveryStarted, 5000, 0, 5000, "cut"), speech("w3", event.DeliveryInterrupted, 5000, 6000, 6000, "cut"), ended("cut", event.Failed, 0, ""),
	)
	rows, err := c.SQL(t.Context(), "SELECT danmaku_id, heard_ms FROM v_heard", 100)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, r := range rows.Rows {
		got[r[0].(string)] = r[1].(int64)
	}
	want := map[string]int64{"called-off": 9000, "cover": 5000, "waited": 4000, "while": 0, "after": 20_001, "cut": 20_001}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("heard_ms (-want +got):\n%s", d)
	}
	if n := number(t, c, "SELECT count() FROM v_danmaku_outcomes WHERE state = 'merged'"); n != 4 {
		t.Errorf("%d merged, want 4: what is written to a newcomer is no outcome", n)
	}
}

// Eligible is what was not retracted before its answer_by, whoever held it then; and a
// reply is never made before it was asked for, whatever the clocks say.
func TestEligibleAndLatency(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	late := ended("too-late", event.Retracted, 0, "")
	late.TimeMs = evening + 16_000
	events := []event.Event{ended("taken-back", event.Retracted, 0, ""), late, ended("shed", event.Shed, 0, ""), ended("ahead", event.Answered, 4100, "")}
	newSink(t, c).store(t, events...)
	if n := number(t, c, "SELECT sum(eligible) FROM v_danmaku_outcomes"); n != 3 {
		t.Errorf("%d eligible, want too-late, shed and ahead", n)
	}
	if n := number(t, c, "SELECT sum(eligible_danmaku) FROM v_attainment"); n != 3 {
		t.Errorf("%d eligible in v_attainment, want 3", n)
	}
	if n := number(t, c, "SELECT min(latency_ms) FROM v_latency"); n != 0 {
		t.Errorf("latency of %d ms", n)
	}
}

// A delivery is shown as it ended: what was heard of it, and no time of a beginning that
// was called off.
func TestTraceShowsWhatWasHeard(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	cut := speech("w2", event.DeliveryInterrupted, 5000, 6000, 6000, "cut")
	cut.Text = "89"
	newSink(t, c).store(t,
		speech("w1", event.DeliveryStarted, 5000, 0, 5000, "called-off"), speech("w1", event.DeliveryCancelled, 0, 0, 6000, "called-off"),
		speech("w2", event.DeliveryStarted, 4900, 0, 4900, "cut"), cut,
	)
	for id, want := range map[string]query.Said{
		"called-off": {State: "cancelled", Text: "89元", FirstAudio: time.UnixMilli(0).UTC()},
		"cut":        {State: "interrupted", Text: "89", FirstAudio: time.UnixMilli(evening + 5000).UTC()},
	} {
		got, err := c.Trace(t.Context(), id, false)
		if err != nil || len(got.Said) != 1 {
			t.Fatalf("%s: %+v, %v", id, got.Said, err)
		}
		if s := got.Said[0]; s.State != want.State || s.Text != want.Text || !s.FirstAudio.Equal(want.FirstAudio) {
			t.Errorf("%s: %s %q at %v, want %s %q at %v", id, s.State, s.Text, s.FirstAudio, want.State, want.Text, want.FirstAudio)
		}
	}
}

// Platforms number danmaku within a room: one room's incident is not told with the run of
// another's.
func TestIncidentOfEqualIDsInTwoRooms(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	k := newSink(t, c)
	for i, room := range []event.RoomID{"room-1", "room-2"} {
		o := ended("7", event.Expired, int64(i), "")
		o.RoomID, o.RunID = room, event.RunID(string(room)+".7.1#1")
		step := event.Step{Schema: 1, RunID: o.RunID, WindowID: event.WindowID(string(room) + ".7.1"), RoomID: room, Seq: 1, Kind: event.StepTool, Name: "in_" + string(room), StartedMs: evening, EndedMs: evening}
		k.store(t, o, step)
	}
	if _, err := c.Incident(t.Context(), "", "7"); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "room-1 and room-2") {
		t.Errorf("of both rooms: %v", err)
	}
	for _, room := range []string{"room-1", "room-2"} {
		s, err := c.Incident(t.Context(), room, "7")
		if err != nil || len(s.Incidents) != 1 || s.Incidents[0].RoomID != room || len(s.Steps) != 1 || s.Steps[0].Name != "in_"+room || len(s.Endings) != 1 {
			t.Errorf("%s: %+v, %v", room, s, err)
		}
	}
}

// Attainment is of what was admitted: who waited in vain for a window is in no part of
// it, nor shed. The share that was served tells.
func TestServedOfDue(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	waited, newcomer, quiet := ended("waited", event.Expired, 0, ""), ended("newcomer", event.Merged, 8000, "answered"), ended("quiet", event.Silent, 0, "")
	waited.Admitted, newcomer.Admitted, quiet.Admitted = false, false, false
	filtered := ended("filtered", event.Filtered, 0, "")
	filtered.Eligible, filtered.Admitted = false, false
	newSink(t, c).store(t, ended("answered", event.Answered, 0, ""), newcomer, waited, quiet, filtered, ended("taken-back", event.Retracted, 0, ""), ended("shed", event.Shed, 0, ""))
	rows, err := c.SQL(t.Context(), "SELECT toInt64(due), toInt64(served), served_of_due, shed_share FROM v_attainment", 10)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]any{{int64(4), int64(2), 0.5, 0.2}}, rows.Rows); d != "" {
		t.Errorf("due, served, served of due, shed (-want +got):\n%s", d)
	}
}
