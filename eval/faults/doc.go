// Command faults is the fault suite: livehost's stages, each a process of its own,
// answer rooms from real servers (three Kafka brokers, Redis, the ClickHouse
// engine), and one fault after another is done to them while viewers write. After
// each, the log is judged: every danmaku has one outcome, nobody heard an answer
// twice, no voices overlapped, nothing was spoken late, no variants were mixed,
// and every consumer group has caught up. One JSON object a fault goes to standard
// output; the exit code is 1 when anything is not as it must be.
//
// It owns the faults, the processes and the load. The judgement is eval/audit's,
// the servers are internal/services'.
//
// Invariants: it is seeded (the same seed does the same things at the same points
// of the run; what the processes do meanwhile is theirs), and bounded: at most
// half an hour; it talks to loopback only; it ends only processes that it started.
package main
