// Package streams is the event log as the stages see it: keyed records in,
// acknowledged events out.
//
// It owns the vocabulary (Record, Handler, Binding, Publisher, Reader) and the
// pure parts of the loop: the keyed lanes and the contiguous-prefix offset tracker. It knows no SDK: streams/kafka is the only importer of
// franz-go. Delivery is at-least-once; no client is transactional.
//
// Invariants: records of one key are handed over in log order, the next one
// after Handle returned for the one before; the committed offset of a partition
// never passes a record whose Ack has not been called; a Publish that returned
// nil is in the log.
package streams
