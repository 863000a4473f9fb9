package dispatcher

import (
	"time"

	"livehost/dispatcher/pacing"
	"livehost/streams/event"
)

// What waits for the voice must not run out of time there: an asker whom private text
// reaches gets the answer in writing while there still is time, and the voice is left
// to those who can only be reached aloud.

// nextStartMs is when the voice could begin with what it is given now.
func (rm *room) nextStartMs(nowMs int64) int64 {
	if rm.freeAtMs == 0 { // it never spoke
		return nowMs
	}
	return max(nowMs, rm.freeAtMs+pacing.Gap.Milliseconds())
}

// rescue goes through the waiting speech in its order. An answer that would begin
// too late for one of those whom private text reaches is sent to all of them, so that
// none of them gets it twice; who cannot be reached so is given up when even the very
// next start would be too late. Waiting longer would only delay the news.
func (rm *room) rescue(pl *plan, nowMs int64) {
	next := rm.nextStartMs(nowMs)
	start := next
	for _, it := range rm.queue.Take(func(q queued) bool {
		it := q.Value
		if by, ok := it.reachableBy(rm); ok && start+rm.d.cfg.VoiceStart.Milliseconds() >= by-rm.reserveMs() {
			it.split(func(o *owed) bool { return rm.privately(pl, o, nowMs) })
		}
		pl.endAll(it.split(late(next)), event.Expired, reasonLate)
		if len(it.owed) == 0 && (!it.event() || it.job.reply.SpeakByMs < next) {
			return true
		}
		start += (it.length + pacing.Gap).Milliseconds()
		return false
	}) {
		if it.event() {
			pl.deliver(rm, spokenDelivery(it, rm.d.voice(), event.DeliverySkipped, reasonLate, nowMs))
		}
		rm.leave(pl, it, nowMs)
	}
}

func (rm *room) reserveMs() int64 { return rm.d.cfg.PrivateReserve.Milliseconds() }

// rescueInTime has the queue looked at again at the last moment for the item, in case
// the present speech takes longer than estimated.
func (rm *room) rescueInTime(it *item, nowMs int64) {
	by, ok := it.reachableBy(rm)
	if !ok {
		return
	}
	last := by - rm.reserveMs() - rm.d.cfg.VoiceStart.Milliseconds()
	rm.d.deps.Clock.AfterFunc(time.Duration(last-nowMs+1)*time.Millisecond, func() {
		if !rm.p.enter() {
			return
		}
		defer rm.p.work.Done()
		rm.d.carryOut(rm, rm.d.locked(rm, rm.rescue))
	})
}

// reachableBy is the earliest deadline of those whom private text reaches, too.
func (it *item) reachableBy(rm *room) (by int64, ok bool) {
	for _, o := range it.owed {
		if rm.writable(o) && (!ok || o.member.SpeakByMs < by) {
			by, ok = o.member.SpeakByMs, true
		}
	}
	return by, ok
}

// beginBy is the latest start that leaves time for private text to those whom it
// reaches, and that is not late for the others.
func (it *item) beginBy(rm *room) int64 {
	by := it.speakBy()
	if reachable, ok := it.reachableBy(rm); ok {
		by = min(by, reachable-rm.reserveMs())
	}
	return by
}

// onlyAloud reports whether the voice alone reaches one of the item's askers: then it
// goes before others of its class.
func (it *item) onlyAloud(rm *room) bool {
	for _, o := range it.owed {
		if !rm.writable(o) {
			return true
		}
	}
	return false
}
