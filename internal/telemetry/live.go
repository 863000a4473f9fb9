package telemetry

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/metric"

	"livehost/streams/event"
)

// live counts what becomes of danmaku, as the stages publish it. A record that is
// published again, after a crash, is counted again: these are for alerts, the true
// numbers are in ClickHouse.
type live struct {
	outcomes   metric.Int64Counter
	hits       metric.Int64Counter
	deliveries metric.Int64Counter
	reply      metric.Float64Histogram
}

func newLive(m metric.Meter) (l live, err error) {
	var errs [4]error
	l.outcomes, errs[0] = m.Int64Counter("livehost.outcomes", metric.WithDescription("Danmaku by the state they ended in, its reason, and the stage that says so."))
	l.hits, errs[1] = m.Int64Counter("livehost.guardrail.hits", metric.WithDescription("Guardrail hits by rule and action."))
	l.deliveries, errs[2] = m.Int64Counter("livehost.deliveries", metric.WithDescription("Deliveries by channel, state and reason."))
	l.reply, errs[3] = m.Float64Histogram("livehost.reply.latency", metric.WithUnit("s"), metric.WithDescription("From a danmaku that was placed in a window to its reply, room time; a miss is over 15 s."),
		metric.WithExplicitBucketBoundaries(secondBuckets...))
	return l, errors.Join(errs[:]...)
}

// Rooms shows how many rooms the process has, of each kind, whenever the metrics are
// read: active ones, those of which danmaku have stopped, and those put away. Which ones
// they are is no label.
func (in *Instruments) Rooms(count func() (active, quiet, parked int64)) error {
	if in == nil {
		return nil
	}
	_, err := in.meter.Int64ObservableGauge("livehost.rooms", metric.WithDescription("Rooms that are active, quiet (talkative a while ago, no danmaku since) and parked."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			active, quiet, parked := count()
			o.Observe(active, metric.WithAttributes(state.String("active")))
			o.Observe(quiet, metric.WithAttributes(state.String("quiet")))
			o.Observe(parked, metric.WithAttributes(state.String("parked")))
			return nil
		}))
	return err
}

// saw counts an event that was published.
func (l live) saw(ctx context.Context, e event.Event) {
	switch e := e.(type) {
	case event.Outcome:
		l.outcomes.Add(ctx, 1, metric.WithAttributes(state.String(string(e.State)), cause.String(e.Reason), stage.String(e.By), variant.String(string(e.Variant))))
		if seconds, due := replyLatency(e); due {
			l.reply.Record(ctx, seconds, metric.WithAttributes(variant.String(string(e.Variant))))
		}
	case event.GuardrailHit:
		l.hits.Add(ctx, 1, metric.WithAttributes(rule.String(e.Rule), action.String(e.Action), stage.String(e.Stage), variant.String(string(e.Variant))))
	case event.Delivery:
		l.deliveries.Add(ctx, 1, metric.WithAttributes(channel.String(string(e.Channel)), state.String(string(e.State)), cause.String(e.Reason), variant.String(string(e.Variant))))
	}
}

// missSeconds is the latency of who got no reply in time: over what is promised.
const missSeconds = 15.001

// replyLatency is that of v_latency: from the danmaku to its reply, of those that were
// placed in a window and are due one. Who was merged into an answer that there was already
// waited for none.
func replyLatency(o event.Outcome) (seconds float64, due bool) {
	switch o.State {
	case event.Silent, event.HandedOver, event.Retracted, event.Suppressed:
		return 0, false
	case event.Answered, event.Merged:
		if o.ReplyMs > 0 {
			return min(float64(max(o.ReplyMs-o.PlatformMs, 0))/1000, missSeconds), o.Admitted
		}
	}
	return missSeconds, o.Admitted
}
