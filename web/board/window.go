package board

import (
	"cmp"
	"slices"

	"livehost/streams/event"
)

// Window is what is known of one window and its runs.
type Window struct {
	ID       event.WindowID
	Room     event.RoomID
	Kind     event.WindowKind
	Mode     event.Mode
	Variant  event.Variant
	Intent   string
	OpenedMs int64
	Danmaku  []event.DanmakuID
	Replies  []event.Reply // one per run that replied
	Steps    []event.Step  // by run and number
	Heard    []event.Delivery
	Hits     []event.GuardrailHit
}

// maxSteps bounds what is kept of the runs of one window.
const maxSteps = 100

// window is the board's own, changing window.
type window struct {
	at    int64
	data  Window
	rows  map[key]bool             // that are linked to it
	hits  []event.GuardrailHit     // that name no danmaku
	heard map[event.DeliveryID]int // index in data.Heard
}

func (w *window) opened(e event.Window) {
	w.data.Kind, w.data.Mode, w.data.Variant, w.data.Intent, w.data.OpenedMs = e.Kind, e.Mode, e.Variant, e.Intent, e.OpenedMs
	w.data.Danmaku = nil
	for _, m := range e.Members {
		w.data.Danmaku = append(w.data.Danmaku, m.DanmakuID)
	}
}

func (w *window) replied(e event.Reply) {
	if slices.ContainsFunc(w.data.Replies, func(r event.Reply) bool { return r.RunID == e.RunID }) {
		return
	}
	w.data.Variant = cmp.Or(w.data.Variant, e.Variant)
	w.data.Intent = cmp.Or(w.data.Intent, e.Intent)
	w.data.Mode = cmp.Or(w.data.Mode, e.Mode)
	w.data.Replies = append(w.data.Replies, e)
}

func (w *window) step(e event.Step) {
	at, seen := slices.BinarySearchFunc(w.data.Steps, e, func(a, b event.Step) int {
		return cmp.Or(cmp.Compare(a.RunID, b.RunID), cmp.Compare(a.Seq, b.Seq))
	})
	if !seen && len(w.data.Steps) < maxSteps {
		w.data.Steps = slices.Insert(w.data.Steps, at, e)
	}
}

// delivered keeps the latest state of each delivery; false: nothing is new. One that was
// called off may begin anew, with a later owner.
func (w *window) delivered(e event.Delivery) bool {
	i, seen := w.heard[e.DeliveryID]
	if !seen {
		w.heard[e.DeliveryID] = len(w.data.Heard)
		w.data.Heard = append(w.data.Heard, e)
		return true
	}
	have := &w.data.Heard[i]
	ends := have.State == event.DeliveryStarted && e.State != event.DeliveryStarted && e.TimeMs >= have.TimeMs
	anew := have.State == event.DeliveryCancelled && e.State != event.DeliveryCancelled && e.TimeMs > have.TimeMs
	if ends || anew {
		*have = e
	}
	return ends || anew
}

// wrote reports whether a delivery names the danmaku.
func (w *window) wrote(id event.DanmakuID) bool {
	return slices.ContainsFunc(w.data.Heard, func(d event.Delivery) bool { return slices.Contains(d.DanmakuIDs, id) })
}

// ask is the window seen by one of its danmaku.
func (w *window) ask(id event.DanmakuID) Ask {
	a := Ask{
		Window: w.data.ID, Mode: w.data.Mode, Members: len(w.data.Danmaku), Variant: w.data.Variant,
		Intent: w.data.Intent, OpenedMs: w.data.OpenedMs,
	}
	for _, r := range w.data.Replies {
		a.Run, a.Said = r.RunID, said(r, id)
	}
	if n := len(w.data.Steps); a.Run == "" && n > 0 {
		a.Run = w.data.Steps[n-1].RunID
	}
	for _, d := range w.data.Heard {
		if slices.Contains(d.DanmakuIDs, id) {
			a.Heard = append(a.Heard, d)
		}
	}
	return a
}

func said(r event.Reply, id event.DanmakuID) *Said {
	s := &Said{Fallback: r.Fallback, AtMs: r.CreatedMs, RunMs: r.Timing.RunMs}
	for _, p := range r.Private {
		if p.DanmakuID == id {
			s.Text, s.Channel = p.Text, event.Private
		}
	}
	if r.Public != nil && slices.Contains(r.Public.Covers, id) {
		s.Text, s.Channel = r.Public.Text, event.Public
	}
	return s
}

func (w *window) copy() Window {
	out := w.data
	out.Danmaku = slices.Clone(w.data.Danmaku)
	out.Replies = slices.Clone(w.data.Replies)
	out.Steps = slices.Clone(w.data.Steps)
	out.Heard = slices.Clone(w.data.Heard)
	out.Hits = slices.Clone(w.hits)
	return out
}
