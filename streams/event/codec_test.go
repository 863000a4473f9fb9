package event_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/internal/fault"
	"livehost/streams/event"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, wantErr string }{
		{"good", `{"schema":1,"danmaku_id":"9007199254740993","room_id":"r","text":"","platform_time_ms":5,"new_field":[1]}`, ""},
		{"broken", `{"schema":1,`, "decode"},
		{"number for an id", `{"schema":1,"danmaku_id":9007199254740993,"room_id":"r","platform_time_ms":5}`, "decode"},
		{"missing", `{"schema":1,"text":"x"}`, "missing room_id, danmaku_id, platform_time_ms"},
		{"future schema", `{"schema":2,"danmaku_id":"1","room_id":"r","platform_time_ms":5}`, "schema 2"},
	} {
		_, err := event.Decode[event.Danmaku]([]byte(tt.in))
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
