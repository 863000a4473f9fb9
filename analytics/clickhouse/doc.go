// Package clickhouse is the analytics store on ClickHouse: it implements the
// sink's Store and runs the queries of analytics/query. It is the only importer of
// clickhouse-go.
//
// It owns the connection, batches and the classification of errors. It does not
// own tables (analytics/schema) or SQL text (analytics/query).
//
// Invariants: one goroutine per batch, every batch is closed; a block carries a
// deduplication token, so that one which comes again is not stored again; "too many
// parts" is fault.Exhausted and an unreachable server fault.Unavailable.
package clickhouse
