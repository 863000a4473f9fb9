package board

import (
	"slices"

	"livehost/streams"
	"livehost/streams/event"
)

// takers put one record of their topic in.
var takers = map[string]func(*Board, streams.Record) error{
	event.TopicDanmaku:      taker((*Board).danmaku),
	event.TopicRoomEvent:    taker((*Board).roomEvent),
	event.TopicWindow:       taker((*Board).opened),
	event.TopicReply:        taker((*Board).replied),
	event.TopicTrajectory:   taker((*Board).stepped),
	event.TopicGuardrailHit: taker((*Board).hit),
	event.TopicDelivery:     taker((*Board).delivered),
	event.TopicOutcome:      taker((*Board).ended),
}

func taker[T event.Event](take func(*Board, T)) func(*Board, streams.Record) error {
	return func(b *Board, r streams.Record) error {
		e, err := event.Decode[T](r.Value)
		if err == nil {
			event.Stamp(&e, r.AppendTime.UnixMilli())
			take(b, e)
		}
		return err
	}
}

// Topics are what a board is fed with.
func Topics() []string {
	var out []string
	for t := range takers {
		out = append(out, t)
	}
	slices.Sort(out)
	return out
}

// Take puts a record in. An undecodable one is reported and changes nothing.
func (b *Board) Take(r streams.Record) error {
	take, ok := takers[r.Topic]
	if !ok {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := take(b, r); err != nil {
		return err
	}
	close(b.changed)
	b.changed = make(chan struct{})
	return nil
}

func (b *Board) danmaku(e event.Danmaku) {
	r := b.row(e.DanmakuID, e.RoomID, e.PlatformTimeMs)
	if r == nil || r.known {
		return
	}
	r.known = true
	r.data.Viewer, r.data.Text, r.data.Host = name(e.ViewerName, e.ViewerID), e.Text, e.Host
	b.touch(r)
}

func name(display string, id event.ViewerID) string {
	if display == "" && !id.Anonymous() {
		return string(id)
	}
	return display
}

// member links a danmaku to its window, and tells who asked what when the danmaku
// itself has not been read yet.
func (b *Board) member(w *window, room event.RoomID, m event.Member) {
	r := b.row(m.DanmakuID, room, m.PlatformMs)
	if r == nil {
		return
	}
	if !r.known {
		r.data.Viewer, r.data.Text = name(m.ViewerName, m.ViewerID), m.Text
	}
	if m.PlatformMs > 0 {
		r.data.AskedMs = m.PlatformMs
	}
	r.link(w)
}

func (b *Board) opened(e event.Window) {
	w := b.window(e.WindowID, e.RoomID, e.OpenedMs)
	if w == nil {
		return
	}
	w.opened(e)
	for _, m := range e.Members {
		b.member(w, e.RoomID, m)
	}
	if e.Kind == event.DanmakuWindow {
		b.room(e.RoomID, e.OpenedMs).Mode = e.Mode
	}
	b.touchWindow(w)
}

func (b *Board) replied(e event.Reply) {
	w := b.window(e.ReplyID, e.RoomID, e.CreatedMs)
	if w == nil {
		return
	}
	for _, m := range e.Members {
		b.member(w, e.RoomID, m)
	}
	e.Members = nil // kept in the rows
	w.replied(e)
	b.touchWindow(w)
}

// What is kept of one step, in runes.
const (
	maxStepText      = 600
	maxStepReasoning = 4000
)

func (b *Board) stepped(e event.Step) {
	w := b.window(e.WindowID, e.RoomID, e.StartedMs)
	if w == nil {
		return
	}
	if e.Kind == event.StepModel {
		e.Input = "" // the prompt
		if !b.cfg.Reasoning {
			e.Output = ""
		}
	}
	if !b.cfg.Reasoning {
		e.Reasoning = ""
	}
	e.Calls = slices.Clone(e.Calls)
	for i := range e.Calls {
		e.Calls[i].Arguments = "" // in the steps of the tools
	}
	e.Input, e.Output, e.Reasoning = clip(e.Input, maxStepText), clip(e.Output, maxStepText), clip(e.Reasoning, maxStepReasoning)
	w.step(e)
	if len(w.data.Steps) == 1 { // the rows only link to the run
		b.touchWindow(w)
	}
}

func clip(s string, n int) string {
	if len(s) <= n { // bytes are at least as many as runes
		return s
	}
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// maxHits bounds the hits that are kept of one danmaku or window.
const maxHits = 20

func (b *Board) hit(e event.GuardrailHit) {
	if len(e.DanmakuIDs) == 0 {
		if w := b.windows.byID[e.WindowID]; w != nil {
			w.hits = addHit(w.hits, e)
			b.touchWindow(w)
		}
		return
	}
	for _, id := range e.DanmakuIDs {
		if r := b.row(id, e.RoomID, e.TimeMs); r != nil {
			r.data.Hits = addHit(r.data.Hits, e)
			b.touch(r)
		}
	}
}

func addHit(hits []event.GuardrailHit, e event.GuardrailHit) []event.GuardrailHit {
	if len(hits) >= maxHits || slices.ContainsFunc(hits, func(h event.GuardrailHit) bool { return h.HitID == e.HitID }) {
		return hits
	}
	return append(hits, e)
}

func (b *Board) delivered(e event.Delivery) {
	w := b.window(e.ReplyID, e.RoomID, e.TimeMs)
	if w == nil || !w.delivered(e) {
		return
	}
	b.room(e.RoomID, e.TimeMs).delivered(e)
	for _, id := range e.DanmakuIDs {
		if r, ok := b.rows.byID[keyOf(e.RoomID, id)]; ok {
			r.link(w)
		}
	}
	b.touchWindow(w)
}

func (b *Board) ended(e event.Outcome) {
	r := b.row(e.DanmakuID, e.RoomID, e.PlatformMs)
	if r == nil {
		return
	}
	if w := b.windows.byID[e.WindowID]; w != nil {
		r.link(w)
	}
	if e.State == event.Merged && e.SpeakByMs > 0 { // a newcomer, which may have been written what another's window says
		for _, w := range b.windows.order {
			if w.data.Room == e.RoomID && w.wrote(e.DanmakuID) {
				r.link(w)
			}
		}
	}
	if e.PlatformMs > 0 {
		r.data.AskedMs = e.PlatformMs
	}
	switch {
	case r.data.Outcome == nil:
		r.data.Outcome = &e
	case r.data.Outcome.State != e.State && !r.data.Conflict:
		r.data.Conflict = true
	default:
		return
	}
	b.touch(r)
}
