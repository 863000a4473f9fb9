package aggregator

import (
	"time"

	"livehost/streams/event"
)

// onRoomEvent takes everything that is neither danmaku nor order.
func (r *room) onRoomEvent(e event.RoomEvent, appended time.Time) {
	e.TimeMs = r.corrected(e.Source, e.TimeMs, appended)
	now := r.nowMs()
	r.changed = r.context.apply(e) || r.changed
	switch e.Kind {
	case event.ProductChanged, event.ProductDelisted:
		r.factChanged(e.LinkID)
	case event.ProductInFocus:
		r.refocus(e.TimeMs, now)
	case event.Enter, event.AddToCart:
		r.bucket(e.ViewerID, e.TimeMs)
	case event.Gift, event.Follow:
		r.thanks.note(e, r.context.settings.EventReply)
	case event.DanmakuRetracted:
		r.retract(e.DanmakuID, now)
	}
}

// retract ends a danmaku that is still ours; one in a window is its holder's. One
// that has not come yet is remembered.
func (r *room) retract(id event.DanmakuID, nowMs int64) {
	it := r.items[id]
	switch {
	case it != nil && it.place != flying:
		r.end(it, event.Retracted, reasonRetracted, nowMs)
	case it != nil, !r.known.has(string(id)): // it may yet come, or come back from its window
		r.gone.add(string(id), nowMs)
	}
}

// refocus reads again what waits and was said after a focus change that came late.
func (r *room) refocus(sinceMs, nowMs int64) {
	for _, it := range append([]*item(nil), r.waiting...) {
		if it.place != waiting || it.member.PlatformMs < sinceMs || len(it.joined) > 0 {
			continue
		}
		if link, _ := r.context.focusAt(it.member.PlatformMs); link == it.member.FocusLink {
			continue
		}
		if q := it.question(); r.covers[q] == it {
			delete(r.covers, q)
		}
		r.unlist(it)
		r.read(it)
		r.admit(it, nowMs)
	}
}

// onOrder remembers who paid. An order that brings its buyer into scope has the order's
// own time, so that it counts; a clock that is ahead must not keep later ones out.
func (r *room) onOrder(o event.Order) {
	r.bucket(o.ViewerID, min(o.TimeMs, r.nowMs()))
	if o.Status == event.OrderPaid || o.Status == event.OrderConfirmed {
		r.changed = r.context.paid(o.ViewerID) || r.changed
	}
}
