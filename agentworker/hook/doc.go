// Package hook decides at the lifecycle points of a run, by the hooks of its
// release in manifest order.
//
// It owns the evaluation of conditions (CEL, compiled once per release), the
// order of rewrites and checks, the lattice of actions and the retry budgets. It
// does not own the checks (guardrail), and does not act on a decision (runner).
//
// Invariants: allow < rewrite < retry < block < suppress, the most severe wins;
// after a rewrite every safety hook has judged the final text; a hook that is
// broken blocks or allows as it declares, and is reported; a hook asks for at
// most its number of retries in one run, then takes its `then`.
//
// Conditions see four maps, whose keys are always there (vars.go): run, reply,
// tool and room.
package hook
