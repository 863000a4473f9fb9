package guardrail_test

import (
	"strings"
	"testing"

	"livehost/agentworker/guardrail"
	"livehost/streams/event"
)

func TestInputValidity(t *testing.T) {
	t.Parallel()
	asked := func(id, text string) event.Member {
		return event.Member{DanmakuID: event.DanmakuID(id), ViewerName: "小雨", Text: text, Question: text}
	}
	window := func(members ...event.Member) *event.Window {
		return &event.Window{RoomID: "r", Variant: "v", Kind: event.DanmakuWindow, Members: members}
	}
	gift := func(room event.RoomID) *event.Window {
		return &event.Window{RoomID: "r", Variant: "v", Kind: event.EventWindow, Event: &event.RoomEvent{RoomID: room}}
	}
	many := make([]event.Member, 9)
	for i := range many {
		many[i] = asked(strings.Repeat("d", i+1), "多少钱")
	}
	named := asked("d", "多少钱")
	named.ViewerName = "a\x00b"
	nowhere := window(asked("d", "多少钱"))
	nowhere.RoomID = ""
	for _, tt := range []struct {
		name string
		w    *event.Window
		want string // part of why; "" when fine
	}{
		{"a question", window(asked("d", "1号多少钱")), ""},
		{"a number", window(asked("d", "1")), ""},
		{"English with an emoji", window(asked("d", "how much 😀?")), ""},
		{"several", window(asked("a", "多少钱"), asked("b", "有货吗")), ""},
		{"a line break", window(asked("d", "多少钱\n包邮吗")), ""},
		{"a gift", gift("r"), ""},
		{"empty", window(asked("d", "")), "no question"},
		{"spaces", window(asked("d", " \t ")), "no question"},
		{"symbols alone", window(asked("d", "？？！@#￥%……&*（）")), "no question"},
		{"emoji alone", window(asked("d", "🎉🎉❤️")), "no question"},
		{"over-long", window(asked("d", strings.Repeat("长", 601))), "601 characters"},
		{"invalid UTF-8", window(asked("d", "多少\xff钱")), "UTF-8"},
		{"control characters", window(asked("d", "多少\x07钱")), "control"},
		{"a name with control characters", window(named), "viewer name"},
		{"one of several", window(asked("a", "多少钱"), asked("b", "？")), "no question"},
		{"nobody", window(), "without danmaku"},
		{"too many", window(many...), "at most 8"},
		{"twice the same", window(asked("a", "多少钱"), asked("a", "有货吗")), "there twice"},
		{"no id", window(asked("", "多少钱")), "empty"},
		{"of no room", nowhere, "no room"},
		{"an event of another room", gift("r-2"), "another room"},
		{"an event window without one", &event.Window{RoomID: "r", Variant: "v", Kind: event.EventWindow}, "without an event"},
	} {
		f, ok := guardrail.InputValidity(&guardrail.Input{Members: tt.w.Members, Window: tt.w})
		if ok != (tt.want == "") || !strings.Contains(f.Detail, tt.want) {
			t.Errorf("%s: %v %q, want %q", tt.name, ok, f.Detail, tt.want)
		}
	}
}
