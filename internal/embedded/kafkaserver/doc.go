// Package kafkaserver is the embedded Kafka: one broker in this process that
// speaks the real protocol on a loopback port and keeps its log in a data
// directory.
//
// It owns the directory (one process at a time), the listener, the periodic
// retention and compaction, and the append times. It does not create topics:
// streams/kafka provisions them as on any broker.
//
// Invariants: an acknowledged record is in the operating system's hands, so it
// survives the end of the process in any way, kill -9 included; a power cut may
// lose the last moments, as with Kafka's own defaults. Every record's timestamp
// is the time at which this broker appended it, whatever the producer set, as
// with message.timestamp.type=LogAppendTime. After a start no consumer group has
// members, so a restarted consumer need not wait for the former one's session to
// end.
//
// With a data directory the log is read from files: about 75 bytes of memory for
// a batch that was appended by itself (7 MB for 100,000 such danmaku; 32 MB
// without a directory), and such a log opens in some 50 ms.
//
// It is one broker without replication, for the demo, tests and small set-ups.
package kafkaserver
