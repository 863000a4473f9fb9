package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"livehost/streams/event"
)

// ErrUnknownID says that the log has nothing under the id.
var ErrUnknownID = errors.New("the log has no danmaku, window or run with this id")

// maxSnippet bounds what a story quotes of one step's output, in runes.
const maxSnippet = 160

// moment is one line of a story. Room time orders it; records of one instant
// keep the order of the log.
type moment struct {
	ms   int64
	rank int // order of the stages within one instant
	what string
}

// Story tells the whole way of a danmaku through the topics, or that of one window
// or run: when, which window, every step, verdict, reply, delivery and outcome,
// and in the end why it was or was not answered.
func Story(l *Log, id string) (string, error) {
	v := NewView(l)
	var told strings.Builder // platforms' ids are unique in a room only
	for _, key := range v.sorted() {
		if string(key.ID) == id {
			told.WriteString(v.danmakuStory(key, v.fates[key]))
		}
	}
	if told.Len() > 0 {
		return told.String(), nil
	}
	window, _, _ := strings.Cut(id, "#")
	if w := v.windows[event.WindowID(window)]; w != nil {
		s := story{v: v}
		s.windowMoments(w, "")
		return s.render("Window "+id, w.EarliestMs), nil
	}
	return "", fmt.Errorf("%s: %w", id, ErrUnknownID)
}

type story struct {
	v       *View
	moments []moment
}

func (s *story) add(ms int64, rank int, format string, args ...any) {
	s.moments = append(s.moments, moment{ms, rank, fmt.Sprintf(format, args...)})
}

func (v *View) danmakuStory(key Key, f *fate) string {
	s := story{v: v}
	origin := int64(0)
	if f.accepted != nil {
		d := f.accepted.V
		origin = f.platformMs(nil)
		s.add(d.PlatformTimeMs, 0, "%s: %s says %q", event.TopicDanmaku, viewerOf(d), d.Text)
		if copies := v.copies(key); copies > 1 {
			s.add(d.PlatformTimeMs, 0, "%s: the platform sent it %d times", event.TopicDanmaku, copies)
		}
	}
	for _, e := range v.log.RoomEvents {
		if e.V.RoomID == key.Room && e.V.DanmakuID == key.ID && e.V.Kind == event.DanmakuRetracted {
			s.add(e.V.TimeMs, 1, "%s: it was withdrawn", event.TopicRoomEvent)
		}
	}
	s.hits(func(h event.GuardrailHit) bool {
		return h.WindowID == "" && h.RoomID == key.Room && slices.Contains(h.DanmakuIDs, key.ID)
	})
	for _, w := range v.windowsOf(key) {
		s.windowMoments(w, key.ID)
	}
	for _, u := range f.heard { // by another's window, if it was merged
		if w := v.windows[u.ReplyID]; w == nil || member(w.Members, key.ID) == nil {
			s.delivery(u)
		}
	}
	s.outcomes(func(o event.Outcome) bool { return o.RoomID == key.Room && o.DanmakuID == key.ID })
	return s.render("Danmaku "+string(key.ID), origin) + "  " + v.verdict(key, f) + "\n"
}

func viewerOf(d event.Danmaku) string {
	who := "viewer " + string(d.ViewerID)
	switch {
	case d.Host:
		who = "the host"
	case d.ViewerID.Anonymous():
		who = "a viewer whom the platform hides"
	}
	if d.ViewerName != "" {
		who += " (" + d.ViewerName + ")"
	}
	if d.Mirror {
		who += " in another room"
	}
	return who
}

func (v *View) copies(key Key) int {
	n := 0
	for _, d := range v.log.Danmaku {
		if d.V.RoomID == key.Room && d.V.DanmakuID == key.ID {
			n++
		}
	}
	return n
}

func (v *View) windowsOf(key Key) []*event.Window {
	var out []*event.Window
	for _, w := range v.windows {
		if w.RoomID == key.Room && member(w.Members, key.ID) != nil {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b *event.Window) int {
		return cmp.Or(cmp.Compare(a.OpenedMs, b.OpenedMs), cmp.Compare(a.WindowID, b.WindowID))
	})
	return out
}

// windowMoments tells a window and its runs; of is the danmaku the story is
// about, "" for all of them.
func (s *story) windowMoments(w *event.Window, of event.DanmakuID) {
	if w.Kind == event.EventWindow && w.Event != nil {
		s.add(w.OpenedMs, 2, "%s: window %s for a %s, variant %s", event.TopicWindow, w.WindowID, w.Event.Kind, w.Variant)
	} else {
		s.add(w.OpenedMs, 2, "%s: window %s, %s mode, %d danmaku, variant %s, intent %s, class %d%s", event.TopicWindow, w.WindowID, w.Mode, len(w.Members), w.Variant,
			cmp.Or(w.Intent, "unknown"), w.Class, focusOf(w, of))
	}
	steps := map[string]bool{}
	for _, e := range s.v.log.Steps {
		key := fmt.Sprint(e.V.RunID, e.V.Seq)
		if e.V.WindowID == w.WindowID && !steps[key] {
			steps[key] = true
			s.step(e.V)
		}
	}
	for _, run := range sortedKeys(s.v.replies) {
		if r := s.v.replies[run].V; r.ReplyID == w.WindowID {
			s.reply(r)
		}
	}
	s.hits(func(h event.GuardrailHit) bool { return h.WindowID == w.WindowID })
	for _, u := range s.v.utterances {
		if u.ReplyID == w.WindowID && (of == "" || len(u.DanmakuIDs) == 0 || slices.Contains(u.DanmakuIDs, of)) {
			s.delivery(u)
		}
	}
	if of == "" {
		s.outcomes(func(o event.Outcome) bool { return o.WindowID == w.WindowID })
	}
}

func focusOf(w *event.Window, of event.DanmakuID) string {
	m := member(w.Members, of)
	if m == nil || m.FocusLink == "" {
		return ""
	}
	return ", link " + string(m.FocusLink) + " in focus when it was asked"
}

func (s *story) step(e event.Step) {
	what := fmt.Sprintf("%s: run %s, step %d, %s %s", event.TopicTrajectory, e.RunID, e.Seq, e.Kind, e.Name)
	if e.EndedMs > e.StartedMs {
		what += fmt.Sprintf(" (%.2f s)", float64(e.EndedMs-e.StartedMs)/1000)
	}
	for _, part := range []struct{ before, text string }{{" <- ", e.Input}, {" -> ", e.Output}, {", error ", e.Error}, {", because ", e.Cause}} {
		// A model step's input is the whole prompt and its output is in later steps.
		if part.text != "" && !(e.Kind == event.StepModel && part.before == " <- ") {
			what += part.before + snippet(part.text)
		}
	}
	if e.Hedged > 0 {
		what += fmt.Sprintf(", made %d times because it was slow", 1+e.Hedged)
	}
	for i, c := range e.Calls {
		what += []string{", calls ", " and "}[min(i, 1)] + c.Name + snippet(c.Arguments)
	}
	if e.PromptTokens > 0 {
		what += fmt.Sprintf("; %d tokens in, %d out, the first after %.2f s", e.PromptTokens, e.CompletionTokens, float64(e.FirstTokenMs)/1000)
	}
	s.add(e.StartedMs, 3, "%s", what)
}

// snippet is a text on one line, shortened.
func snippet(text string) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > maxSnippet {
		return string(r[:maxSnippet]) + "…"
	}
	return string(r)
}

func (s *story) reply(r event.Reply) {
	if r.Public != nil && r.Public.Text != "" {
		s.add(r.CreatedMs, 4, "%s: run %s says %q in public, covering %v", event.TopicReply, r.RunID, r.Public.Text, r.Public.Covers)
	}
	for _, p := range r.Private {
		s.add(r.CreatedMs, 4, "%s: run %s says %q in private to %s", event.TopicReply, r.RunID, p.Text, p.ViewerID)
	}
	if len(r.NotCovered) > 0 {
		s.add(r.CreatedMs, 4, "%s: not covered: %v", event.TopicReply, r.NotCovered)
	}
	if len(r.NotInRoom) > 0 {
		s.add(r.CreatedMs, 4, "%s: told that the product is not in this room: %v", event.TopicReply, r.NotInRoom)
	}
	if r.Fallback != "" {
		s.add(r.CreatedMs, 4, "%s: a %s fallback", event.TopicReply, r.Fallback)
	}
	var verdicts []string
	for _, v := range r.Verdicts {
		verdicts = append(verdicts, v.Rule+" "+v.Action)
	}
	if len(verdicts) > 0 {
		s.add(r.CreatedMs, 4, "%s: verdicts: %s", event.TopicReply, strings.Join(verdicts, ", "))
	}
	s.add(r.CreatedMs, 4, "%s: release %s, policy %s, harness %s", event.TopicReply, r.Versions.Release, r.Versions.PolicyVersion, r.Versions.HarnessHash)
}

func (s *story) hits(match func(event.GuardrailHit) bool) {
	for _, id := range sortedKeys(s.v.hits) {
		if h := s.v.hits[id]; match(h) {
			what := fmt.Sprintf("%s: rule %s (%s) in the %s: %s", event.TopicGuardrailHit, h.Rule, h.Version, h.Stage, h.Action)
			if h.Span != "" {
				what += fmt.Sprintf(", matched %q", snippet(h.Span))
			}
			s.add(h.TimeMs, 3, "%s", what)
		}
	}
}

func (s *story) delivery(u *utterance) {
	for _, e := range s.v.log.Deliveries {
		d := e.V
		if d.DeliveryID != u.DeliveryID {
			continue
		}
		what := fmt.Sprintf("%s: %s, %s, on %s", event.TopicDelivery, d.State, d.Channel, d.Outlet)
		if d.Reason != "" {
			what += ", " + d.Reason
		}
		if d.HeardVariant != "" && d.HeardVariant != d.Variant {
			what += fmt.Sprintf(", variant %s was heard", d.HeardVariant)
		}
		s.add(cmp.Or(d.TimeMs, d.FirstAudioMs), 5, "%s: %q", what, d.Text)
	}
}

func (s *story) outcomes(match func(event.Outcome) bool) {
	told := map[string]bool{}
	for _, e := range s.v.log.Outcomes {
		o := e.V
		key := fmt.Sprint(o.DanmakuID, o.State, o.Reason, o.By)
		if !match(o) || told[key] {
			continue
		}
		told[key] = true
		what := fmt.Sprintf("%s: %s is %s (%s), says the %s", event.TopicOutcome, o.DanmakuID, o.State, o.Reason, o.By)
		if o.CoverID != "" {
			what += fmt.Sprintf(", covered by %s", o.CoverID)
		}
		s.add(o.TimeMs, 6, "%s", what)
	}
}

// render lists the moments in order, with room time and the seconds since origin.
func (s *story) render(title string, origin int64) string {
	slices.SortStableFunc(s.moments, func(a, b moment) int { return cmp.Or(cmp.Compare(a.ms, b.ms), cmp.Compare(a.rank, b.rank)) })
	var b strings.Builder
	fmt.Fprintln(&b, title)
	for _, m := range s.moments {
		fmt.Fprintf(&b, "  %s %+7.2f s  %s\n", time.UnixMilli(m.ms).UTC().Format("15:04:05.000"), float64(m.ms-origin)/1000, m.what)
	}
	return b.String()
}

// verdict says in one sentence how the danmaku ended and why.
func (v *View) verdict(key Key, f *fate) string {
	answers := v.answers(key)
	switch state := f.state(); {
	case f.outcome == nil && f.window != nil:
		return "It has no outcome yet: it was placed in a window and nothing ended it."
	case f.outcome == nil:
		return "It has no outcome yet: the aggregator has not decided about it."
	case len(f.states) > 1:
		return fmt.Sprintf("Its records contradict each other: %v.", f.states)
	case served(state) && len(answers) > 0:
		what := fmt.Sprintf("It was %s: the viewer heard %q", state, answers[0].Text)
		if r := v.reply(key); r != nil && f.accepted != nil {
			if ms := r.V.CreatedMs - f.platformMs(nil); ms < 0 {
				what += ", which was made before it was asked"
			} else {
				what += fmt.Sprintf(", %.2f s after asking", float64(ms)/1000)
			}
		}
		return what + "."
	default:
		return fmt.Sprintf("It was not answered: %s, %s (reason %s, by the %s).", state, stateMeans[state], f.outcome.Reason, f.outcome.By)
	}
}
