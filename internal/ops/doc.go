// Package ops is a process's small HTTP server for those who run it: /healthz,
// which answers while the process serves, and /metrics in Prometheus's format.
//
// It owns the listener. What is measured is collected by whoever knows it; the
// collector of the event log's consumers is here, since it needs no SDK.
//
// Invariants: labels come from closed lists (group, topic, partition); a room is
// never a label.
package ops
