package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

// Publisher is next, with a span for each window, reply and end of a delivery that
// is published, in the trace of its window, and counts of outcomes, guardrail hits
// and deliveries.
func (in *Instruments) Publisher(next streams.Publisher) streams.Publisher {
	if in == nil {
		return next
	}
	return publisher{in: in, next: next}
}

type publisher struct {
	in   *Instruments
	next streams.Publisher
}

// Publish implements streams.Publisher.
func (p publisher) Publish(ctx context.Context, events ...event.Event) error {
	began := time.Now()
	err := p.next.Publish(ctx, events...)
	for _, e := range events {
		if err == nil {
			p.in.live.saw(ctx, e)
		}
		switch e := e.(type) {
		case event.Window:
			p.window(ctx, &e, err)
		case *event.Window:
			p.window(ctx, e, err)
		case event.Reply:
			p.reply(ctx, &e, began, err)
		case event.Delivery:
			p.delivery(ctx, &e, err)
		}
	}
	return err
}

// window is from the first danmaku of a window to its place in the log; the first
// run is the one it waits for.
func (p publisher) window(ctx context.Context, w *event.Window, err error) {
	first := event.NewRunID(w.WindowID, 1)
	p.span(inTrace(ctx, w.WindowID, first), "send "+event.TopicWindow, p.wall(w.EarliestMs), time.Now(), err,
		destination.String(event.TopicWindow), windowID.String(string(w.WindowID)), roomID.String(string(w.RoomID)),
		variant.String(string(w.Variant)), mode.String(string(w.Mode)), members.Int(len(w.Members)))
}

func (p publisher) reply(ctx context.Context, r *event.Reply, began time.Time, err error) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = inTrace(ctx, r.ReplyID, r.RunID)
	}
	p.span(ctx, "send "+event.TopicReply, began, time.Now(), err,
		destination.String(event.TopicReply), windowID.String(string(r.ReplyID)), runID.String(string(r.RunID)))
}

// delivery is from first audio to the end, or the moment of sending.
func (p publisher) delivery(ctx context.Context, d *event.Delivery, err error) {
	if d.State == event.DeliveryStarted {
		return // its end will be the span
	}
	end := time.Now()
	began := end
	if d.FirstAudioMs > 0 {
		began = p.wall(d.FirstAudioMs)
	}
	p.span(inTrace(ctx, d.ReplyID, d.RunID), "deliver "+string(d.Channel), began, end, err,
		destination.String(event.TopicDelivery), windowID.String(string(d.ReplyID)), runID.String(string(d.RunID)),
		deliveryID.String(string(d.DeliveryID)), roomID.String(string(d.RoomID)), channel.String(string(d.Channel)),
		state.String(string(d.State)), cause.String(d.Reason))
}

func (p publisher) span(ctx context.Context, name string, began, end time.Time, err error, attrs ...attribute.KeyValue) {
	_, span := p.in.begin(ctx, name, trace.SpanKindProducer, trace.WithTimestamp(began))
	failure := ""
	if err != nil {
		failure = fault.KindOf(err).String()
	}
	finishAt(span, end, failure, append(attrs, system.String("kafka"))...)
}

// wall is about the wall instant of a room time in the recent past.
func (p publisher) wall(roomMs int64) time.Time {
	now := time.Now()
	ago := p.in.clock.Room(now).Sub(time.UnixMilli(roomMs))
	return now.Add(-p.in.clock.Wall(ago))
}
