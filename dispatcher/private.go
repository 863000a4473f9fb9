package dispatcher

import (
	"context"
	"errors"
	"time"

	"livehost/internal/fault"
	"livehost/streams/event"
)

// send takes one private text through the ledger, the outlet and the log. Text is
// sent before it is in the log, so a crash in between sends it again with the same
// id, which the platform recognises.
func (d *Dispatcher) send(rm *room, s send) {
	slot, ok := d.waitForSlot(rm, s)
	if !ok {
		return
	}
	select {
	case d.sends <- struct{}{}:
		defer func() { <-d.sends }()
	case <-rm.p.open.Done():
		s.o.job.end(errNotOurs)
		return
	}
	m := s.o.member
	ctx, cancel := d.deps.Clock.WithDeadline(rm.p.ctx, time.UnixMilli(m.SpeakByMs))
	defer cancel()
	outlet := d.deps.Outlets.Private
	text := PrivateText{
		DeliveryID: deliveryID(&s.o.job.reply, outlet.Name(), m.DanmakuID),
		RoomID:     rm.id, ViewerID: m.ViewerID, DanmakuID: m.DanmakuID, Text: s.text,
	}
	claim := Claim{Room: rm.id, Channel: ChannelPrivate, Delivery: text.DeliveryID, Danmaku: []event.DanmakuID{m.DanmakuID}}
	grant, _, err := d.begin(ctx, rm, &claim)
	if err == nil && len(grant.Done) == 0 { // what was given up, or is unknowable, is tried again: the id is the same
		if pl, over := d.overtaken(rm, s); over {
			d.finish(rm.p.ctx, claim, ClaimReleased)
			rm.unwrite(slot)
			d.carryOut(rm, pl)
			return
		}
		err = rm.p.retry(ctx, "send private text", func() error { return outlet.Send(ctx, text) })
	}
	if rm.p.ctx.Err() != nil || errors.Is(err, ErrFenced) || err != nil && rm.p.isDraining() {
		s.o.job.end(errNotOurs)
		return
	}
	if err != nil {
		rm.unwrite(slot)
	}
	d.sent(rm, s, claim, err)
}

// waitForSlot keeps the platform's limits: it waits for the moment at which the text may be
// sent. When there is none in time the danmaku has ended, and ok is false.
func (d *Dispatcher) waitForSlot(rm *room, s send) (slot *written, ok bool) {
	refused := d.locked(rm, func(pl *plan, nowMs int64) {
		var reason string
		if slot, reason = rm.write(s.o.member.ViewerID, s.text, s.o.ended, nowMs, s.o.member.SpeakByMs); reason == "" {
			return
		}
		state := event.Expired
		if reason == reasonRepeat {
			state = event.Suppressed
		}
		pl.deliver(rm, rm.privateDelivery(s.o, event.DeliverySkipped, reason, s.text, nowMs))
		pl.end(s.o, state, reason)
	})
	if slot == nil {
		d.carryOut(rm, refused)
		return nil, false
	}
	if d.deps.Clock.Sleep(rm.p.open, time.Duration(slot.atMs-d.deps.Clock.NowMs())*time.Millisecond) != nil {
		s.o.job.end(errNotOurs)
		return nil, false
	}
	return slot, true
}

// overtaken is how the danmaku ends when the room changed before its text was sent.
func (d *Dispatcher) overtaken(rm *room, s send) (plan, bool) {
	over := true
	pl := d.locked(rm, func(pl *plan, nowMs int64) {
		reply := &s.o.job.reply
		switch {
		case rm.over(reply):
			pl.end(s.o, event.Suppressed, reasonRoomClosed)
		case rm.retracted(s.o):
			pl.end(s.o, event.Retracted, reasonRetracted)
		case late(nowMs)(s.o):
			pl.end(s.o, event.Expired, reasonLate)
		case !rm.hasPrivate(s.o):
			pl.end(s.o, event.Suppressed, reasonNoPrivate)
		case rm.stale(reply.Facts, s.text, factsSince(reply)):
			rm.returnOrExpire(pl, []*owed{s.o}, rm.privateDelivery(s.o, event.DeliveryCancelled, reasonStaleFact, s.text, nowMs), nowMs)
		default:
			over = false
		}
	})
	return pl, over
}

// sent records how the sending ended.
func (d *Dispatcher) sent(rm *room, s send, claim Claim, err error) {
	pl := d.locked(rm, func(pl *plan, nowMs int64) {
		if err == nil {
			dl := rm.privateDelivery(s.o, event.DeliverySent, "", s.text, nowMs)
			dl.FirstAudioMs, dl.EndMs = nowMs, nowMs
			pl.deliver(rm, dl)
			pl.endings = append(pl.endings, ending{o: s.o, state: event.Answered, reason: reasonPrivateText, channel: event.Private})
			return
		}
		state, reason := event.Failed, reasonOutletFailed
		if kind := fault.KindOf(err); late(nowMs)(s.o) || kind == fault.Unavailable || kind == fault.Exhausted {
			state, reason = event.Expired, reasonLate // it was tried for as long as there was time
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			d.deps.Log.Error("private text was not sent", "outlet", d.deps.Outlets.Private.Name(), "err", err)
		}
		pl.deliver(rm, rm.privateDelivery(s.o, event.DeliveryCancelled, reason, s.text, nowMs))
		pl.end(s.o, state, reason)
	})
	d.carryOut(rm, pl)
	if err == nil {
		d.finish(rm.p.ctx, claim, ClaimSent)
		return
	}
	d.finish(rm.p.ctx, claim, ClaimSkipped)
}
