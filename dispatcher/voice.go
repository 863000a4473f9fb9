package dispatcher

import (
	"context"
	"errors"
	"time"

	"livehost/dispatcher/pacing"
	"livehost/dispatcher/speech"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// detached is the wall time for the last records of speech that was cut off.
const detached = 5 * time.Second

// runVoice is the room's voice: it says what waits, one item after another, and
// ends when nothing does.
func (d *Dispatcher) runVoice(rm *room) {
	for {
		it := d.next(rm)
		if it == nil {
			return
		}
		d.say(rm, it)
		_ = d.deps.Clock.Sleep(rm.p.open, pacing.Gap) // its error is the drain, seen by next
	}
}

// next takes the next item that is still in time and makes it the room's present
// speech; nil when the voice has nothing to do, and then its goroutine ends.
func (d *Dispatcher) next(rm *room) (it *item) {
	d.carryOut(rm, d.locked(rm, func(pl *plan, nowMs int64) { it = rm.pop(pl, nowMs) }))
	return it
}

// pop is next under the room's lock.
func (rm *room) pop(pl *plan, nowMs int64) *item {
	rm.rescue(pl, nowMs)
	for {
		q, ok := rm.queue.Pop()
		if !ok || rm.p.isDraining() {
			rm.running = false // what is queued stays unacknowledged
			return nil
		}
		it := q.Value
		if !rm.stillDue(pl, it, nowMs) {
			continue
		}
		rm.word(it, nowMs)
		rm.now, rm.freeAtMs = it, nowMs+it.length.Milliseconds()
		rm.rescue(pl, nowMs)
		return it
	}
}

// stillDue drops the item's danmaku that need no speech any more and reports whether
// it is to be heard. If not, it has left.
func (rm *room) stillDue(pl *plan, it *item, nowMs int64) bool {
	switch {
	case rm.over(&it.job.reply):
		rm.closedOn(pl, it, nowMs)
		return false
	case rm.muted(&it.job.reply):
		rm.mute(pl, it, nowMs)
		return false
	case rm.staleReply(&it.job.reply):
		rm.handBack(pl, it, nowMs)
		return false
	}
	reason := reasonLate
	if taken := it.split(rm.retracted); len(taken) > 0 {
		pl.endAll(taken, event.Retracted, reasonRetracted)
		reason = reasonRetracted
	}
	for _, f := range it.followers {
		pl.endAll(f.split(rm.retracted), event.Retracted, reasonRetracted)
	}
	for _, o := range it.split(late(nowMs)) {
		rm.instead(pl, o, event.Expired, reasonLate, nowMs)
	}
	if len(it.owed) > 0 || it.event() && nowMs <= it.job.reply.SpeakByMs {
		return true
	}
	if it.began || it.event() {
		rm.cancel(pl, it, reason, nowMs)
	} else {
		rm.leave(pl, it, nowMs)
	}
	return false
}

// say takes one item through the ledger, the log and the outlet.
func (d *Dispatcher) say(rm *room, it *item) {
	if !d.lastEnded(rm, it) {
		return
	}
	claim := Claim{
		Room: rm.id, Channel: d.voice(), Delivery: deliveryID(&it.job.reply, d.voice(), ""), Danmaku: ids(it.owed), Lease: d.lease(it.length),
	}
	begun, ok := d.claimSpeech(rm, it, &claim)
	if !ok {
		return
	}
	if !d.announce(rm, it) {
		return
	}
	if begun, ok = d.claimAgain(rm, it, claim, begun); !ok {
		return
	}
	ctx, hush := context.WithCancelCause(rm.p.ctx)
	defer hush(nil)
	turn := d.turn(claim, begun, func() { hush(errLeaseOver) })
	defer turn.Stop()
	if !d.makeAudible(rm, it, claim, hush) {
		return
	}
	spoken, err := d.deps.Outlets.Voice.Speak(ctx, Utterance{
		DeliveryID: claim.Delivery, RoomID: rm.id, Fence: claim.Fence, Text: it.heard, Spoken: it.spoken(), Sentences: it.script,
		Language: speech.Language(it.heard), Length: it.length, SpeakByMs: it.beginBy(rm), Open: rm.p.open, Turn: turn,
	})
	if err != nil && rm.p.ctx.Err() == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, ErrFenced) || !d.stillOurs(rm, claim, turn) {
		d.deps.Log.Warn("speech given up: the room is another's", "room_id", rm.id, "err", err)
		d.giveUp(rm, it, errNotOurs) // the later owner has said in the log how it ended
		return
	}
	if spoken.FirstAudioMs == 0 && rm.p.isDraining() {
		d.takeBack(rm, it, claim)
		return
	}
	d.afterSpeech(rm, it, claim, spoken, err)
}

// lastEnded waits until the end of the room's last speech is in the log: nothing else is
// claimed before, so that a kill leaves one speech unknowable, not two. The gap between two
// utterances is longer than that takes.
func (d *Dispatcher) lastEnded(rm *room, it *item) bool {
	if rm.lastEnd == nil {
		return true
	}
	select {
	case <-rm.lastEnd:
		return true
	case <-rm.p.open.Done():
		d.giveUp(rm, it, errNotOurs)
		return false
	}
}

// announce puts started into the log; false when that was not possible and the item is
// given up.
func (d *Dispatcher) announce(rm *room, it *item) bool {
	started := d.locked(rm, func(pl *plan, nowMs int64) {
		dl := spokenDelivery(it, d.voice(), event.DeliveryStarted, "", nowMs)
		dl.FirstAudioMs = nowMs
		pl.deliver(rm, dl)
	})
	if err := d.record(rm.p.ctx, rm, started, func() {}); err != nil {
		d.giveUp(rm, it, err)
		return false
	}
	it.began = true
	return true
}

// locked collects a plan under the room's lock.
func (d *Dispatcher) locked(rm *room, decide func(pl *plan, nowMs int64)) (pl plan) {
	rm.mu.Lock()
	defer rm.mu.Unlock()
	decide(&pl, d.deps.Clock.NowMs())
	return pl
}

// idle ends the present item under the room's lock.
func (rm *room) idle(nowMs int64) {
	rm.now, rm.hush, rm.freeAtMs = nil, nil, nowMs
}

// claimSpeech asks the ledger for the item's danmaku; false when nobody is left to
// speak for. Claims that a dead owner left open are unknowable: never respoken. The lease
// is counted from begun, before the ledger's answer: by this process's own clock it ends
// no later than by the ledger's.
func (d *Dispatcher) claimSpeech(rm *room, it *item, claim *Claim) (begun time.Time, ok bool) {
	ctx, cancel := d.deps.Clock.WithDeadline(rm.p.ctx, time.UnixMilli(it.beginBy(rm)))
	defer cancel()
	grant, begun, err := d.begin(ctx, rm, claim)
	if err == nil && len(grant.Granted) == len(claim.Danmaku) {
		return begun, true
	}
	if errors.Is(err, ErrFenced) || errors.Is(err, errNotOurs) || rm.p.ctx.Err() != nil {
		d.giveUp(rm, it, errNotOurs)
		return begun, false
	}
	d.carryOut(rm, d.locked(rm, func(pl *plan, nowMs int64) {
		rm.withoutGrant(pl, it, grant, err, nowMs)
		claim.Danmaku = ids(it.owed)
		if len(it.owed) == 0 {
			rm.idle(nowMs)
			rm.leave(pl, it, nowMs)
		}
	}))
	if len(claim.Danmaku) == 0 && err == nil {
		d.finish(rm.p.ctx, Claim{Room: rm.id, Delivery: claim.Delivery, Fence: claim.Fence}, ClaimReleased) // the voice is free again
	}
	return begun, len(claim.Danmaku) > 0
}

// withoutGrant ends the danmaku that the ledger did not grant.
func (rm *room) withoutGrant(pl *plan, it *item, grant Grant, err error, nowMs int64) {
	if err != nil {
		state, reason := event.Failed, reasonLedgerAway
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrVoiceHeld) {
			state, reason = event.Expired, reasonLate // it answers, but its turn came too late
		} else {
			rm.d.deps.Log.Error("the ledger is away, nothing said", "err", err)
		}
		for _, o := range it.split(func(*owed) bool { return true }) {
			rm.instead(pl, o, state, reason, nowMs)
		}
		if it.event() {
			pl.deliver(rm, spokenDelivery(it, rm.d.voice(), event.DeliverySkipped, reason, nowMs))
		}
		return
	}
	of := func(list []event.DanmakuID) func(*owed) bool {
		in := make(map[event.DanmakuID]bool, len(list))
		for _, id := range list {
			in[id] = true
		}
		return func(o *owed) bool { return in[o.member.DanmakuID] }
	}
	for _, o := range it.split(of(grant.Done)) {
		pl.endings = append(pl.endings, ending{o: o, state: event.Answered, reason: reasonSpoken, channel: event.Public})
	}
	for _, o := range it.split(of(grant.Skipped)) { // an earlier owner's outlet failed, perhaps with private text under way instead
		rm.instead(pl, o, event.Failed, reasonOutletFailed, nowMs)
	}
	if unknown := it.split(of(grant.Unknown)); len(unknown) > 0 {
		dl := spokenDelivery(&item{job: it.job, heard: it.heard, owed: unknown}, rm.d.voice(), event.DeliverySkipped, reasonInterrupted, nowMs)
		pl.deliver(rm, dl)
		pl.endAll(unknown, event.Failed, reasonInterrupted)
	}
}

// begin claims with the room's fence, acquiring it first when there is none. When
// the ledger refused before ctx ended, that is the error, not ctx's end; errNotOurs when
// the partition began to drain meanwhile: the next owner claims. at is when the last call
// began.
func (d *Dispatcher) begin(ctx context.Context, rm *room, claim *Claim) (grant Grant, at time.Time, err error) {
	var refused error
	err = rm.p.retry(ctx, "claim", func() error {
		fence, err := rm.owner(ctx)
		if err == nil {
			claim.Fence, at = fence, time.Now()
			grant, err = d.deps.Ledger.Begin(ctx, *claim)
		}
		if err != nil && ctx.Err() == nil {
			refused = err
		}
		return err
	})
	switch {
	case rm.p.isDraining():
		if err == nil {
			claim.Danmaku = grant.Granted
			d.finish(rm.p.ctx, *claim, ClaimReleased)
		}
		return Grant{}, at, errNotOurs
	case err != nil && refused != nil:
		return grant, at, refused
	}
	return grant, at, err
}

// owner is the room's fence.
func (rm *room) owner(ctx context.Context) (int64, error) {
	rm.acquire.Lock()
	defer rm.acquire.Unlock()
	if rm.fence == 0 {
		if err := rm.d.pulse.sure(ctx); err != nil { // or it would shut the true owner out
			return 0, err
		}
		fence, err := rm.d.deps.Ledger.Acquire(ctx, rm.id)
		if err != nil {
			return 0, err
		}
		rm.fence = fence
	}
	return rm.fence, nil
}

// finish tells the ledger how a claim ended. The log already has it, so an error
// costs nothing but a doubt that the next owner resolves from the log.
func (d *Dispatcher) finish(ctx context.Context, claim Claim, state ClaimState) {
	if err := d.deps.Ledger.Finish(ctx, claim, state); err != nil && ctx.Err() == nil {
		d.deps.Log.Warn("ledger did not take the end of a claim", "err", err)
	}
}

// makeAudible is the last check, after started is in the log and before the first
// audio: from here on a retraction comes too late.
func (d *Dispatcher) makeAudible(rm *room, it *item, claim Claim, hush context.CancelCauseFunc) (due bool) {
	if rm.p.isDraining() {
		d.takeBack(rm, it, claim)
		return false
	}
	d.carryOut(rm, d.locked(rm, func(pl *plan, nowMs int64) {
		if due = rm.stillDue(pl, it, nowMs); !due {
			rm.idle(nowMs)
			return
		}
		rm.hush = hush
	}))
	if !due {
		d.finish(rm.p.ctx, claim, ClaimReleased)
	}
	return due
}

// takeBack cancels speech that was announced and had not begun when the partition was
// given up: the next owner decides anew.
func (d *Dispatcher) takeBack(rm *room, it *item, claim Claim) {
	ctx, cancel := clock.Outlasting(rm.p.ctx, detached)
	defer cancel()
	pl := d.locked(rm, func(pl *plan, nowMs int64) {
		pl.deliver(rm, spokenDelivery(it, d.voice(), event.DeliveryCancelled, reasonHandedOn, nowMs))
	})
	_ = d.record(ctx, rm, pl, func() {}) // without it the next owner takes it for interrupted
	d.finish(ctx, claim, ClaimReleased)
	d.giveUp(rm, it, errNotOurs)
}

// afterSpeech records how it went, while the room goes on. Ended is acknowledged
// before the outcomes, so that a crash in between is known to have been heard.
func (d *Dispatcher) afterSpeech(rm *room, it *item, claim Claim, spoken Spoken, err error) {
	var then plan // what else follows: it may start speech and sends
	end := d.locked(rm, func(pl *plan, nowMs int64) {
		answered := *it // as it was heard
		rm.idle(nowMs)
		state, reason := rm.howItEnded(&then, it, spoken, err, nowMs)
		if state == event.DeliveryEnded && answered.shortened {
			reason = reasonShortened
		}
		dl := spokenDelivery(&answered, d.voice(), state, reason, nowMs)
		dl.FirstAudioMs, dl.EndMs = spoken.FirstAudioMs, spoken.EndMs
		if state == event.DeliveryInterrupted {
			dl.Text = it.begun(spoken.Sentences)
		}
		pl.deliver(rm, dl)
		pl.deliveries = append(pl.deliveries, then.deliveries...)
		pl.hits, pl.endings, pl.release = then.hits, then.endings, then.release
		if it.event() {
			pl.release = append(pl.release, it.job)
		}
	})
	d.carryOut(rm, plan{sends: then.sends, speak: then.speak})
	state := ClaimSpoken
	if spoken.FirstAudioMs == 0 {
		state = ClaimSkipped
	}
	lastEnd := make(chan struct{})
	rm.lastEnd = lastEnd
	rm.p.work.Go(func() {
		ctx, cancel := clock.Outlasting(rm.p.ctx, detached) // the end of the drain cuts speech off, not the record of its end
		defer cancel()
		_ = d.record(ctx, rm, end, func() { close(lastEnd) }) // an error has reached the replies' acknowledgements
		d.finish(ctx, claim, state)
	})
}

// howItEnded ends the item's danmaku and its followers.
func (rm *room) howItEnded(pl *plan, it *item, spoken Spoken, err error, nowMs int64) (event.DeliveryState, string) {
	followers := it.followers
	it.followers = nil
	if err == nil {
		rm.wasHeard(pl, it, followers, spoken, nowMs)
		return event.DeliveryEnded, ""
	}
	defer func() {
		for _, f := range followers {
			rm.route(pl, f, nowMs)
		}
	}()
	switch {
	case spoken.FirstAudioMs > 0:
		rm.d.deps.Log.Warn("speech cut off", "room_id", rm.id, "estimated", it.length, "heard_ms", nowMs-spoken.FirstAudioMs, "err", err)
		pl.endAll(it.owed, event.Failed, reasonInterrupted)
		return event.DeliveryInterrupted, reasonInterrupted
	case errors.Is(err, errVoiceStopped):
		for _, o := range it.owed {
			rm.written(pl, o, event.Suppressed, reasonVoiceStopped, nowMs)
		}
		return event.DeliveryCancelled, reasonVoiceStopped
	case errors.Is(err, ErrLate):
		for _, o := range it.owed {
			rm.instead(pl, o, event.Expired, reasonLate, nowMs)
		}
		return event.DeliveryCancelled, reasonLate
	default:
		rm.d.deps.Log.Error("the outlet could not speak", "outlet", rm.d.voice(), "err", err)
		for _, o := range it.owed {
			rm.instead(pl, o, event.Failed, reasonOutletFailed, nowMs)
		}
		return event.DeliveryCancelled, reasonOutletFailed
	}
}

// wasHeard ends the danmaku of an item that was said to its end. Its followers heard
// it too, unless it began after their time.
func (rm *room) wasHeard(pl *plan, it *item, followers []*item, spoken Spoken, nowMs int64) {
	for _, o := range it.owed {
		pl.endings = append(pl.endings, ending{o: o, state: event.Answered, reason: reasonSpoken, channel: event.Public})
	}
	reply := &it.job.reply
	said := heardIn(it, spoken.EndMs)
	if spoken.FirstAudioMs >= rm.sinceMs { // else those who watch now did not hear it
		rm.worded(it.heard, spoken.EndMs)
		if !rm.outdated(reply) { // since it began
			rm.remember(reply.QuestionKey, it.by, said)
		}
	}
	for _, f := range followers {
		pl.endAll(f.split(late(spoken.FirstAudioMs)), event.Expired, reasonLate)
		if len(f.owed) > 0 {
			rm.heardIt(pl, f, said, nowMs)
		}
	}
}

// giveUp leaves the replies of the item and its followers unacknowledged, or stops
// the partition when err says so.
func (d *Dispatcher) giveUp(rm *room, it *item, err error) {
	jobs := []*job{it.job}
	rm.mu.Lock()
	rm.idle(d.deps.Clock.NowMs())
	for _, list := range append([]*item{it}, it.followers...) {
		for _, o := range list.owed {
			delete(rm.pending, o.member.DanmakuID)
			jobs = append(append(jobs, o.job), o.also...)
		}
	}
	rm.mu.Unlock()
	for _, j := range jobs {
		j.end(err)
	}
}
