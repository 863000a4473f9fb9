package source

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"livehost/streams/event"
)

// MaxTextBytes is the longest danmaku text taken from a recording, in bytes.
const MaxTextBytes = 64 << 10

// Kind is what one line of a recording is.
type Kind string

// The kinds. A line without one is KindComment.
const (
	KindComment Kind = "comment"
	KindEmoji   Kind = "emoji"  // a danmaku of nothing but emoji
	KindHost    Kind = "host"   // a danmaku of the host or an assistant of the room
	KindOnline  Kind = "online" // the number of people watching: no danmaku, only counted
)

// Viewers reports a danmaku of a viewer.
func (k Kind) Viewers() bool { return k == KindComment || k == KindEmoji }

// unknownUser is how recordings write a viewer whom the platform hid.
const unknownUser = "u000000"

// Line is one good line of a recording.
type Line struct {
	No     int           // in the file, from 1
	At     time.Duration // since the first line of the recording
	Kind   Kind
	User   event.ViewerID // "" when the platform hid who it was
	Name   string
	Text   string
	Intent *bool // human label "wants to buy", where the file has one; never published
}

// Recording is one recorded room, lines ordered by time.
type Recording struct {
	File  string // base name
	Lines []Line
	start int64 // ts_ms of the first line
}

// wireLine is a line as it is written. Unknown fields are ignored.
type wireLine struct {
	TsMs   json.RawMessage `json:"ts_ms"`
	User   json.RawMessage `json:"user"`
	Name   string          `json:"name"`
	Text   string          `json:"text"`
	Kind   Kind            `json:"kind"`
	Intent json.RawMessage `json:"intent"`
}

// ReadRecording reads JSON Lines of {ts_ms, user, text, kind}. Bad lines are in
// the problems, the good ones in the recording; the error is the reader's.
func ReadRecording(name string, r io.Reader) (*Recording, []Problem, error) {
	rec := &Recording{File: filepath.Base(name)}
	var problems []Problem
	var ms []int64
	err := eachLine(r, func(no int, text []byte, tooLong bool) {
		if len(strings.TrimSpace(string(text))) == 0 && !tooLong {
			return
		}
		line, at, bad := parseLine(text, tooLong)
		if bad != nil {
			problems = append(problems, Problem{File: name, Line: no, What: bad.what, Do: bad.do})
			return
		}
		line.No = no
		rec.Lines, ms = append(rec.Lines, line), append(ms, at)
	})
	if err != nil {
		return nil, problems, fmt.Errorf("recording %s: %w", name, err)
	}
	problems = append(problems, rec.place(name, ms)...)
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	sort.SliceStable(rec.Lines, func(i, j int) bool { return rec.Lines[i].At < rec.Lines[j].At })
	return rec, problems, nil
}

// maxApart is how far from its middle line a line of a recording may be: a time in
// seconds among milliseconds is decades away, and the player would wait for it.
const maxApart = 7 * 24 * time.Hour

// place gives the lines their times since the first one, and takes out those that are
// too far from the others.
func (r *Recording) place(name string, ms []int64) (problems []Problem) {
	if len(ms) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(ms))
	middle := sorted[len(sorted)/2]
	lines := r.Lines[:0]
	kept := ms[:0]
	for i, l := range r.Lines {
		if apart := (time.Duration(ms[i]-middle) * time.Millisecond).Abs(); apart > maxApart {
			problems = append(problems, Problem{
				File: name, Line: l.No, Do: "write all lines in milliseconds since one moment",
				What: fmt.Sprintf("ts_ms %d is %d days from the middle of the recording", ms[i], int(apart.Hours()/24)),
			})
			continue
		}
		lines, kept = append(lines, l), append(kept, ms[i])
	}
	r.Lines, r.start = lines, slices.Min(kept)
	for i, at := range kept {
		r.Lines[i].At = time.Duration(at-r.start) * time.Millisecond
	}
	return problems
}

func parseLine(text []byte, tooLong bool) (Line, int64, *complaint) {
	if tooLong {
		return Line{}, 0, complain("shorten or delete it", "the line is longer than %d bytes", maxLine)
	}
	var w wireLine
	if bad := decodeLine(text, &w); bad != nil {
		return Line{}, 0, bad
	}
	at, bad := millis(w.TsMs)
	if bad != nil {
		return Line{}, 0, bad
	}
	user, ok := identifier(w.User)
	if !ok {
		return Line{}, 0, complain("write a string, a whole number or null", "user %s is not an id", clip(string(w.User)))
	}
	line := Line{Kind: w.Kind, User: event.ViewerID(user), Name: w.Name, Text: w.Text}
	if line.Kind == "" {
		line.Kind = KindComment
	}
	if user == unknownUser || line.User.Anonymous() {
		line.User = ""
	}
	switch {
	case line.Kind != KindComment && line.Kind != KindEmoji && line.Kind != KindHost && line.Kind != KindOnline:
		return Line{}, 0, complain("use comment, emoji, host or online", "kind %q is unknown", clip(string(line.Kind)))
	case line.Kind != KindOnline && strings.TrimSpace(line.Text) == "":
		return Line{}, 0, complain("give it a text or delete the line", "the text is empty")
	case len(line.Text) > MaxTextBytes:
		return Line{}, 0, complain(fmt.Sprintf("shorten it to %d bytes", MaxTextBytes), "the text is %d bytes long", len(line.Text))
	}
	line.Intent = label(w.Intent)
	return line, at, nil
}

// label reads the intent label: 1 and true want to buy, 0 and false do not;
// anything else is no label.
func label(raw json.RawMessage) *bool {
	yes, no := true, false
	switch strings.TrimSpace(string(raw)) {
	case "1", "true":
		return &yes
	case "0", "false":
		return &no
	default:
		return nil
	}
}

// Slice is a part of a recording: from From on, For long (0: to the end).
type Slice struct{ From, For time.Duration }

func (s Slice) has(at time.Duration) bool {
	return at >= s.From && (s.For <= 0 || at < s.From+s.For)
}

// DanmakuID is the id that the danmaku of a line gets.
func (r *Recording) DanmakuID(no int) event.DanmakuID {
	return event.DanmakuID(fmt.Sprintf("%s:%d", r.File, no))
}

// Labels are the human intent labels of the danmaku that have one.
func (r *Recording) Labels() map[event.DanmakuID]bool {
	labels := map[event.DanmakuID]bool{}
	for _, l := range r.Lines {
		if l.Intent != nil && l.Kind != KindOnline {
			labels[r.DanmakuID(l.No)] = *l.Intent
		}
	}
	return labels
}

// Busiest finds the stretch of the given length with the most comments: where it
// begins and how many it holds. The earliest wins a tie.
func (r *Recording) Busiest(length time.Duration) (from time.Duration, comments int) {
	var at []time.Duration
	for _, l := range r.Lines {
		if l.Kind == KindComment {
			at = append(at, l.At)
		}
	}
	for lo, hi := 0, 0; lo < len(at); lo++ {
		for hi < len(at) && at[hi] < at[lo]+length {
			hi++
		}
		if hi-lo > comments {
			from, comments = at[lo], hi-lo
		}
	}
	return from, comments
}

// Language is what most comments are written in: "zh" or "en".
func (r *Recording) Language() string {
	han, latin := 0, 0
	for _, l := range r.Lines {
		if l.Kind != KindComment {
			continue
		}
		switch {
		case strings.IndexFunc(l.Text, func(c rune) bool { return unicode.Is(unicode.Han, c) }) >= 0:
			han++
		case strings.IndexFunc(l.Text, func(c rune) bool { return unicode.Is(unicode.Latin, c) }) >= 0:
			latin++
		}
	}
	if latin > han {
		return "en"
	}
	return "zh"
}

// Length is how long after the first line the last one comes.
func (r *Recording) Length() time.Duration {
	if len(r.Lines) == 0 {
		return 0
	}
	return r.Lines[len(r.Lines)-1].At
}

// HasDanmaku tells whether there is anything to play in a slice.
func (r *Recording) HasDanmaku(s Slice) bool {
	return slices.ContainsFunc(r.Lines, func(l Line) bool { return l.Kind != KindOnline && s.has(l.At) })
}

// Items is the slice as items from the epoch on: the room opens, the focus is
// what it was at that moment, the danmaku come at their time, the room closes.
func (r *Recording) Items(room Room, epoch time.Time, slice Slice, focus []Focus) []Item {
	items := room.Open(epoch)
	items = append(items, r.focusItems(room, epoch, slice, focus)...)
	for _, l := range r.Lines {
		if l.Kind == KindOnline || !slice.has(l.At) {
			continue
		}
		at := l.At - slice.From
		items = append(items, Item{At: at, Event: event.Danmaku{
			Schema: event.SchemaVersion, DanmakuID: r.DanmakuID(l.No), RoomID: room.ID, BroadcastID: room.Broadcast,
			MerchantID: room.Merchant, Source: room.Source, ViewerID: l.User, ViewerName: l.Name, Text: l.Text,
			PlatformTimeMs: epoch.Add(at).UnixMilli(), Host: l.Kind == KindHost,
		}})
	}
	Sort(items)
	return append(items, room.Close(epoch, items[len(items)-1].At+CloseAfter))
}
