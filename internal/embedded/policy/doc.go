// Package policy is the scripted policy: replicas in this process that speak the
// OpenAI chat-completions protocol and answer by rules. It is not a language model,
// and says so in its name, its headers, its model list and its log lines.
//
// It owns the protocol (streaming and not, model list, health, abort), the slots
// of a replica and the waiting that a latency profile asks for. What to say is
// decided in rules, how long it takes in latency.
//
// Invariants: a replica works on at most Slots requests; beyond them Queue
// requests wait QueueWait, the others are refused at once; a request that is
// aborted, or whose client is gone, frees its slot at once; waits are room time.
package policy
