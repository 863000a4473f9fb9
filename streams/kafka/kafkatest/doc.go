// Package kafkatest is the real event log for tests of stages: an embedded broker with
// its topics, and the clients of a process.
//
// It owns nothing of what a stage does with them.
package kafkatest
