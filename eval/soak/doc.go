// Command soak keeps dispatchers speaking while they are killed: 50 rooms at speed 1 on 4
// dispatchers, each a process of its own, which speak into a receiver outside of them.
// It is the avatar driver that a room would have: it checks the fence of every cue,
// plays each sentence for its length and remembers what was heard. Dispatchers are ended
// with kill -9 at random, and some are stopped for longer than their lease and go on.
// One JSON object goes to standard output; the exit code is 1 when anything was heard
// twice or at the same time, ended without a reason, or too little was spoken.
//
// It owns the load, the kills, the receiver and the judgement. Kafka and Redis are the
// embedded servers, in this process, which is never killed; others can be named.
//
// Invariants: it is seeded (the same seed publishes the same replies and kills the same
// dispatchers at the same moments; what the processes do meanwhile is theirs), and
// bounded: its load lasts as long as it is told, and what follows a minute more; it
// talks to loopback only unless told where; it ends only processes that it started.
package main
