package aggregator

import (
	"livehost/streams/event"
)

// thanks is the room's one pending event worth a word: gifts and follows are
// lowest class, rarely answered, and only when nobody waits.
type thanks struct {
	pending *event.RoomEvent
	seenMs  int64 // of the last frame of the pending one
	lastMs  int64 // when the last window opened
	seen    [thanksRing]string
	n       int
}

const (
	thanksRing  = 32
	streakMs    = 3_000 // a streak of one gift is over when this long nothing came
	thanksOldMs = 10_000
)

// note takes a gift or follow. Frames of one streak carry the count so far: they
// are one event with the largest count, in whatever order and however often they
// come.
func (t *thanks) note(e event.RoomEvent, wanted bool) {
	if !wanted || e.ViewerID.Anonymous() {
		return
	}
	for _, id := range t.seen {
		if id == e.EventID {
			return
		}
	}
	t.seen[t.n%thanksRing] = e.EventID
	t.n++
	p := t.pending
	switch {
	case p != nil && p.Kind == e.Kind && p.ViewerID == e.ViewerID && p.GiftName == e.GiftName && e.TimeMs-t.seenMs < streakMs:
		p.Count = max(p.Count, e.Count)
		p.ValueFen = max(p.ValueFen, e.ValueFen)
		t.seenMs = max(t.seenMs, e.TimeMs)
	case p == nil || e.ValueFen > p.ValueFen || e.TimeMs-t.seenMs > thanksOldMs:
		t.pending, t.seenMs = &e, e.TimeMs
	}
}

// dueMs is when the pending event may be answered, 0 when there is none.
func (t *thanks) dueMs(cfg *Config) int64 {
	if t.pending == nil {
		return 0
	}
	return max(t.seenMs+streakMs, t.lastMs+cfg.ThankEvery.Milliseconds())
}

// thank opens an event window when one is due and nothing else is under way.
func (r *room) thank(nowMs int64) {
	e := r.thanks.pending
	if e == nil || r.context.air.Closed || nowMs < r.thanks.dueMs(r.cfg()) {
		return
	}
	if nowMs-r.thanks.seenMs > thanksOldMs {
		r.thanks.pending = nil
		return
	}
	a := r.assign(e.ViewerID)
	if r.free(a.Variant, nowMs) == 0 || r.holdUntil(nowMs) > nowMs || r.speech.queuedAt(nowMs) > 0 {
		return
	}
	r.thanks.pending, r.thanks.lastMs = nil, nowMs
	e.ViewerName = r.spokenName(e.ViewerName)
	w := &event.Window{
		Schema: event.SchemaVersion, WindowID: event.WindowID(string(r.id) + ".e." + e.EventID), RoomID: r.id,
		BroadcastID: r.context.air.ID, MerchantID: r.context.merchantID, Kind: event.EventWindow, Mode: event.Single,
		Experiment: a.Experiment, ExperimentVersion: a.Version, Variant: a.Variant, Class: event.ClassEvent,
		Language: r.context.settings.Language, Event: e, Context: r.snapshot(event.ContextSnapshot{}, nil, nowMs), EarliestMs: r.thanks.seenMs, OpenedMs: nowMs,
	}
	w.AnswerByMs = w.EarliestMs + r.cfg().AnswerBy.Milliseconds()
	w.SpeakByMs = w.EarliestMs + r.cfg().SpeakBy.Milliseconds()
	r.launch(&flight{window: w.WindowID, variant: a.Variant, event: true, openedMs: nowMs, earliestMs: w.EarliestMs})
	r.emit(w)
	r.p.a.stats.windows.Add(1)
}
