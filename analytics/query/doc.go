// Package query is what analysts, on-call and the console ask of the analytics
// store: the SQL text of every question, the shape of its answer, and how an
// answer is printed for people. It is pure; analytics/clickhouse asks.
//
// It owns the reading SQL and the judgement of an experiment report (when a
// verdict is blocked). It does not own metric definitions: those are the v_* views
// of analytics/schema, described in docs/metrics.md.
//
// Invariants: values reach the SQL as typed parameters, never as text; an answer
// without data says so with zero counts or a reason, never with NaN; every type
// has a JSON form and a table form.
package query
