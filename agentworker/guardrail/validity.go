package guardrail

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"livehost/streams/event"
)

// The longest texts of a danmaku that a run takes, in runes: several times what the
// aggregator lets through, for text of many marks a character.
const (
	maxQuestion = 600
	maxOriginal = 1500
	maxName     = 200
	maxMembers  = 8 // of a window
)

// InputValidity objects to a window that is none and to danmaku that hold no
// question. Of several danmaku it objects to the first that is bad; the runner then
// asks about each alone.
func InputValidity(in *Input) (Finding, bool) {
	if in.Window != nil {
		if why := broken(in.Window); why != "" {
			return found("", why)
		}
	}
	for _, m := range in.Members {
		if span, why := unfit(m); why != "" {
			return found(span, why)
		}
	}
	return fine, true
}

// broken is what is wrong with a window as a whole, "" for nothing.
func broken(w *event.Window) string {
	switch {
	case w.RoomID == "" || w.Variant == "":
		return "the window names no room or no variant"
	case w.Kind == event.EventWindow && w.Event == nil:
		return "an event window without an event"
	case w.Kind == event.EventWindow && w.Event.RoomID != "" && w.Event.RoomID != w.RoomID:
		return "the event is of another room"
	case w.Kind == event.DanmakuWindow && len(w.Members) == 0:
		return "a window without danmaku"
	case len(w.Members) > maxMembers:
		return fmt.Sprintf("%d danmaku, at most %d", len(w.Members), maxMembers)
	}
	seen := map[event.DanmakuID]bool{}
	for _, m := range w.Members {
		if m.DanmakuID == "" || seen[m.DanmakuID] {
			return fmt.Sprintf("danmaku id %q is empty or there twice", m.DanmakuID)
		}
		seen[m.DanmakuID] = true
	}
	return ""
}

// unfit is what is wrong with one danmaku and where, "" for nothing.
func unfit(m event.Member) (span, why string) {
	for _, part := range []struct {
		name, text string
		most       int
	}{{"question", m.Question, maxQuestion}, {"text", m.Text, maxOriginal}, {"viewer name", m.ViewerName, maxName}} {
		switch n := utf8.RuneCountInString(part.text); {
		case !utf8.ValidString(part.text):
			return strings.ToValidUTF8(part.text, "\ufffd"), part.name + " is not valid UTF-8"
		case n > part.most:
			return string([]rune(part.text)[:40]), fmt.Sprintf("%s of %d characters, at most %d", part.name, n, part.most)
		case strings.ContainsFunc(part.text, control):
			return fmt.Sprintf("%+q", part.text), part.name + " holds control characters"
		}
	}
	if !strings.ContainsFunc(m.Question, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return m.Question, "there is no question in it"
	}
	return "", ""
}

func control(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
