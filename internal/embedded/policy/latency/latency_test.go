package latency_test

import (
	"testing"
	"time"

	"livehost/internal/embedded/policy/latency"
)

// The measured reference for the complete agent (DESIGN section 1) and the
// worker's limits.
func TestCompleteAgent(t *testing.T) {
	t.Parallel()
	p, err := latency.ProfileNamed(latency.H20MTP)
	if err != nil {
		t.Fatal(err)
	}
	const runs = 20_000
	near := func(what string, got time.Duration, want, tolerance float64) {
		t.Helper()
		if d := got.Seconds() - want; d > tolerance || d < -tolerance {
			t.Errorf("%s = %.2fs, want %.1f ± %.1f", what, got.Seconds(), want, tolerance)
		}
	}
	atMost := func(what string, got, most float64) {
		t.Helper()
		if got > most {
			t.Errorf("%s = %.3f, want at most %.3f", what, got, most)
		}
	}
	for seed := uint64(1); seed <= 3; seed++ {
		one := simulate(p, harnessShape(), 1, runs, seed)
		two := simulate(p, harnessShape(), 2, runs, seed)
		base := simulate(p, baselineShape(), 1, runs, seed)
		for name, r := range map[string]simulated{"C=1": one, "C=2": two, "baseline C=1": base} {
			t.Logf("seed %d %s: P50 %.2f P90 %.2f P95 %.2f P99 %.2f; over 10 s %.2f%%; calls first>3s %.2f%% later>2s %.2f%%", seed, name,
				quantile(r.Runs, .5).Seconds(), quantile(r.Runs, .9).Seconds(), quantile(r.Runs, .95).Seconds(), quantile(r.Runs, .99).Seconds(),
				100*over(r.Runs, 10*time.Second), 100*over(r.First, 3*time.Second), 100*over(r.Later, 2*time.Second))
			atMost(name+" first calls over 3 s", over(r.First, 3*time.Second), 0.015)
			atMost(name+" later calls over 2 s", over(r.Later, 2*time.Second), 0.015)
			atMost(name+" runs over 15 s", over(r.Runs, 15*time.Second), 0)
		}
		near("C=1 P50", quantile(one.Runs, .5), 3.4, 0.3)
		near("C=1 P95", quantile(one.Runs, .95), 8.1, 0.8)
		near("C=2 P95", quantile(two.Runs, .95), 9.0, 0.9)
		atMost("C=1 runs over 10 s", over(one.Runs, 10*time.Second), 0.01)
		atMost("C=2 runs over 10 s", over(two.Runs, 10*time.Second), 0.03)
	}
}
