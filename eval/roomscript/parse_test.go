package roomscript_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/eval/roomscript"
	"livehost/streams/event"
	"livehost/streams/source"
)

var epoch = time.UnixMilli(1_700_000_000_000).UTC()

func mustParse(t *testing.T, text string) *roomscript.Script {
	t.Helper()
	script, problems := roomscript.Parse("t.room.txtar", []byte(text))
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	return script
}

func TestEveryProblemIsListed(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/bad.room.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, problems := roomscript.Parse("bad.room.txtar", data)
	var got []string
	for _, p := range problems {
		if p.Do == "" {
			t.Errorf("%v does not say what to do", p)
		}
		got = append(got, fmt.Sprintf("%d: %s", p.Line, p.What))
	}
	// The file says on each bad line, in a comment above it, what is to be found.
	var want []string
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		if _, what, ok := strings.Cut(line, "#! "); ok {
			want = append(want, fmt.Sprintf("%d: %s", i+2, what))
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("problems (-want +got):\n%s", d)
	}
}

func TestWholeFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no section", "at 3s viewer u1: x\n", "f: there is no script section; put the line -- script --"},
		{"unknown section", "-- scirpt --\n-- script --\nroom r", `f:1: section "scirpt" is unknown; the section names are`},
		{"GBK", "-- script --\nroom r\nat 1s viewer u1: \xb6\xe0\xc9\xd9\xc7\xae", "f:3: the line is not UTF-8; save the file as UTF-8"},
		{"line numbers count the comment", "c\nc\n-- script --\n\nnonsense", `f:5: a line cannot begin with "nonsense"`},
		{"windows line ends", "c\r\n-- script --\r\nnonsense\r\n", `f:3: a line cannot begin`},
		{"bad setting", "-- settings --\nspeed 0\n-- script --\nroom r", `f:2: speed "0" is not a number above 0`},
		{"room twice", "-- script --\nroom r\nroom r", "f:3: room r is already on line 2; give each room line its own id"},
		{"no room", "-- script --\n# soon\n", "f: there is no room; put a line like `room r-1"},
		{"byte order mark", "\ufeff-- script --\nroom r\nnonsense", "f:3: a line cannot begin"},
		{"UTF-16", "\xff\xfe-\x00-\x00", "f: the file is not UTF-8; save the file as UTF-8"},
		{"gzip", "\x1f\x8b\x08\x00", "f: the file is compressed with gzip; unpack the file first"},
	} {
		_, problems := roomscript.Parse("f", []byte(tt.text))
		if len(problems) == 0 || !strings.HasPrefix(problems[0].Error(), tt.want) && !strings.Contains(problems[0].Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, problems, tt.want)
		}
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	script := mustParse(t, `
-- settings --
speed 10
profile instant
-- script --
room r-1 broadcast b-1 merchant m-1 lang en private yes name "Xiao Bo"
at 9s repeat d-7
at 3s focus 3
at 3s viewer u1 "小雨" id d-7: 多少钱: 现在?
at 4s anonymous "样***" mirror: "加\u200b微"
at 4s host reply-to d-7: 89元哦
at 5s say: 看这里
at 6s viewer u3 sent 1s test: 晚到的
at 7s list 5 product p-5
at 7s delist 3
at 8s price 5 79.00
at 8s stock 5 0
at 8s gift u2 "大哥" 玫瑰 x3 10.5
at 8s like u2 x20
at 8s cart u1 5
at 10s order o-1 u1 link 5 x2 158.00 created
at 11s order o-1 u1 link 5 x2 158.00 paid
at 12s order o-1 u1 link 5 x2 158.00 paid
at 13s order o-1 u1 link 5 79 refunded
at 14s retract d-7
at 14s outage commerce 10s
at 15s flood u9 3 in 3s: 刷屏
at 20s many 3 viewers in 1500ms id m: 多少钱 | 什么价
at 22s settings lang zh
`)
	if script.Settings.Speed != 10 || script.Settings.Profile != "instant" {
		t.Errorf("settings %+v", script.Settings)
	}
	var got []string
	ids := map[string]bool{}
	for _, item := range script.Items(epoch, []source.Link{{ID: "3", Product: "p-3"}, {ID: "5", Product: "p-0"}}) {
		got = append(got, item.At.String()+" "+describe(t, item, ids))
	}
	want := []string{
		"0s room_opened lang=en private=true", "0s product_listed 3 p-3", "3s product_in_focus 3 p-3", "3s d-7 u1 小雨 +0s 多少钱: 现在?",
		"4s d-L10 0 样*** +0s 加\u200b微 mirror", "4s d-L11   +0s 89元哦 host re d-7", "5s host_utterance 看这里", "6s d-L13 u3  -5s 晚到的 test",
		"7s product_listed 5 p-5", "7s product_delisted 3 p-3", "8s product_changed 5 p-5 price 7900", "8s product_changed 5 p-5 stock 0",
		"8s gift 大哥 玫瑰x3 1050", "8s like x20", "8s add_to_cart 5 p-5", "9s d-7 u1 小雨 -6s 多少钱: 现在?",
		"10s o-1/1 created 15800 p-5 x2", "11s o-1/2 paid 15800 p-5 x2", "12s o-1/2 paid 15800 p-5 x2", "13s o-1/3 refunded 7900 p-5 x1",
		"14s danmaku_retracted d-7", "14s outage commerce 10s",
		"15s d-L27-1 u9  +0s 刷屏", "16s d-L27-2 u9  +0s 刷屏", "17s d-L27-3 u9  +0s 刷屏",
		"20s m-1 v-L28-1  +0s 多少钱", "20.5s m-2 v-L28-2  +0s 什么价", "21s m-3 v-L28-3  +0s 多少钱",
		"22s room_settings lang=zh private=true", "49s room_closed",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
}

// describe renders an item and checks that it encodes and that no two room events share an id.
func describe(t *testing.T, item source.Item, ids map[string]bool) string {
	t.Helper()
	if item.Control != nil {
		return fmt.Sprintf("%s %s %v", item.Control.Kind, item.Control.Target, item.Control.For)
	}
	if _, err := event.Encode(item.Event); err != nil {
		t.Error(err)
	}
	switch e := item.Event.(type) {
	case event.Danmaku:
		late := time.Duration(e.PlatformTimeMs-epoch.Add(item.At).UnixMilli()) * time.Millisecond
		s := fmt.Sprintf("%s %s %s %+v %s", e.DanmakuID, e.ViewerID, e.ViewerName, signed(late), e.Text)
		for flag, on := range map[string]bool{" host": e.Host, " mirror": e.Mirror, " test": e.Test} {
			if on {
				s += flag
			}
		}
		if e.ReplyTo != "" {
			s += " re " + string(e.ReplyTo)
		}
		return s
	case event.Order:
		return fmt.Sprintf("%s/%d %s %d %s x%d", e.OrderID, e.Seq, e.Status, e.AmountFen, e.ProductID, e.Quantity)
	case event.RoomEvent:
		if ids[e.EventID] {
			t.Errorf("event id %s is used twice", e.EventID)
		}
		ids[e.EventID] = true
		return describeRoom(e)
	}
	return "?"
}

func signed(d time.Duration) string {
	if d >= 0 {
		return "+" + d.String()
	}
	return d.String()
}

func describeRoom(e event.RoomEvent) string {
	s := string(e.Kind)
	switch {
	case e.Settings != nil:
		s += fmt.Sprintf(" lang=%s private=%v", e.Settings.Language, e.Settings.PrivateText)
	case e.LinkID != "":
		s += fmt.Sprintf(" %s %s", e.LinkID, e.ProductID)
	case e.GiftName != "":
		s += fmt.Sprintf(" %s %sx%d %d", e.ViewerName, e.GiftName, e.Count, e.ValueFen)
	case e.Count > 0:
		s += fmt.Sprintf(" x%d", e.Count)
	case e.Text != "":
		s += " " + e.Text
	case e.DanmakuID != "":
		s += " " + string(e.DanmakuID)
	}
	if e.PriceFen != nil {
		s += fmt.Sprintf(" price %d", *e.PriceFen)
	}
	if e.Stock != nil {
		s += fmt.Sprintf(" stock %d", *e.Stock)
	}
	return s
}

func TestTwoRoomsAndClose(t *testing.T) {
	t.Parallel()
	script := mustParse(t, "-- script --\nroom a\nat 5s close\nroom b\nat 1s viewer u: x\n")
	var got []string
	for _, item := range script.Items(epoch, nil) {
		got = append(got, fmt.Sprintf("%v %s %s", item.At, item.Event.Key(), item.Event.Topic()))
	}
	want := []string{"0s a room-event.v1", "0s b room-event.v1", "1s b danmaku.v1", "5s a room-event.v1", "26s b room-event.v1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
}

func TestExpects(t *testing.T) {
	t.Parallel()
	script := mustParse(t, `-- script --
room r
at 3s viewer u1 id d-7: 多少钱
expect reply d-7
expect   reply d-7 contains 包邮 到家
expect reply d-7 price 89.9
expect reply d-7 stock 有货
expect no reply d-7
expect outcome d-* answered|merged same_question
expect hit grounding
expect mode multi
expect not_in_room d-7
`)
	want := []roomscript.Expect{
		{Line: 4, Kind: roomscript.ExpectReply, ID: "d-7", Source: "expect reply d-7"},
		{Line: 5, Kind: roomscript.ExpectContains, ID: "d-7", Value: "包邮 到家", Source: "expect reply d-7 contains 包邮 到家"},
		{Line: 6, Kind: roomscript.ExpectPrice, ID: "d-7", Fen: 8990, Source: "expect reply d-7 price 89.9"},
		{Line: 7, Kind: roomscript.ExpectStock, ID: "d-7", Value: "有货", Source: "expect reply d-7 stock 有货"},
		{Line: 8, Kind: roomscript.ExpectNoReply, ID: "d-7", Source: "expect no reply d-7"},
		{Line: 9, Kind: roomscript.ExpectOutcome, ID: "d-*", States: []event.State{event.Answered, event.Merged}, Reason: "same_question", Source: "expect outcome d-* answered|merged same_question"},
		{Line: 10, Kind: roomscript.ExpectHit, Value: "grounding", Source: "expect hit grounding"},
		{Line: 11, Kind: roomscript.ExpectMode, Value: "multi", Source: "expect mode multi"},
		{Line: 12, Kind: roomscript.ExpectNotInRoom, ID: "d-7", Source: "expect not_in_room d-7"},
	}
	if d := cmp.Diff(want, script.Expects); d != "" {
		t.Errorf("expectations (-want +got):\n%s", d)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/bad.room.txtar", "README.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("-- script --\nroom r\nat 1h0m0s viewer \"a b\" \"n\" id x: \"\\u200b\"\nat 0 many 3 viewers in 1s: a|b\nexpect reply x price 1.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, problems := roomscript.Parse("f", []byte(text))
		for _, p := range problems {
			if p.What == "" || p.Do == "" || p.Line < 0 || p.Line > strings.Count(text, "\n")+1 {
				t.Errorf("problem %+v", p)
			}
		}
	})
}
