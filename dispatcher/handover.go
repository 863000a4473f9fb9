package dispatcher

import (
	"time"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

// handOver takes a danmaku to the room's hand-over outlet.
func (d *Dispatcher) handOver(p *partition, o event.Outcome, ack streams.Ack) {
	deadline := o.TimeMs + d.cfg.HandOverWithin.Milliseconds()
	if d.deps.Clock.NowMs() > deadline { // an old log, read for the first time
		ack(nil)
		return
	}
	h := HandOver{
		RoomID: o.RoomID, DanmakuID: o.DanmakuID, ViewerID: o.ViewerID, Intent: o.Intent, Reason: o.Reason,
		WindowID: o.WindowID, PlatformMs: o.PlatformMs,
	}
	p.work.Go(func() {
		ctx, cancel := d.deps.Clock.WithDeadline(p.ctx, time.UnixMilli(deadline))
		defer cancel()
		err := p.retry(ctx, "hand over", func() error { return d.deps.Outlets.HandOver.HandOver(ctx, h) })
		switch {
		case err == nil || fault.KindOf(err) == fault.Conflict:
			ack(nil)
		case p.isDraining():
			ack(errNotOurs)
		default:
			d.deps.Log.Error("nobody was told of a hand-over", "room_id", h.RoomID, "danmaku_id", h.DanmakuID, "err", err)
			ack(nil)
		}
	})
}
