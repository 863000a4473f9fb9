package source_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/streams/event"
	"livehost/streams/source"
)

var epoch = time.UnixMilli(1_700_000_000_000).UTC()

func read(t *testing.T, text string) (*source.Recording, []source.Problem) {
	t.Helper()
	rec, problems, err := source.ReadRecording("dir/room.jsonl", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rec, problems
}

func TestBadLinesAreNamedAndTheRestGoesOn(t *testing.T) {
	t.Parallel()
	const good = `{"ts_ms": 5, "user": "u1", "text": "ok", "kind": "comment"}`
	for _, tt := range []struct{ name, line, want string }{
		{"broken", `{"ts_ms": 1, "user"`, "not valid JSON"},
		{"GBK", "{\"ts_ms\":1,\"text\":\"\xb6\xe0\xc9\xd9\xc7\xae\"}", "the line is not UTF-8; save the file as UTF-8"},
		{"gzip", "\x1f\x8b\x08\x00", "the line is compressed with gzip; unpack the file first"},
		{"seconds among milliseconds", `{"ts_ms":1700000000,"text":"x"}`, "ts_ms 1700000000 is 19 days from the middle of the recording; write all lines in milliseconds"},
		{"milliseconds since 1970", `{"ts_ms":1700000000000,"text":"x"}`, "ts_ms 1700000000000 is 19675 days from the middle"},
		{"array", `[1]`, "a JSON array instead of an object; write one JSON object per line"},
		{"no time", `{"user":"u1","text":"x","kind":"comment"}`, "ts_ms is missing; add ts_ms"},
		{"time in words", `{"ts_ms":"soon","text":"x"}`, "ts_ms soon is not a number"},
		{"negative time", `{"ts_ms":-1,"text":"x"}`, "ts_ms -1 is out of range"},
		{"huge time", `{"ts_ms":9223372036854775807,"text":"x"}`, "out of range"},
		{"unknown kind", `{"ts_ms":1,"text":"x","kind":"dance"}`, `kind "dance" is unknown; use comment`},
		{"empty text", `{"ts_ms":1,"text":"  ","kind":"comment"}`, "the text is empty"},
		{"text is a number", `{"ts_ms":1,"text":5}`, "text cannot be a JSON number"},
		{"100 kB text", `{"ts_ms":1,"text":"` + strings.Repeat("哈", 34_000) + `"}`, "the text is 102000 bytes long; shorten it"},
		{"2 MB line", `{"ts_ms":1,"text":"` + strings.Repeat("a", 2<<20) + `"}`, "the line is longer than"},
		{"user is a list", `{"ts_ms":1,"user":[1],"text":"x"}`, "user [1] is not an id"},
		{"user is a fraction", `{"ts_ms":1,"user":1.5,"text":"x"}`, "user 1.5 is not an id"},
	} {
		rec, problems := read(t, good+"\n"+tt.line+"\n"+good)
		if len(problems) != 1 || problems[0].Line != 2 || problems[0].Do == "" {
			t.Errorf("%s: problems %v, want one on line 2", tt.name, problems)
			continue
		}
		text := problems[0].Error()
		if !strings.HasPrefix(text, "dir/room.jsonl:2: ") || !strings.Contains(text, tt.want) || strings.Contains(text, "\n") || len(text) > 300 {
			t.Errorf("%s: %q, want one short line with %q", tt.name, text, tt.want)
		}
		if len(rec.Lines) != 2 || rec.Lines[1].No != 3 {
			t.Errorf("%s: the good lines are %v, want lines 1 and 3", tt.name, rec.Lines)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	rec, problems := read(t, "\ufeff"+strings.Join([]string{
		`{"ts_ms": 60000, "user": 9223372036854775807, "text": "多少钱", "intent": 1, "new": {"a": [1]}}`,
		``,
		`{"ts_ms": "61000", "user": "u000000", "text": "🎉", "kind": "emoji"}`,
		`{"ts_ms": 62000.0, "user": null, "text": "88", "kind": "online"}`,
		`{"ts_ms": 59000, "user": 0, "name": "主播", "text": "我是主播", "kind": "comment", "intent": 0}`,
		`{"ts_ms": 63000, "user": "u2", "text": "宝贝可以的", "kind": "host"}`,
	}, "\r\n"))
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	yes, no := true, false
	want := []source.Line{
		{No: 5, Kind: source.KindComment, Name: "主播", Text: "我是主播", Intent: &no},
		{No: 1, At: time.Second, Kind: source.KindComment, User: "9223372036854775807", Text: "多少钱", Intent: &yes},
		{No: 3, At: 2 * time.Second, Kind: source.KindEmoji, Text: "🎉"},
		{No: 4, At: 3 * time.Second, Kind: source.KindOnline, Text: "88"},
		{No: 6, At: 4 * time.Second, Kind: source.KindHost, User: "u2", Text: "宝贝可以的"},
	}
	if d := cmp.Diff(want, rec.Lines); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[event.DanmakuID]bool{"room.jsonl:1": true, "room.jsonl:5": false}, rec.Labels()); d != "" {
		t.Errorf("labels (-want +got):\n%s", d)
	}
	if got := rec.Language(); got != "zh" {
		t.Errorf("language %q", got)
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	var lines []string
	for s := range 20 {
		kind := "comment"
		if s == 12 {
			kind = "host"
		}
		lines = append(lines, fmt.Sprintf(`{"ts_ms": %d, "user": "u%d", "text": "t%d", "kind": %q}`, 5000+s*1000, s, s, kind))
	}
	rec, _ := read(t, strings.Join(lines, "\n"))
	focus, problems, err := source.ReadFocus("f.jsonl", strings.NewReader(
		`{"ts_ms": 5000, "link_id": 1}`+"\n"+`{"ts_ms": 13000, "link_id": "2"}`+"\n"+`{"link_id": 3}`+"\n"+`{"ts_ms": 14000}`+"\n"+
			`{"ts_ms": 17500, "link_id": null}`+"\n"+`{"ts_ms": 90000, "link_id": 9}`))
	if err != nil || len(problems) != 2 || problems[0].Line != 3 || problems[1].Line != 4 {
		t.Fatalf("focus: %v, %v", problems, err)
	}
	room := source.Room{ID: "r-1", Broadcast: "b-1", Settings: event.RoomSettings{Language: "zh"}, Links: []source.Link{{ID: "2", Product: "p-2"}}}
	var got []string
	for _, item := range rec.Items(room, epoch, source.Slice{From: 10 * time.Second, For: 4 * time.Second}, focus) {
		switch e := item.Event.(type) {
		case event.Danmaku:
			if e.PlatformTimeMs != epoch.Add(item.At).UnixMilli() {
				t.Errorf("%s: platform time %d at %v", e.DanmakuID, e.PlatformTimeMs, item.At)
			}
			got = append(got, fmt.Sprintf("%v %s %s host=%v", item.At, e.DanmakuID, e.ViewerID, e.Host))
		case event.RoomEvent:
			got = append(got, fmt.Sprintf("%v %s %s%s settings=%v", item.At, e.Kind, e.LinkID, e.ProductID, e.Settings != nil))
		}
		if _, err := event.Encode(item.Event); err != nil {
			t.Error(err)
		}
	}
	want := []string{
		"0s room_opened  settings=true", "0s product_listed 2p-2 settings=false", "0s product_in_focus 2p-2 settings=false",
		"0s room.jsonl:11 u10 host=false", "1s room.jsonl:12 u11 host=false", "2s room.jsonl:13 u12 host=true",
		"2.5s product_in_focus  settings=false", "3s room.jsonl:14 u13 host=false", "28s room_closed  settings=false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
}

func TestBusiest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		at   []int
		kind string
		from time.Duration
		n    int
	}{
		{"none", nil, "comment", 0, 0},
		{"only emoji", []int{1, 2}, "emoji", 0, 0},
		{"burst in the middle", []int{0, 300, 1000, 1100, 1599, 1600, 3000}, "comment", 1000 * time.Second, 3},
		{"earliest of a tie", []int{0, 10, 5000, 5010}, "comment", 0, 2},
	} {
		var lines []string
		for _, s := range tt.at {
			lines = append(lines, fmt.Sprintf(`{"ts_ms": %d, "text": "x", "kind": %q}`, s*1000, tt.kind))
		}
		rec, _ := read(t, strings.Join(lines, "\n"))
		if from, n := rec.Busiest(600 * time.Second); from != tt.from || n != tt.n {
			t.Errorf("%s: %v, %d; want %v, %d", tt.name, from, n, tt.from, tt.n)
		}
	}
}

func FuzzReadRecording(f *testing.F) {
	f.Add(`{"ts_ms": 0, "user": "u1", "text": "多少钱", "kind": "comment", "intent": 1}`)
	f.Add("\ufeff{\"ts_ms\": 1e3, \"user\": 12, \"text\": \"\\ud800\"}\r\n\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		rec, problems, err := source.ReadRecording("f.jsonl", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "\n") + 1; len(rec.Lines)+len(problems) > n {
			t.Errorf("%d lines and %d problems from %d lines", len(rec.Lines), len(problems), n)
		}
		for _, item := range rec.Items(source.Room{ID: "r"}, epoch, source.Slice{}, nil) {
			if _, err := event.Encode(item.Event); err != nil {
				t.Errorf("item does not encode: %v", err)
			}
		}
	})
}
