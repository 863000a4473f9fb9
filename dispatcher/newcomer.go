package dispatcher

import (
	"slices"

	"livehost/streams"
	"livehost/streams/event"
)

// writeAgain writes what the room has just heard to a newcomer: somebody who asked for it
// after it was said. The danmaku has ended, merged into that answer by the aggregator; what
// becomes of the text is a delivery and no outcome.
func (d *Dispatcher) writeAgain(p *partition, out event.Outcome, ack streams.Ack) {
	rm := p.room(out.RoomID)
	var j *job
	pl := d.locked(rm, func(pl *plan, nowMs int64) {
		said := rm.saidFor(out.CoverID)
		if said == nil {
			return
		}
		j = newJob(said.reply, func(err error) {
			p.endJob(j)
			ack(err)
		})
		o := &owed{ended: true, job: j, member: event.Member{
			DanmakuID: out.DanmakuID, ViewerID: out.ViewerID, Intent: out.Intent, PlatformMs: out.PlatformMs, SpeakByMs: out.SpeakByMs,
		}}
		if out.Variant != said.reply.Variant || said.personal || out.PlatformMs < said.endMs || said.has(out.ViewerID) ||
			rm.pending[out.DanmakuID] != nil || p.before(o).delivery != nil || !rm.privately(pl, o, nowMs) {
			return
		}
		said.viewers = append(said.viewers, out.ViewerID) // whatever becomes of it: one text a viewer
		rm.await(o)
		p.addJob(j)
	})
	if j == nil {
		ack(nil)
		return
	}
	d.carryOut(rm, pl)
	j.release()
}

// saidFor is what the room heard lately in answer to a danmaku, nil when it heard nothing
// or that is no longer right.
func (rm *room) saidFor(id event.DanmakuID) *answerHeard {
	for _, said := range rm.heard {
		if slices.Contains(said.danmaku, id) {
			return said
		}
	}
	return nil
}
