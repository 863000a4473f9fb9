package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"livehost/internal/clock"
)

const scope = "livehost"

// Instruments are what a stage records spans and metrics with. Safe for concurrent
// use; nil records nothing.
type Instruments struct {
	tracer trace.Tracer
	clock  *clock.Clock

	operation  metric.Float64Histogram
	firstToken metric.Float64Histogram
	tokens     metric.Int64Histogram
	agent      metric.Float64Histogram
	tool       metric.Float64Histogram

	live  live
	meter metric.Meter
}

// NewInstruments makes the instruments over two providers.
func NewInstruments(spans trace.TracerProvider, meters metric.MeterProvider, clk *clock.Clock) (*Instruments, error) {
	m := meters.Meter(scope)
	in := &Instruments{tracer: spans.Tracer(scope), clock: clk, meter: m}
	var errs []error
	seconds := func(to *metric.Float64Histogram, name, what string) {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what), metric.WithExplicitBucketBoundaries(secondBuckets...))
		*to = h
		errs = append(errs, err)
	}
	seconds(&in.operation, "gen_ai.client.operation.duration", "One policy call, room time; waiting for a slot is not in it.")
	seconds(&in.firstToken, "gen_ai.client.operation.time_to_first_chunk", "From a policy call to its first token of any kind, room time.")
	seconds(&in.agent, "gen_ai.invoke_agent.duration", "One run of the agent, room time.")
	seconds(&in.tool, "gen_ai.execute_tool.duration", "One tool call, room time.")
	var err error
	in.tokens, err = m.Int64Histogram("gen_ai.client.token.usage", metric.WithUnit("{token}"),
		metric.WithDescription("Tokens of one policy call, by type."), metric.WithExplicitBucketBoundaries(tokenBuckets...))
	errs = append(errs, err)
	in.live, err = newLive(m)
	return in, errors.Join(append(errs, err)...)
}

// room is a wall duration in seconds of room time.
func (in *Instruments) room(d time.Duration) float64 { return d.Seconds() * in.clock.Speed() }

// finish ends a span now: with an error when what is not empty.
func finish(span trace.Span, what string, attrs ...attribute.KeyValue) {
	finishAt(span, time.Now(), what, attrs...)
}

func finishAt(span trace.Span, at time.Time, what string, attrs ...attribute.KeyValue) {
	if span.IsRecording() {
		span.SetAttributes(attrs...)
		if what != "" {
			span.SetAttributes(errorType.String(what))
			span.SetStatus(codes.Error, "")
		}
	}
	span.End(trace.WithTimestamp(at))
}

// failed is the labels of a measurement: with an error type when there is one.
func failed(what string, attrs ...attribute.KeyValue) metric.MeasurementOption {
	if what != "" {
		attrs = append(attrs, errorType.String(what))
	}
	return metric.WithAttributes(attrs...)
}

// begin starts a span.
func (in *Instruments) begin(ctx context.Context, name string, as trace.SpanKind, opts ...trace.SpanStartOption) (context.Context, trace.Span) {
	return in.tracer.Start(ctx, name, append(opts, trace.WithSpanKind(as))...)
}
