package event_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/internal/fault"
	"livehost/streams/event"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	danmaku, room, order := event.TopicDanmaku, event.TopicRoomEvent, event.TopicOrder
	for _, tt := range []struct{ name, topic, in, wantErr string }{
		{"good", danmaku, `{"schema":1,"danmaku_id":"9007199254740993","room_id":"r","text":"","platform_time_ms":5,"new_field":[1]}`, ""},
		{"broken", danmaku, `{"schema":1,`, "decode: not valid JSON: "},
		{"two records", danmaku, `{"schema":1,"danmaku_id":"1","room_id":"r","platform_time_ms":5}{}`, "decode: not valid JSON: "},
		{"a list", danmaku, `[{"schema":1}]`, "decode: is a JSON array, want an object"},
		{"number for an id", danmaku, `{"schema":1,"danmaku_id":9007199254740993,"room_id":"r","platform_time_ms":5}`, "decode: danmaku_id is a JSON number, want a string"},
		{"string for a time", danmaku, `{"schema":1,"danmaku_id":"1","room_id":"r","platform_time_ms":"5"}`, "decode: platform_time_ms is a JSON string, want a whole number of 64 bits"},
		{"fraction for a time", danmaku, `{"schema":1,"danmaku_id":"1","room_id":"r","platform_time_ms":5.5}`, "decode: platform_time_ms is a JSON number 5.5, want a whole number"},
		{"string for a flag", danmaku, `{"schema":1,"danmaku_id":"1","room_id":"r","platform_time_ms":5,"host":"1"}`, "decode: host is a JSON string, want true or false"},
		{"inside", room, `{"settings":{"host_ids":[1]}}`, "decode: settings.host_ids.0 is a JSON number, want a string"},
		{"list for an object", room, `{"settings":[]}`, "decode: settings is a JSON array, want an object"},
		{"GBK", danmaku, "{\"schema\":1,\"danmaku_id\":\"1\",\"room_id\":\"r\",\"platform_time_ms\":5,\"text\":\"\xb6\xe0\"}", "danmaku.v1: is not UTF-8"},
		{"missing", danmaku, `{"schema":1,"text":"x"}`, "missing room_id, danmaku_id"},
		{"no time", danmaku, `{"schema":1,"danmaku_id":"1","room_id":"r"}`, ""},
		{"no time of an event", room, `{"schema":1,"event_id":"e","room_id":"r","kind":"enter","time_ms":null}`, ""},
		{"no time of an order", order, `{"schema":1,"order_id":"o","room_id":"r","seq":1,"status":"paid"}`, "missing time_ms"},
		{"null", order, `{"schema":1,"order_id":null,"room_id":"r","seq":1,"status":"paid","time_ms":5}`, "missing order_id"},
		{"settings without", room, roomEvent(event.RoomSettingsSet, ""), "missing settings"},
		{"opened without settings", room, roomEvent(event.RoomOpened, ""), ""},
		{"retracted nothing", room, roomEvent(event.DanmakuRetracted, ""), "missing danmaku_id"},
		{"listed nothing", room, roomEvent(event.ProductListed, `,"product_id":"p"`), "missing link_id"},
		{"delisted nothing", room, roomEvent(event.ProductDelisted, ""), "missing link_id or product_id"},
		{"changed by product", room, roomEvent(event.ProductChanged, `,"product_id":"p"`), ""},
		{"nothing in focus", room, roomEvent(event.ProductInFocus, ""), ""},
		{"future schema", danmaku, `{"schema":2,"danmaku_id":"1","room_id":"r","platform_time_ms":5}`, "schema 2"},
		{"no schema", danmaku, `{"danmaku_id":"1","room_id":"r","platform_time_ms":5}`, "schema 0 is not one of 1..1"},
	} {
		var err error
		switch tt.topic {
		case danmaku:
			_, err = event.Decode[event.Danmaku]([]byte(tt.in))
		case room:
			_, err = event.Decode[event.RoomEvent]([]byte(tt.in))
		default:
			_, err = event.Decode[event.Order]([]byte(tt.in))
		}
		switch {
		case tt.wantErr == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)):
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.wantErr)
		case err != nil && fault.KindOf(err) != fault.Invalid:
			t.Errorf("%s: kind %v, want invalid", tt.name, fault.KindOf(err))
		}
	}
}

func roomEvent(kind event.RoomEventKind, more string) string {
	return `{"schema":1,"event_id":"e","room_id":"r","time_ms":5,"kind":"` + string(kind) + `"` + more + `}`
}

// Whoever reads what came without a time takes that of its append to the log.
func TestStamp(t *testing.T) {
	t.Parallel()
	for in, want := range map[int64]int64{0: 7, -1: 7, 5: 5} {
		d, e := event.Danmaku{PlatformTimeMs: in}, event.RoomEvent{TimeMs: in}
		if of, at := event.Stamp(&d, 7), event.Stamp(&e, 7); d.PlatformTimeMs != want || e.TimeMs != want || of != (in <= 0) || at != of {
			t.Errorf("%d: danmaku %d, room event %d, %v %v", in, d.PlatformTimeMs, e.TimeMs, of, at)
		}
	}
	if o := (event.Order{}); event.Stamp(&o, 7) || o.TimeMs != 0 {
		t.Error("an order has its platform's time or is none")
	}
}

// Some platforms write seconds, microseconds or nanoseconds; whoever reads a record has
// milliseconds.
func TestPlatformTimes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{"1893456020": 1893456020000, "1893456020123": 1893456020123, "1893456020123456": 1893456020123, "1893456020123456789": 1893456020123} {
		d, err1 := event.DecodeInPlace[event.Danmaku]([]byte(`{"schema":1,"danmaku_id":"1","room_id":"r","platform_time_ms":` + in + `}`))
		e, err2 := event.Decode[event.RoomEvent]([]byte(`{"schema":1,"event_id":"e","room_id":"r","kind":"enter","time_ms":` + in + `}`))
		o, err3 := event.Decode[event.Order]([]byte(`{"schema":1,"order_id":"o","seq":1,"room_id":"r","status":"paid","time_ms":` + in + `}`))
		if err := errors.Join(err1, err2, err3); err != nil || d.PlatformTimeMs != want || e.TimeMs != want || o.TimeMs != want {
			t.Errorf("%s: danmaku %d, room event %d, order %d, %v; want %d", in, d.PlatformTimeMs, e.TimeMs, o.TimeMs, err, want)
		}
	}
}

// Both ways of decoding are one to whoever leaves the record alone.
func TestDecodeInPlaceIsDecode(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"schema":1,"danmaku_id":"1","room_id":"r","text":"a\"\u4e2d\ud83d\ude00","viewer_name":"\/","platform_time_ms":5}`,
		`{"schema":1,"danmaku_id":"1","room_id":"r","text":"中文","platform_time_ms":5,"new_field":[1]}`,
		"{\"schema\":1,\"danmaku_id\":\"1\",\"room_id\":\"r\",\"text\":\"\xff\",\"platform_time_ms\":5}",
		`{"schema":1,"text":"x"}`, `{"schema":1,`, ``,
	} {
		want, wantErr := event.Decode[event.Danmaku]([]byte(in))
		got, err := event.DecodeInPlace[event.Danmaku]([]byte(in))
		if d := cmp.Diff(want, got); d != "" || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%q: error %v, want %v (-want +got):\n%s", in, err, wantErr, d)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	want := event.Outcome{
		Schema: 1, DanmakuID: "9223372036854775807", RoomID: "r", State: event.Merged,
		Reason: "same_question", By: "aggregator", Eligible: true, PlatformMs: 1 << 50,
	}
	b, err := event.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	var buf event.Buffer
	for range 2 {
		if again, err := buf.Encode(want); err != nil || string(again) != string(b) {
			t.Errorf("into a buffer: %s (%v), want %s", again, err, b)
		}
	}
	got, err := event.Decode[event.Outcome](b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("round trip (-want +got):\n%s", d)
	}
	_, err = event.Encode(event.Outcome{Schema: 1})
	_, bufErr := buf.Encode(event.Outcome{Schema: 1})
	if fault.KindOf(err) != fault.Internal || fault.KindOf(bufErr) != fault.Internal {
		t.Errorf("encoding an incomplete event: %v, %v, want internal", err, bufErr)
	}
}
