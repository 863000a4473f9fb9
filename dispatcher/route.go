package dispatcher

import (
	"time"

	"livehost/streams/event"
)

// plan is what a room decided, to be carried out without its lock.
type plan struct {
	deliveries []event.Delivery
	hits       []event.GuardrailHit
	endings    []ending
	sends      []send
	release    []*job // event windows whose speech is over
	speak      bool   // the voice's goroutine is to start
}

// send is one private text.
type send struct {
	o    *owed
	text string
}

func (pl *plan) end(o *owed, state event.State, reason string) {
	pl.endings = append(pl.endings, ending{o: o, state: state, reason: reason})
}

func (pl *plan) endAll(list []*owed, state event.State, reason string) {
	for _, o := range list {
		pl.end(o, state, reason)
	}
}

func (pl *plan) deliver(rm *room, dl event.Delivery) {
	dl.SpeechQueuedMs = rm.speechQueuedMs(dl.TimeMs)
	pl.deliveries = append(pl.deliveries, dl)
}

// take decides what becomes of a new reply.
func (rm *room) take(j *job, nowMs int64) (pl plan) {
	if j.reply.Versions.Shadow {
		rm.shadow(&pl, &j.reply, nowMs)
		return pl
	}
	rm.answered(&j.reply)
	public, private := rm.claim(&pl, j, nowMs)
	if j.reply.Public != nil {
		rm.takePublic(&pl, j, public, nowMs)
	}
	for _, o := range private {
		rm.sendOwn(&pl, o, nowMs)
	}
	return pl
}

// shadow notes what a shadow release would have said. Its danmaku are not its own: they
// end with the answers of the release that answers.
func (rm *room) shadow(pl *plan, reply *event.Reply, nowMs int64) {
	text := ""
	if reply.Public != nil {
		text = reply.Public.Text
	}
	pl.deliver(rm, delivery(reply, rm.d.voice(), event.DeliverySkipped, reasonShadow, text, nowMs))
}

// claim makes this job the owner of the reply's danmaku, except those that are
// of another window, or settled already: by an outcome, by being handed back, by an earlier delivery
// whose outcome is missing (written now), or by waiting here for another reply.
func (rm *room) claim(pl *plan, j *job, nowMs int64) (public, private []*owed) {
	members := make(map[event.DanmakuID]event.Member, len(j.reply.Members))
	for _, m := range j.reply.Members {
		members[m.DanmakuID] = m
	}
	taken := map[event.DanmakuID]*owed{}
	one := func(id event.DanmakuID, text string) *owed {
		if o := taken[id]; o != nil { // in both parts: public wins, private is the second choice
			o.private = text
			return nil
		}
		m, ok := members[id]
		if !ok { // whoever holds it answers it
			rm.d.deps.Log.Error("a reply names a danmaku that is not of its window", "room_id", rm.id, "reply_id", j.reply.ReplyID, "danmaku_id", id)
			return nil
		}
		o := &owed{member: m, job: j, private: text}
		if !rm.settled(pl, o, nowMs) {
			taken[id] = o
			return o
		}
		return nil
	}
	if j.reply.Public != nil {
		for _, id := range j.reply.Public.Covers {
			if o := one(id, ""); o != nil {
				public = append(public, o)
			}
		}
	}
	for _, p := range j.reply.Private {
		if o := one(p.DanmakuID, p.Text); o != nil {
			private = append(private, o)
		}
	}
	return public, private
}

// settled reports whether the danmaku needs nothing more from this job; if it does,
// the job holds on for it.
func (rm *room) settled(pl *plan, o *owed, nowMs int64) bool {
	id := o.member.DanmakuID
	if other := rm.pending[id]; other != nil {
		o.job.hold()
		other.also = append(other.also, o.job)
		return true
	}
	before := rm.p.before(o)
	if before.ended {
		return true
	}
	rm.await(o)
	dl := before.delivery
	if dl == nil {
		return false
	}
	switch dl.State {
	case event.DeliveryEnded:
		pl.endings = append(pl.endings, ending{o: o, state: event.Answered, reason: reasonSpoken, channel: event.Public})
	case event.DeliverySent:
		pl.endings = append(pl.endings, ending{o: o, state: event.Answered, reason: reasonPrivateText, channel: event.Private})
	case event.DeliveryStarted:
		rm.interrupted(pl, dl, nowMs)
		pl.end(o, event.Failed, reasonInterrupted)
	case event.DeliveryInterrupted:
		pl.end(o, event.Failed, reasonInterrupted)
	default: // skipped or cancelled, and the outcome is missing: decide again
		return false
	}
	return true
}

// await holds the danmaku's job until it is settled here.
func (rm *room) await(o *owed) {
	o.job.hold()
	if rm.pending == nil {
		rm.pending = map[event.DanmakuID]*owed{}
	}
	rm.pending[o.member.DanmakuID] = o
}

// interrupted ends a delivery that a dead process began.
func (rm *room) interrupted(pl *plan, dl *event.Delivery, nowMs int64) {
	end := *dl
	end.State, end.Reason, end.TimeMs = event.DeliveryInterrupted, reasonInterrupted, nowMs
	rm.p.remember(&end)
	pl.deliver(rm, end)
}

func (rm *room) takePublic(pl *plan, j *job, answers []*owed, nowMs int64) {
	it := rm.newItem(j, answers)
	if len(answers) == 0 {
		if it.event() {
			rm.takeEvent(pl, it, nowMs)
		}
		return
	}
	if missing := missingVerdicts(rm.d.cfg.PublicVerdicts, j.reply.Verdicts); len(missing) > 0 {
		pl.hits = append(pl.hits, verdictHit(&j.reply, event.Public, answers, missing, nowMs))
		for _, o := range answers {
			rm.instead(pl, o, event.Suppressed, reasonNoVerdict, nowMs)
		}
		return
	}
	if it.heard == "" {
		for _, o := range answers {
			rm.instead(pl, o, event.Suppressed, reasonNothingToSay, nowMs)
		}
		return
	}
	rm.route(pl, it, nowMs)
}

// takeEvent speaks an event window's text only when the voice is free.
func (rm *room) takeEvent(pl *plan, it *item, nowMs int64) {
	reply := &it.job.reply
	skip := func(reason string) {
		pl.deliver(rm, spokenDelivery(it, rm.d.voice(), event.DeliverySkipped, reason, nowMs))
	}
	missing := missingVerdicts(rm.d.cfg.PublicVerdicts, reply.Verdicts)
	before := rm.p.delivery(rm.id, deliveryID(reply, rm.d.voice(), ""))
	switch {
	case before != nil && before.State == event.DeliveryStarted:
		rm.interrupted(pl, before, nowMs)
	case before != nil:
	case len(missing) > 0:
		pl.hits = append(pl.hits, verdictHit(reply, event.Public, nil, missing, nowMs))
		skip(reasonNoVerdict)
	case it.heard == "":
		skip(reasonNothingToSay)
	case rm.over(reply):
		skip(reasonRoomClosed)
	case rm.muted(reply):
		skip(reasonVoiceStopped)
	case nowMs > reply.SpeakByMs:
		skip(reasonLate)
	case rm.now != nil || rm.queue.Len() > 0:
		skip(reasonVoiceBusy)
	case rm.saidLately(it.by, nowMs) != nil:
		skip(reasonSameWords)
	default:
		it.job.hold()
		rm.enqueue(pl, it, nowMs)
	}
}

// route finds the way of an answer: nowhere, another voice, private text, or the
// queue.
func (rm *room) route(pl *plan, it *item, nowMs int64) {
	if rm.over(&it.job.reply) {
		rm.closedOn(pl, it, nowMs)
		return
	}
	if rm.muted(&it.job.reply) {
		rm.mute(pl, it, nowMs)
		return
	}
	if rm.staleReply(&it.job.reply) {
		rm.handBack(pl, it, nowMs)
		return
	}
	pl.endAll(it.split(rm.retracted), event.Retracted, reasonRetracted)
	pl.endAll(it.split(late(nowMs)), event.Expired, reasonLate)
	if len(it.owed) == 0 {
		rm.leave(pl, it, nowMs)
		return
	}
	if rm.needNotHear(pl, it, nowMs) {
		return
	}
	start := rm.nextStartMs(nowMs) + rm.queue.Ahead(it.queued(rm)).Milliseconds()
	if time.Duration(start-nowMs)*time.Millisecond > rm.d.cfg.MaxQueuedSpeech {
		it.split(func(o *owed) bool { return rm.privately(pl, o, nowMs) })
	}
	if len(it.owed) == 0 {
		rm.leave(pl, it, nowMs)
		return
	}
	rm.join(it)
	rm.enqueue(pl, it, nowMs)
}

func (rm *room) enqueue(pl *plan, it *item, nowMs int64) {
	rm.queue.Push(it.queued(rm))
	rm.rescue(pl, nowMs)
	rm.rescueInTime(it, nowMs)
	if rm.queue.Len() > 0 && !rm.running {
		rm.running, pl.speak = true, true
	}
}

// instead ends a danmaku that will not be spoken for, unless private text still
// reaches its asker in time.
func (rm *room) instead(pl *plan, o *owed, state event.State, reason string, nowMs int64) {
	missing := len(missingVerdicts(rm.d.cfg.PrivateVerdicts, o.job.reply.Verdicts)) > 0
	// A text that was not fit to be spoken is not fit to be sent; the asker's own is.
	if state == event.Suppressed && (o.private == "" || missing) || !rm.privately(pl, o, nowMs) {
		pl.end(o, state, reason)
	}
}

// privately plans private text to the asker when the room and the asker can get it
// and there is time; it reports whether.
func (rm *room) privately(pl *plan, o *owed, nowMs int64) bool {
	if !rm.writable(o) || rm.over(&o.job.reply) || rm.retracted(o) || late(nowMs)(o) {
		return false
	}
	text := o.private
	if text == "" {
		text = o.job.reply.Public.Text
	}
	pl.sends = append(pl.sends, send{o, text})
	return true
}

// writable reports whether the answer may be written to its asker.
func (rm *room) writable(o *owed) bool {
	return rm.hasPrivate(o) && len(missingVerdicts(rm.d.cfg.PrivateVerdicts, o.job.reply.Verdicts)) == 0
}

func (rm *room) hasPrivate(o *owed) bool {
	return rm.d.deps.Outlets.Private != nil && rm.settings.PrivateText && !o.member.ViewerID.Anonymous()
}

// sendOwn plans the text that the agent wrote for one asker.
func (rm *room) sendOwn(pl *plan, o *owed, nowMs int64) {
	reply := &o.job.reply
	missing := missingVerdicts(rm.d.cfg.PrivateVerdicts, reply.Verdicts)
	switch {
	case rm.over(reply):
		pl.end(o, event.Suppressed, reasonRoomClosed)
	case rm.retracted(o):
		pl.end(o, event.Retracted, reasonRetracted)
	case late(nowMs)(o):
		pl.end(o, event.Expired, reasonLate)
	case rm.stale(reply.Facts, o.private, factsSince(reply)):
		rm.returnOrExpire(pl, []*owed{o}, rm.privateDelivery(o, event.DeliveryCancelled, reasonStaleFact, o.private, nowMs), nowMs)
	case len(missing) > 0:
		pl.hits = append(pl.hits, verdictHit(reply, event.Private, []*owed{o}, missing, nowMs))
		pl.end(o, event.Suppressed, reasonNoVerdict)
	case o.private == "":
		pl.end(o, event.Suppressed, reasonNothingToSay)
	case !rm.hasPrivate(o):
		pl.end(o, event.Suppressed, reasonNoPrivate)
	default:
		pl.sends = append(pl.sends, send{o, o.private})
	}
}

func (rm *room) retracted(o *owed) bool { return rm.p.isRetracted(o.key()) }

func late(atMs int64) func(*owed) bool {
	return func(o *owed) bool { return atMs > o.member.SpeakByMs }
}
