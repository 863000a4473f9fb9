// Package event is the wire vocabulary: every record on every topic, and the codec.
//
// It owns the Go types of the payloads, their validation and JSON encoding, and what
// events say of which broadcast is on (OnAir), in which all stages have to agree. It
// does not know Kafka, topics' retention (streams/topic) or any stage.
//
// Invariants: ids are strings and typed; times are UTC milliseconds of room time
// in fields named _ms (wall durations say wall_us), those of a platform that writes
// seconds or microseconds too once they are decoded, and what comes without a time has
// that of its append (Stamp); money is integer fen; unknown fields are ignored; a missing
// required field is a fault.Invalid that names it, and so is what is not UTF-8.
// The key of every event is its room.
package event
