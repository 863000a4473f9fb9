// Package agentworker is the agent stage: window.v1 in; reply.v1, trajectory.v1,
// guardrail-hit.v1 and outcome.v1 out.
//
// It owns claims per danmaku, the order of runs, their number, and what is
// published in which order. It does not own what happens inside a run (runner),
// the policy (model, routing), tools, prompts or hooks.
//
// Invariants:
//   - a window is acknowledged after everything its run caused is in the log: steps,
//     then hits and outcomes, then reply.v1, so that a window whose reply is in the
//     log is finished, and a danmaku whose outcome is in it keeps that when the reply
//     is refused and the window comes again;
//   - nothing is written about a danmaku that this worker holds no claim of: while
//     another attempt's lease lasts, a redelivered window waits;
//   - the first finished run wins: its claims are done, and later windows drop the
//     danmaku;
//   - at most Config.RunsPerRoom runs of one room and variant and Config.MaxRuns in all.
//
// Attempts. A claim holds the attempt; taking over after the lease adds one. Claims
// forget when Redis does (the embedded one forgets with the process), so on
// assignment they are rebuilt from the log: done from reply.v1 and outcome.v1, the
// last attempt of unfinished windows from the claim steps in trajectory.v1, with a
// lease that is over. Then a takeover is immediate and its attempt still grows.
package agentworker
