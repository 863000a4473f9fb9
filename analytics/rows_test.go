package analytics_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"livehost/analytics"
	"livehost/streams/event"
)

const secretViewer = "viewer-7788990011"

// everyEvent is one event of every stored topic, with a viewer and a phone in it.
func everyEvent() []event.Event {
	v := event.Versions{Release: "harness", PolicyVersion: "p1", HarnessHash: "h1"}
	return []event.Event{
		event.Outcome{Schema: 1, DanmakuID: "d1", RoomID: "r", ViewerID: secretViewer, State: event.Answered, Reason: "spoken", By: "dispatcher", PlatformMs: 1, TimeMs: 2},
		event.Window{Schema: 1, WindowID: "w1", RoomID: "r", Kind: event.DanmakuWindow, Mode: event.Single, Variant: "harness", QuestionKey: "电话13812345678",
			Members: []event.Member{{DanmakuID: "d1", ViewerID: secretViewer}}, AnswerByMs: 15},
		event.Reply{Schema: 1, ReplyID: "w1", RunID: "w1#1", RoomID: "r", Variant: "harness", AnswerByMs: 15, Versions: v,
			Public:  &event.PublicReply{Text: "打13812345678", Covers: []event.DanmakuID{"d1"}},
			Private: []event.PrivateReply{{DanmakuID: "d1", Text: "打13812345678"}}},
		event.Delivery{Schema: 1, DeliveryID: "x", ReplyID: "w1", RunID: "w1#1", RoomID: "r", State: event.DeliverySent, Channel: event.Private,
			Text: "打13812345678", ViewerID: secretViewer},
		event.Step{Schema: 1, RunID: "w1#1", RoomID: "r", Seq: 1, Kind: event.StepModel, Input: "电话13812345678", Output: "13812345678", Reasoning: "13812345678", Error: "13812345678"},
		event.Step{Schema: 1, RunID: "w1#1", RoomID: "r", Seq: 2, Kind: event.StepTool, Name: "get_price", Cause: "13812345678"},
		event.GuardrailHit{Schema: 1, HitID: "g1", RoomID: "r", Rule: "pii", Stage: "agentworker", Action: "block", Span: "13812345678"},
		event.Exposure{Schema: 1, ExposureID: "e|1|" + secretViewer + "|bucketed", Experiment: "e", Unit: secretViewer, Variant: "harness", Kind: event.Bucketed, RoomID: "r"},
		event.Exposure{Schema: 1, ExposureID: "e2|1|r|bucketed", Experiment: "e2", Unit: "r", Variant: "harness", Kind: event.Bucketed, RoomID: "r"},
		event.Exposure{Schema: 1, ExposureID: "e|1|h|bucketed|r", Experiment: "e", Unit: "r", UnitKind: event.UnitViewer, Variant: "h", Kind: event.Bucketed, RoomID: "r"},
		event.Order{Schema: 1, OrderID: "o1", Seq: 1, RoomID: "r", Status: event.OrderPaid, ViewerID: secretViewer, TimeMs: 5, AmountFen: 100},
	}
}

func stored(t *testing.T, events []event.Event) map[string][]map[string]any {
	t.Helper()
	out := map[string][]map[string]any{}
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		r := newRig(t, config(), s)
		for i, e := range events {
			r.Handle(t.Context(), record(t, e, i), r.ack)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if done, failed := r.acks(); done != len(events) || failed > 0 {
			t.Fatalf("%d stored, %d failed: %v", done, failed, r.acked)
		}
		for _, b := range s.tries {
			if !slices.Equal(b.Columns, analytics.Columns[b.Table]) {
				t.Errorf("%s: columns %v", b.Table, b.Columns)
			}
			for n := range b.Rows {
				row := map[string]any{}
				for i, c := range b.Columns {
					row[c] = reflect.ValueOf(b.Data[i]).Index(n).Interface()
				}
				out[b.Table] = append(out[b.Table], row)
			}
		}
	})
	return out
}

func TestEveryTopicBecomesRows(t *testing.T) {
	rows := stored(t, everyEvent())
	for table := range analytics.Columns {
		if len(rows[table]) == 0 {
			t.Errorf("nothing in %s", table)
		}
	}
	if n := len(rows["trajectory_steps"]); n != 2 {
		t.Errorf("%d steps, want 2", n)
	}
	var topics []string
	for _, e := range everyEvent() {
		topics = append(topics, e.Topic())
	}
	slices.Sort(topics)
	if got := slices.Compact(topics); !slices.Equal(got, analytics.Topics()) {
		t.Errorf("stored topics are %v, the test covers %v", analytics.Topics(), got)
	}
}

// Platforms write the times of orders in seconds as well: they are no orders of 1970.
func TestOrderTimes(t *testing.T) {
	const want = int64(1_893_456_050_000)
	for _, ms := range []int64{1_893_456_050, 1_893_456_050_000, 1_893_456_050_000_000} {
		rows := stored(t, []event.Event{event.Order{Schema: 1, OrderID: "o", Seq: 1, RoomID: "r", Status: event.OrderPaid, TimeMs: ms}})
		if got := rows["order_events"][0]["order_time"]; got != want {
			t.Errorf("time_ms %d: order_time %v, want %v", ms, got, want)
		}
	}
}

func TestNobodyCanBeRecognised(t *testing.T) {
	for table, rows := range stored(t, everyEvent()) {
		for _, row := range rows {
			for column, v := range row {
				if s := fmt.Sprint(v); strings.Contains(s, secretViewer) || strings.Contains(s, "13812345678") {
					t.Errorf("%s.%s = %s", table, column, s)
				}
			}
		}
	}
}

func TestUnitsOfExposuresAndViewersOfOrdersAreTheSamePseudonym(t *testing.T) {
	rows := stored(t, append(everyEvent(), event.Outcome{Schema: 1, DanmakuID: "d2", RoomID: "r", ViewerID: "0", State: event.Shed, Reason: "x", By: "aggregator"}))
	unit, viewer := rows["exposures"][0]["unit"], rows["order_events"][0]["viewer"]
	if unit != viewer || len(fmt.Sprint(unit)) != 32 {
		t.Errorf("unit %q, viewer %q", unit, viewer)
	}
	for i, want := range []string{"viewer", "room", "viewer"} { // the third has the id of its room
		if got := rows["exposures"][i]["unit_kind"]; got != want {
			t.Errorf("exposure %d: unit kind %v, want %s", i, got, want)
		}
	}
	if got := rows["danmaku_outcomes"][1]["viewer"]; got != "" {
		t.Errorf("an anonymous viewer has the pseudonym %q", got)
	}
}
