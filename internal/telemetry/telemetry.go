package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	nooptrace "go.opentelemetry.io/otel/trace/noop"

	"livehost/internal/clock"
)

// Config says where telemetry goes. Without an endpoint here or in the
// environment (OTEL_EXPORTER_OTLP_ENDPOINT and its like) nothing is exported; the
// environment's further OTEL_EXPORTER_OTLP_ variables (headers, certificates,
// timeouts) and OTEL_SERVICE_NAME hold in any case.
type Config struct {
	OTLPEndpoint string        `yaml:"otlp_endpoint"` // base URL of an OTLP/HTTP collector, as http://collector:4318; empty: the environment's, or no export
	Sample       float64       `yaml:"sample"`        // share of the windows that are traced, 0 to 1; the same ones in every process
	Interval     time.Duration `yaml:"interval"`      // wall; between two exports of metrics
}

// DefaultConfig traces everything, where it is sent anywhere.
func DefaultConfig() Config { return Config{Sample: 1, Interval: 15 * time.Second} }

// Validate lists every problem.
func (c Config) Validate() error {
	var errs []error
	if c.OTLPEndpoint != "" {
		u, err := url.Parse(c.OTLPEndpoint)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			errs = append(errs, fmt.Errorf("otlp_endpoint: %q is not an http or https address", c.OTLPEndpoint))
		}
	}
	if c.Sample < 0 || c.Sample > 1 {
		errs = append(errs, fmt.Errorf("sample: %v is not between 0 and 1", c.Sample))
	}
	if c.Interval <= 0 {
		errs = append(errs, fmt.Errorf("interval: %v is not positive", c.Interval))
	}
	return errors.Join(errs...)
}

// exportVariables are the environment's words for where to.
var exportVariables = []string{
	"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
}

// exports reports whether anything leaves the process.
func (c Config) exports() bool {
	if c.OTLPEndpoint != "" {
		return true
	}
	for _, name := range exportVariables {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}

// Deps are the collaborators.
type Deps struct {
	Clock   *clock.Clock
	Log     *slog.Logger
	Scraped bool     // the metrics are to be seen by a Prometheus collector
	Targets []string // what the process runs
}

// Telemetry is the providers of one process.
type Telemetry struct {
	instruments *Instruments
	metrics     *prometheus.Registry // nil: not scraped
	log         *slog.Logger
	stop        []func(context.Context) error
}

// New makes what cfg and deps ask for; nothing at all when nobody looks.
func New(ctx context.Context, cfg Config, deps Deps) (*Telemetry, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	t := &Telemetry{log: deps.Log}
	if !cfg.exports() && !deps.Scraped {
		return t, nil
	}
	about, err := describe(ctx, deps.Targets)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	spans, err := t.tracing(ctx, cfg, deps, about)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	meters, err := t.metering(ctx, cfg, deps, about)
	if err != nil {
		t.Shutdown(ctx)
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	t.instruments, err = NewInstruments(spans, meters, deps.Clock)
	return t, err
}

// describe is the process as a resource.
func describe(ctx context.Context, targets []string) (*resource.Resource, error) {
	return resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "livehost"), attribute.StringSlice("livehost.targets", targets)),
		resource.WithHost(), resource.WithProcessPID(), resource.WithTelemetrySDK(), resource.WithFromEnv())
}

func (t *Telemetry) tracing(ctx context.Context, cfg Config, deps Deps, about *resource.Resource) (trace.TracerProvider, error) {
	if !cfg.exports() {
		return nooptrace.NewTracerProvider(), nil
	}
	var opts []otlptracehttp.Option
	if cfg.OTLPEndpoint != "" {
		opts = append(opts, otlptracehttp.WithEndpointURL(signalURL(cfg.OTLPEndpoint, "v1/traces")))
	}
	exporter, err := otlptracehttp.New(ctx, opts...)
	if err != nil {
		return nil, err
	}
	logged := &spanExporter{SpanExporter: exporter, away: away{log: deps.Log, what: "spans"}}
	tp := sdktrace.NewTracerProvider(append(Linked(cfg.Sample), sdktrace.WithResource(about), sdktrace.WithBatcher(logged))...)
	t.stop = append(t.stop, tp.Shutdown)
	return tp, nil
}

func (t *Telemetry) metering(ctx context.Context, cfg Config, deps Deps, about *resource.Resource) (metric.MeterProvider, error) {
	opts := []sdkmetric.Option{sdkmetric.WithResource(about)}
	if deps.Scraped {
		t.metrics = prometheus.NewRegistry()
		reader, err := otelprometheus.New(otelprometheus.WithRegisterer(t.metrics), otelprometheus.WithoutScopeInfo(), otelprometheus.WithoutTargetInfo())
		if err != nil {
			return nil, err
		}
		opts = append(opts, sdkmetric.WithReader(reader))
	}
	if cfg.exports() {
		var to []otlpmetrichttp.Option
		if cfg.OTLPEndpoint != "" {
			to = append(to, otlpmetrichttp.WithEndpointURL(signalURL(cfg.OTLPEndpoint, "v1/metrics")))
		}
		exporter, err := otlpmetrichttp.New(ctx, to...)
		if err != nil {
			return nil, err
		}
		logged := &metricExporter{Exporter: exporter, away: away{log: deps.Log, what: "metrics"}}
		opts = append(opts, sdkmetric.WithReader(sdkmetric.NewPeriodicReader(logged, sdkmetric.WithInterval(cfg.Interval))))
	}
	if len(opts) == 1 {
		return noop.NewMeterProvider(), nil
	}
	mp := sdkmetric.NewMeterProvider(opts...)
	t.stop = append(t.stop, mp.Shutdown)
	return mp, nil
}

func signalURL(base, path string) string {
	u, err := url.JoinPath(base, path)
	if err != nil { // Validate has parsed it
		return base
	}
	return u
}

// Instruments are what the stages record with; nil when nobody looks.
func (t *Telemetry) Instruments() *Instruments { return t.instruments }

// Collector is the metrics for a Prometheus registry; nil when they are not scraped.
func (t *Telemetry) Collector() prometheus.Collector {
	if t.metrics == nil {
		return nil
	}
	return t.metrics
}

// lastExport bounds what a stopping process waits for a collector, wall time.
const lastExport = 3 * time.Second

// Shutdown sends what is not sent yet, for a short while. What cannot be sent is lost
// and no failure: telemetry neither fails nor holds up a process.
func (t *Telemetry) Shutdown(ctx context.Context) {
	ctx, cancel := clock.WithWallTimeout(ctx, lastExport)
	defer cancel()
	for _, stop := range t.stop {
		if err := stop(ctx); err != nil {
			t.log.WarnContext(ctx, "telemetry was not sent to its end", "err", err)
		}
	}
}
