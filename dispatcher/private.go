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
	select {
	case d.sends <- struct{}{}:
		defer func() { <-d.sends }()
	case <-rm.p.ctx.Done():
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
	if err == nil && len(grant.Done) == 0 {
		if end, over := d.overtaken(rm, s.o); over {
			d.finish(rm.p.ctx, claim, ClaimReleased)
			d.carryOut(rm, plan{endings: []ending{end}})
			return
		}
		err = d.retry(ctx, "send private text", func() error { return outlet.Send(ctx, text) })
	}
	if rm.p.ctx.Err() != nil || errors.Is(err, ErrFenced) {
		s.o.job.end(errNotOurs)
		return
	}
	d.sent(rm, s, claim, err)
}

// overtaken is how the danmaku ends when the room changed before its text was sent.
func (d *Dispatcher) overtaken(rm *room, o *owed) (ending, bool) {
	rm.mu.Lock()
	defer rm.mu.Unlock()
	switch nowMs := d.deps.Clock.NowMs(); {
	case rm.closed:
		return ending{o: o, state: event.Suppressed, reason: reasonRoomClosed}, true
	case rm.retracted(o):
		return ending{o: o, state: event.Retracted, reason: reasonRetracted}, true
	case late(nowMs)(o):
		return ending{o: o, state: event.Expired, reason: reasonLate}, true
	}
	return ending{}, false
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
