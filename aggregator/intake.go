package aggregator

import (
	"slices"
	"time"

	"livehost/aggregator/cluster"
	"livehost/aggregator/filter"
	"livehost/aggregator/text"
	"livehost/streams"
	"livehost/streams/event"
)

// The reasons of outcomes written here, beside the filter's.
const (
	reasonTooOld       = "too_old"            // past answer_by when it came
	reasonWaited       = "waited"             // answer_by passed while it waited
	reasonStaleFact    = "stale_fact"         // its answer was cancelled and there is no time for another
	reasonRetracted    = "retracted"          //
	reasonClosed       = "room_closed"        //
	reasonCapacity     = "capacity"           // no window reaches it in time
	reasonLowClass     = "capacity_low_class" // the same, and it was chat
	reasonSpeech       = "speech_queue"       // too much speech queued to be heard in time
	reasonNotCovered   = "not_covered"        // two replies did not cover it
	reasonSameQuestion = "same_question"      // merged into one that was waiting or in a window
	reasonCooledDown   = "cooled_down"        // merged into an answer heard a short while ago
	reasonCoverLost    = "cover_lost"         // what it was merged into never ended
)

// onDanmaku takes one danmaku. Its record is acknowledged when its outcome is in
// the log. What is kept of d is copied.
func (r *room) onDanmaku(d event.Danmaku, appended, received time.Time, ack streams.Ack) {
	now := r.nowMs()
	r.p.a.stats.danmaku.Add(1)
	if !r.context.air.Closed {
		r.pulse.beat(now, r.cfg().QuietAfter.Milliseconds())
	}
	if it := r.items[d.DanmakuID]; it != nil {
		if it.ack == nil { // restored from its window: here is its record
			it.ack, it.received = ack, received
			return
		}
		r.p.a.stats.duplicates.Add(1)
		r.ackAfter(ack)
		return
	}
	if r.known.has(string(d.DanmakuID)) {
		r.known.add(string(d.DanmakuID), now) // who plays it again may do so again
		r.p.a.stats.duplicates.Add(1)
		r.ackAfter(ack)
		return
	}
	ownAll((*string)(&d.DanmakuID), (*string)(&d.ViewerID), (*string)(&d.ReplyTo), &d.ViewerName, &d.Text)
	platform := r.saidMs(d, appended)
	it := &item{
		ack: ack, received: received, arrivedMs: now,
		member: event.Member{
			DanmakuID: d.DanmakuID, ViewerID: d.ViewerID, ReplyTo: d.ReplyTo, Ask: 1, PlatformMs: platform,
			AnswerByMs: platform + r.cfg().AnswerBy.Milliseconds(), SpeakByMs: platform + r.cfg().SpeakBy.Milliseconds(),
		},
	}
	if state, reason := r.turnedAway(d, it, now); state != "" {
		r.refuse(it, state, reason, now)
		return
	}
	r.hearOf(d, platform)
	it.broadcast = r.context.named(d.BroadcastID)
	it.variant = r.assign(d.ViewerID)
	t := text.Clean(d.Text, r.context.settings.Language)
	v := filter.Check(r.p.a.words.Load(), r.limiter, d.ViewerID, t, now, func() bool { return r.asks(it, t, d.ViewerName) })
	if v.Reason != filter.None {
		r.expose(markBucketed, it.variant, d.ViewerID, "", platform)
		r.hit(it, v, now)
		r.refuse(it, event.Filtered, string(v.Reason), now)
		return
	}
	r.expose(markBucketed|markExposed, it.variant, d.ViewerID, d.DanmakuID, platform)
	r.understand(it, t, d.ViewerName)
	r.items[d.DanmakuID] = it
	r.admit(it, now)
}

// turnedAway decides what needs no text: cheap, and first. It says state "" for
// what goes on.
func (r *room) turnedAway(d event.Danmaku, it *item, nowMs int64) (event.State, string) {
	switch {
	case r.gone.has(string(d.DanmakuID)):
		return event.Retracted, reasonRetracted
	case d.Host, !d.ViewerID.Anonymous() && slices.Contains(r.context.settings.HostIDs, d.ViewerID):
		return event.Filtered, string(filter.Host)
	case d.Mirror:
		return event.Filtered, string(filter.Mirror)
	case d.Test:
		return event.Filtered, string(filter.Test)
	case nowMs > it.member.AnswerByMs:
		return event.Expired, reasonTooOld
	case r.ofBefore(it), r.context.air.Before(d.BroadcastID):
		return event.Filtered, string(filter.History)
	case r.context.air.Closed && !r.context.air.Follows(d.BroadcastID, it.member.PlatformMs):
		return event.Shed, reasonClosed
	default:
		return "", ""
	}
}

// openGraceMs is how much earlier than room_opened a comment of the broadcast may be.
const openGraceMs = 5000

// refuse ends a danmaku that never was in the room's books.
func (r *room) refuse(it *item, state event.State, reason string, nowMs int64) {
	o := r.outcome(it, state, reason, nowMs)
	o.Eligible = false
	r.emit(o)
	r.known.add(string(it.member.DanmakuID), nowMs)
	r.ackAfter(it.ack)
}

func (r *room) understand(it *item, t text.Text, viewerName string) {
	m := &it.member
	m.ViewerName = r.spokenName(viewerName)
	m.Text, m.Question, m.Language, m.Truncated = t.Original, t.Question, t.Language, t.Truncated
	r.read(it)
}

// asks reports whether the danmaku asks something: it is no chat.
func (r *room) asks(it *item, t text.Text, viewerName string) bool {
	r.understand(it, t, viewerName)
	return it.reading.Asks()
}

// spokenName is a viewer's name as it may be read out: without signs, and none at
// all when it is itself bait, abuse or a long number.
func (r *room) spokenName(name string) string {
	const longest = 32
	t := text.Clean(name, text.Chinese)
	if r.p.a.words.Load().Judge(t).Reason != filter.None {
		return ""
	}
	return text.Truncate(t.Question, longest)
}

// read says what the danmaku asks, of the product in focus at its time.
func (r *room) read(it *item) {
	m := &it.member
	m.FocusLink, _ = r.context.focusAt(m.PlatformMs)
	it.reading = cluster.Read(cluster.Asked{
		DanmakuID: m.DanmakuID, ViewerID: m.ViewerID, Question: m.Question, Language: m.Language, Focus: m.FocusLink,
	})
	m.Intent, m.Key = string(it.reading.Intent), it.reading.Key
}

// admit merges the danmaku or lets it wait.
func (r *room) admit(it *item, nowMs int64) {
	q := it.question()
	if c := r.cooling[q]; c != nil && nowMs < c.untilMs {
		o := r.outcome(it, event.Merged, reasonCooledDown, nowMs)
		switch {
		case c.silence != "":
			o.State, o.Reason = event.Silent, c.silence
		case !it.chat() && !slices.Contains(c.viewers, hashOf(it.member.ViewerID)): // who has come since may get it in writing
			o.SpeakByMs = it.member.SpeakByMs
		}
		o.CoverID, o.ReplyMs = c.danmaku, c.replyMs
		r.emit(o)
		r.noteLater(c.delivery, it)
		r.forget(it, o, nowMs)
		return
	}
	if c := r.covers[q]; c != nil {
		it.place, it.cover = attached, c
		r.merged++
		c.joined = append(c.joined, it)
		return
	}
	r.wait(it)
}

// wait puts the danmaku into the backlog; the next of the same question joins it.
func (r *room) wait(it *item) {
	it.place = waiting
	r.waiting = append(r.waiting, it)
	if q := it.question(); r.covers[q] == nil {
		r.covers[q] = it
	}
}

// hit records a guardrail hit.
func (r *room) hit(it *item, v filter.Verdict, nowMs int64) {
	if !v.Reason.Hit() {
		return
	}
	r.emit(event.GuardrailHit{
		Schema: event.SchemaVersion, HitID: stageName + "|" + string(r.id) + "|" + string(it.member.DanmakuID) + "|" + string(v.Reason), RoomID: r.id,
		DanmakuIDs: []event.DanmakuID{it.member.DanmakuID}, Variant: it.variant.Variant, Rule: string(v.Reason), Version: r.p.a.words.Load().Version(),
		Stage: stageName, Point: "filter", Span: v.Span, Action: "filter", TimeMs: nowMs,
	})
}
