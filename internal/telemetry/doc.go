// Package telemetry is what a process tells OpenTelemetry: spans and metrics by
// the GenAI semantic conventions.
//
// It owns the providers, their export (OTLP over HTTP, and the Prometheus
// collector of ops /metrics), the conventions' names and buckets, and the ids that
// join the stages' spans. It does not own what is worth a span: the stages say so.
// It changes nothing global.
//
// Invariants: no text of a viewer, a prompt, a tool or a reply is in a span or a
// metric, those are in trajectory.v1; no room, window or viewer is a metric's
// label; a nil *Instruments records nothing and costs nothing; an exporter that
// is away is logged once and holds nothing up.
//
// The trace id is made of the window id and the id of its first span of the run
// id, so that every stage adds to the trace of a window without a header through
// the log, and a window's trace is found by its id. Durations of metrics are room
// time, in which the budgets are; times of spans are wall time.
package telemetry
