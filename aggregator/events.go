package aggregator

import (
	"slices"
	"time"

	"livehost/streams/event"
)

// onRoomEvent takes everything that is neither danmaku nor order.
func (r *room) onRoomEvent(e event.RoomEvent, appended time.Time) {
	e.TimeMs = r.corrected(e.Source, e.TimeMs, appended)
	now := r.nowMs()
	about, before := r.concerns(e), r.context.air.OpenedMs
	changed, anew := r.context.apply(e)
	r.changed = changed || r.changed
	if air := &r.context.air; air.Closed || air.OpenedMs != before {
		r.pulse.rest()
	}
	switch {
	case anew:
		r.broadcastOver()
	case about.worded || len(about.links) > 0:
		r.outdate(about.of)
	}
	switch e.Kind {
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

// broadcastOver is for what the broadcast before has left: its answers cover nobody, and
// who still waits for one is not answered in the next.
func (r *room) broadcastOver() {
	r.outdate(func(event.LinkID, bool) bool { return true })
	for _, it := range r.items {
		if it.place != flying && it.doom == nil && r.ofBefore(it) {
			it.doom = &verdict{event.Shed, reasonClosed}
		}
	}
}

// ofBefore reports a danmaku said before the broadcast that is on, or one of a broadcast
// before, whenever it was said: its viewer still has that one's page.
func (r *room) ofBefore(it *item) bool {
	air := &r.context.air
	return it.member.PlatformMs < air.OpenedMs-openGraceMs || air.Before(it.broadcast)
}

// hearOf takes the broadcast that a danmaku names: its opening may be lost. The last of a
// broadcast come after the opening of the next.
func (r *room) hearOf(d event.Danmaku, platformMs int64) {
	c := &r.context
	if platformMs < c.air.OpenedMs {
		return
	}
	if c.air.Is(d.BroadcastID) {
		c.begin(d.MerchantID)
		r.changed = true
		r.broadcastOver()
	}
	c.merchant(d.MerchantID)
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

// refocus reads again what has no answer under way of its own and was said after a
// focus change that came late, and lets it in anew.
func (r *room) refocus(sinceMs, nowMs int64) {
	moved := func(it *item) bool {
		if it.doom != nil || it.member.PlatformMs < sinceMs {
			return false
		}
		link, _ := r.context.focusAt(it.member.PlatformMs)
		return link != it.member.FocusLink
	}
	var again []*item
	out := func(it *item) {
		it.place = 0
		again = append(again, it)
	}
	covers := slices.Clone(r.waiting)
	for c := range r.flyingCovers() {
		covers = append(covers, c)
	}
	for _, c := range covers {
		all := c.place == waiting && moved(c)
		if all {
			r.uncover(c)
			r.unlist(c)
			out(c)
		}
		for _, it := range slices.Clone(c.joined) {
			if all || moved(it) {
				r.detach(it)
				out(it)
			}
		}
	}
	for _, it := range again {
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
