package telemetry

import (
	"context"
	"log/slog"
	"sync/atomic"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// away logs an exporter's failures: the first, and that they are over. The SDK
// itself would tell its global handler every one of them.
type away struct {
	log  *slog.Logger
	what string
	now  atomic.Bool
}

func (a *away) note(ctx context.Context, err error) {
	switch was := a.now.Swap(err != nil); {
	case err != nil && !was:
		a.log.WarnContext(ctx, "telemetry is not exported", "what", a.what, "err", err)
	case err == nil && was:
		a.log.InfoContext(ctx, "telemetry is exported again", "what", a.what)
	}
}

type spanExporter struct {
	sdktrace.SpanExporter
	away away
}

// ExportSpans sends spans; a failure is logged and over.
func (e *spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	e.away.note(ctx, e.SpanExporter.ExportSpans(ctx, spans))
	return nil
}

type metricExporter struct {
	sdkmetric.Exporter
	away away
}

// Export sends metrics; a failure is logged and over.
func (e *metricExporter) Export(ctx context.Context, rm *metricdata.ResourceMetrics) error {
	e.away.note(ctx, e.Exporter.Export(ctx, rm))
	return nil
}
