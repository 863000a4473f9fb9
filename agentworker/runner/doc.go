// Package runner is the bounded loop of one agent run: prompt, policy, tools,
// hooks, reply.
//
// It owns the rounds, the budgets under one shared deadline, the fallbacks (other
// replica, compact route, conservative reply), the meaning of the flow-control
// tools, and what the run's texts may cover. It does not own claims, scheduling
// or publication (agentworker), the choice of a replica (routing), prompts or the
// execution of tools.
//
// Invariants: at most Config.Rounds policy rounds; every wait ends at the run's
// deadline at the latest, budgets of single calls only shorten it; every tool
// call gets an answer message; a write is made once, a slow read again; a write
// without an answer is not made again for its viewer; what a private tool gave is
// told to its viewer alone; no text leaves that the before_reply hooks of the
// release have not allowed in its final form; every member of the window ends in
// the reply (covered, private or not covered) or in exactly one outcome.
//
// Scopes of failure: a failed call tries another replica, then the compact route
// (per call, recorded as steps of kind model and fallback); a failed trajectory
// gives the conservative reply or is suppressed (recorded as a fallback step with
// its cause).
package runner
