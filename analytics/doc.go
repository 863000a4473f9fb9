// Package analytics is the stage that brings the log into ClickHouse.
//
// It owns the mapping of events to rows, what is redacted or hashed before it is
// stored, batching, and when offsets may be committed. It does not own tables
// (analytics/schema), the driver (analytics/clickhouse) or reads (analytics/query).
//
// Invariants: a record is acknowledged only after the insert of its rows was; the
// same record always gives the same rows, so a replay changes nothing; a block
// that is tried again carries the token it had; viewer ids leave as keyed hashes
// and phone numbers, ids, e-mail and postal addresses not at all; when the store
// is away nothing is dropped and memory stays bounded, because intake waits.
package analytics
