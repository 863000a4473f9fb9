// Package replay looks at recorded runs: it prints one as a waterfall, makes one
// again with a changed harness and the recorded answers of the policy, and tries
// other hooks on all that runs said and asked for (dry run).
//
// It owns how a run is put together from the log, what a difference is, and the
// recorded stand-ins of policy and tools. It does not own the run itself: that is
// agentworker/runner, unchanged.
//
// Invariants: nothing is published, claimed or called: tools answer with what is
// recorded, and a call that is not recorded fails; the first request that differs
// from the recorded one ends the replay, unless a live policy takes over there;
// reasoning is only printed when asked for.
package replay
