package streams

import (
	"context"
	"time"

	"livehost/streams/event"
)

// Record is one record of a topic.
type Record struct {
	Topic      string
	Partition  int32
	Offset     int64
	Key        event.RoomID
	Value      []byte
	AppendTime time.Time // wall time at which the broker appended it
	Headers    map[string]string
}

// Ack ends the handling of one record: nil when everything it caused is in the
// log, else an error whose fault kind decides what happens to the record
// (fault.Invalid: dead letter). It must be called exactly once, from any
// goroutine, during or after Handle.
type Ack func(error)

// Handler takes records. Handle is called for one key in log order, never
// concurrently for one key, concurrently across keys. It may return before the
// record is acknowledged; work that takes long goes on in the handler's own
// goroutines, which end when its Run ends.
type Handler interface {
	Handle(ctx context.Context, r Record, ack Ack)
}

// Assignee is a Handler that keeps state per partition. Partition numbers are
// common to all topics of the binding: partition n of all of them comes and goes
// together, and only when it moves to another member. A room's records of all topics are
// handed over in the order of their appends, as far as the log is read by then: always
// behind a backlog, but a record that is appended while another is under way may come
// after it, and one that cannot be fetched holds the others up for two seconds at most.
// What is published with a context of its methods or of Handle, or with one made from it, is
// written only while the partition is the process's.
type Assignee interface {
	// Assigned returns when the partition's state is restored; only then are
	// its records handed over.
	Assigned(ctx context.Context, partition int32) error
	// Revoked starts nothing new for the partition, drains within ctx and
	// forgets its state. Acks called before it returns are still committed.
	Revoked(ctx context.Context, partition int32)
}

// Binding is one consumer group as data: what it reads and who handles it.
type Binding struct {
	Group string
	// Topics are what is read. Appended in the same millisecond, records reach an
	// Assignee in this order of their topics.
	Topics  []string
	Handler Handler
	// Lanes bounds how many Handle calls run at once (default 64).
	Lanes int
	// MaxUnfinished pauses a partition above this many unacknowledged records, or
	// a hundred times as many since the oldest of them (default 10,000).
	MaxUnfinished int
	// Drain is how long what is under way may take to end when the process stops, in
	// wall time (default: as long as when partitions move to another member).
	Drain time.Duration
}

// Publisher puts events into the log.
type Publisher interface {
	// Publish returns after all events are acknowledged by the broker, or with
	// the first error; then it does not look at them any more. An event may be a
	// pointer to one. Events of one room keep their order. Concurrency-safe.
	Publish(ctx context.Context, events ...event.Event) error
}

// Reader reads the log outside any consumer group.
type Reader interface {
	// Partitions is the number of partitions of the topics (all have the same).
	Partitions(ctx context.Context) (int32, error)
	// Read calls fn for each record of the partition from offset from (or the
	// first retained one) up to the end of the log at the call, and returns the
	// offset after the last. fn's error ends it.
	Read(ctx context.Context, topic string, partition int32, from int64, fn func(Record) error) (int64, error)
	// Follow calls fn for each record of the topics, from the start of the log
	// (or the end, when fromEnd) until ctx ends; then it returns nil.
	Follow(ctx context.Context, topics []string, fromEnd bool, fn func(Record)) error
}

// Seeker is what a Reader of a long log adds: where to begin to read back.
type Seeker interface {
	// OffsetAt is the offset of the partition's first record appended at or after
	// the wall instant, the end of the log when there is none.
	OffsetAt(ctx context.Context, topic string, partition int32, at time.Time) (int64, error)
}
