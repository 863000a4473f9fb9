// Package kafka is the event log on Kafka: it implements streams.Publisher and
// streams.Reader, runs streams.Binding as consumer groups, and provisions the
// topics of the catalogue. It is the only importer of franz-go (embedded fakes
// aside).
//
// It owns the clients, the group protocol, committed offsets, pausing, retries
// and dead letters. It does not own the order of work within the group (the
// lanes of package streams), payloads or topic facts (streams/topic), and it does
// not start transactions.
//
// Invariants:
//   - a partition's committed offset never passes an unacknowledged record and
//     never goes back: there is one committer, and it commits contiguous prefixes.
//     Only when the broker has lost records does it, to where the others in their
//     place may begin;
//   - no record of a partition is handed over before Assigned returned, none is
//     started after its revocation began, and acknowledgements given before
//     Revoked returns are committed before another member gets the partition;
//   - a stateful handler gets what has piled up, of all topics of a partition, in the
//     order of its appends;
//   - a record leaves for the dead-letter topic only because of fault.Invalid, or
//     when what it needs was away for RetryFor, and is finished only when the
//     broker has acknowledged it there; what is too large for it leaves a stub;
//   - a topic that was deleted and created again is noticed by members, producers
//     and followers: they go on from its start, and no offset of the former one
//     counts (each commit names the incarnation it counts in);
//   - what is published with a context of Assigned, Handle or Revoked is written only while the
//     group is known to have given the partition to this process: one that was
//     stopped or cut off for longer than its session writes nothing when it goes on;
//   - a replayed dead letter keeps the append time it had at first; that it was replayed
//     is noted beside it;
//   - the end of our own context is never a reason to finish a record;
//   - a group without a committed offset starts at the first retained record.
//
// Times in this package are wall time: it waits for protocols, not for rooms.
//
// Locks: session.commitMu before unit.mu; the lanes' own lock is innermost and
// never held while calling out.
package kafka
