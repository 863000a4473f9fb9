// Package tool gives a run its tools: the list a policy is offered and the
// execution of its calls.
//
// It owns argument checks, built-in retrieval and skills, HTTP tools, idempotency
// keys, result caps and the typed observation a failed call becomes. It does not
// decide what flow-control tools (answer, reply_private, stay_silent, hand_over)
// mean: it checks them, the runner acts on Result.Args. MCP servers are reached
// through the Servers port; agentworker/tool/mcptoolset implements it.
//
// Invariants: room, merchant and viewer come from the run, never from arguments; a
// call never fails with a Go error, always with a Result the model can read; a
// write carries the key danmaku + tool + canonical arguments, is sent once, and
// never where writes are forbidden; the offered list of a run does not change.
package tool
