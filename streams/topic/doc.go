// Package topic is the catalogue of the event log as data: the name, payload,
// writers, retention and size limit of every topic.
//
// It owns those facts, the dead-letter names and the partition of a room. It
// does not own the payload types (streams/event) and talks to no broker:
// streams/kafka provisions from it, and docs/topics.md is generated from it.
//
// Invariants: every topic but a dead-letter topic is keyed by room and has the
// same number of partitions, so that one partition number is one set of rooms;
// timestamps are the broker's append time.
package topic
