// Package latency simulates how long a policy replica and tools take.
//
// It owns the latency profiles and the samplers; its test simulates the whole agent loop to
// show what the profiles add up to. It knows neither HTTP nor a clock: samplers return
// durations of room time, and whoever uses them waits.
//
// Invariants: equal seeds give equal sequences; profile "instant" is zero
// everywhere; every figure it yields is simulated and is labelled so where it is
// shown. The measured reference has no first-token times and no tool times: those
// are chosen so that the complete agent comes out as measured (docs/simulation.md).
package latency
