// Package services starts the real servers that tests and the fault suite run
// against, without Docker: Apache Kafka (brokers from Maven Central, in KRaft
// mode), Redis (the machine's own, from Debian's packages) and the embedded
// ClickHouse engine on a port. All of them listen on loopback only.
//
// It owns their processes: fetching, ports, settings, data, readiness and end. It
// does not own what is kept in them.
//
// Invariants: everything lives below one state directory, which remembers how
// each server is started, so that another program can go on with the set; a
// process is ended by the id that was remembered, and only while it is the very
// process that was started (its start time is remembered, too); Up returns when
// every server answers.
package services
