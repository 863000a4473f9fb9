package aggregator

import (
	"cmp"
	"maps"

	"livehost/streams/event"
)

// settleJoined decides what becomes of those who joined a danmaku that ended with
// outcome o. They are merged only when the room heard its answer, or the one that the
// dispatcher merged it into; an agent's silence, hand-over and a guardrail's block are
// about the question and theirs too; after anything else they are asked for themselves
// while there is time, each apart when only the cover's viewer is concerned.
func (r *room) settleJoined(cover *item, o event.Outcome, nowMs int64) {
	public := o.Channel == event.Public && (o.State == event.Answered || o.State == event.Merged)
	quiet := o.State == event.Silent && cover.chat()
	if (public || quiet) && !cover.stale && r.cfg().CoolDown > 0 {
		r.cool(cover, o, nowMs)
	}
	joined := cover.joined
	cover.joined = nil
	if public && len(joined) > 0 {
		r.noteLater(cover.delivery, joined...)
	}
	r.merged -= len(joined)
	for _, it := range joined {
		it.cover = nil
		apart := o.State == event.Answered || r.askersAlone(o, cover, it) // privately, if it was answered
		switch {
		case public:
			m := r.outcome(it, event.Merged, reasonSameQuestion, nowMs)
			m.CoverID, m.ReplyMs, m.RunID, m.WindowID = heardFor(cover, o), o.ReplyMs, o.RunID, o.WindowID
			r.emit(m)
			r.forget(it, m, nowMs)
		case !apart && (o.State == event.Silent || o.State == event.HandedOver || o.State == event.Suppressed):
			m := r.outcome(it, o.State, o.Reason, nowMs)
			m.CoverID, m.RunID = cover.member.DanmakuID, o.RunID
			r.emit(m)
			r.forget(it, m, nowMs)
		case r.inTime(it, nowMs) && apart && !it.chat(): // each gets an own answer
			r.wait(it)
		case r.inTime(it, nowMs): // the first of them is asked for the others
			r.admit(it, nowMs)
		case apart || o.State == event.Retracted:
			r.end(it, event.Expired, reasonWaited, nowMs)
		default:
			r.end(it, o.State, o.Reason, nowMs)
		}
	}
}

// askersAlone reports an end that was its asker's alone: what could not be written to
// that one may be to the viewer of it.
func (r *room) askersAlone(o event.Outcome, cover, it *item) bool {
	if o.State != event.Suppressed || it.member.ViewerID == cover.member.ViewerID {
		return false
	}
	switch o.Reason {
	case event.ReasonRepeat:
		return true
	case event.ReasonNoPrivate, event.ReasonStopped:
		return r.context.settings.PrivateText && !it.member.ViewerID.Anonymous()
	default:
		return false
	}
}

// heardFor is the danmaku whose answer was heard when the cover ended with o: there is one
// step from any merged danmaku to what its viewer heard.
func heardFor(cover *item, o event.Outcome) event.DanmakuID {
	return cmp.Or(o.CoverID, cover.member.DanmakuID)
}

// inTime reports whether a run may still answer by answer_by.
func (r *room) inTime(it *item, nowMs int64) bool {
	return nowMs+r.runs.MedianMs() <= it.member.AnswerByMs
}

// sweepMs is the time between two looks for answers that have cooled down.
const sweepMs = 30_000

// maxCooledViewers bounds what is remembered of who has heard an answer.
const maxCooledViewers = 500

// cool lets the public answer cover the same question for a while; chat that was
// met with silence needs no second look either.
func (r *room) cool(cover *item, o event.Outcome, nowMs int64) {
	at := min(nowMs, max(o.TimeMs, 0))
	coolDown := r.cfg().CoolDown
	if cover.chat() && o.State == event.Answered { // thanked once is thanked for a while
		coolDown = r.cfg().ChatCoolDown
	}
	c := &cooled{danmaku: own(heardFor(cover, o)), link: cover.reading.Link, worded: cover.reading.Worded, delivery: cover.delivery, replyMs: o.ReplyMs, untilMs: at + coolDown.Milliseconds()}
	if o.State == event.Silent {
		c.silence = own(cmp.Or(o.Reason, string(event.Silent)))
	}
	if c.untilMs <= nowMs {
		return
	}
	if !cover.chat() {
		for _, it := range cover.joined[:min(len(cover.joined), maxCooledViewers)] {
			c.viewers = append(c.viewers, hashOf(it.member.ViewerID))
		}
	}
	if nowMs-r.sweptMs > sweepMs {
		r.sweptMs = nowMs
		maps.DeleteFunc(r.cooling, func(_ question, old *cooled) bool { return old.untilMs <= nowMs })
	}
	r.cooling[cover.question()] = c
}

// outdate stops answers about what changed from covering anybody new: who joined
// before the change is asked for again, unless the answer was heard already.
func (r *room) outdate(changed func(link event.LinkID, worded bool) bool) {
	for q, c := range r.cooling {
		if changed(c.link, c.worded) {
			delete(r.cooling, q)
		}
	}
	for q, it := range r.covers {
		if it.place == flying && changed(it.reading.Link, it.reading.Worded) {
			it.stale = true
			delete(r.covers, q)
		}
	}
}

// onReply frees the window's place and takes back whom the reply does not cover.
func (r *room) onReply(e reply) {
	now := r.nowMs()
	f := r.flight(e.ReplyID)
	if f != nil && !f.replied {
		f.replied = true
		r.runs.Observe(e.CreatedMs - f.openedMs)
		r.land(f)
	}
	for _, id := range e.NotCovered {
		if it := r.items[id]; it != nil && it.place == flying && it.window == e.ReplyID {
			it.returned++
			r.takeBack(it, event.Shed, reasonNotCovered, it.returned == 1, now)
		}
	}
}

// onDelivery follows what was heard, and asks again when a fact went stale.
func (r *room) onDelivery(d delivery) {
	now := r.nowMs()
	r.delivered(d, func(it *item, first bool) { r.takeBack(it, event.Expired, reasonStaleFact, first, now) })
}

// delivered follows what was heard. back gets each danmaku whose answer was cancelled
// because a fact went stale, and whether it was asked for the first time.
func (r *room) delivered(d delivery, back func(it *item, first bool)) {
	r.speech.heard(d)
	r.remember(d)
	if !d.StaleFact {
		return
	}
	for _, id := range d.DanmakuIDs {
		if it := r.items[id]; it != nil && it.place == flying && it.window == d.ReplyID {
			first := it.member.Ask == 1
			it.member.Ask = 2
			it.stale = false
			back(it, first)
		}
	}
}

// takeBack lets a danmaku wait for another window, when it may and there is time;
// else it ends as said.
func (r *room) takeBack(it *item, state event.State, reason string, again bool, nowMs int64) {
	if f := r.flight(it.window); f != nil {
		r.leave(f, it.member.DanmakuID)
	}
	it.place = 0
	switch {
	case r.gone.has(string(it.member.DanmakuID)):
		r.end(it, event.Retracted, reasonRetracted, nowMs)
	case r.ofBefore(it):
		r.end(it, event.Shed, reasonClosed, nowMs)
	case !again || !r.inTime(it, nowMs):
		r.end(it, state, reason, nowMs)
	default:
		r.wait(it)
	}
}

// onOutcome ends the danmaku, whoever says so.
func (r *room) onOutcome(o event.Outcome) {
	now := r.nowMs()
	it := r.items[o.DanmakuID]
	if it == nil {
		r.known.add(string(o.DanmakuID), now)
		return
	}
	r.forget(it, o, now)
}
