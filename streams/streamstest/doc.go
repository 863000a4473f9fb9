// Package streamstest is for tests of and on the event log: the conformance suite
// (Run), and a log in memory (Log) for code that only publishes and reads.
//
// It owns the suite's cases: what every implementation of streams.Publisher,
// streams.Reader and the running of a streams.Binding must do, over every
// broker. A case that comes from a bug of another system says which in its name
// (the numbers are those of the project's collection of field bugs). The
// implementation's own faults (a delayed commit, a refused dead letter) are
// tested beside the implementation. Log owns no behaviour of Kafka beyond order,
// offsets and append times.
//
// Invariants: a broker may keep records of former runs, so every case has rooms
// and groups of its own, and acknowledges foreign records without looking at
// them; Log encodes and decodes events as on the wire, and records of a
// partition keep the order in which they were published.
package streamstest
