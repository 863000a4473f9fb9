package testkit

import (
	"testing"
	"time"
)

// Patience bounds, in wall time, what a test waits for. It is there to end a test
// that can never pass: no machine that is only slow or busy comes near it.
const Patience = 2 * time.Minute

const lookEvery = 5 * time.Millisecond

// Comes looks again and again until cond holds, and says whether it did within
// Patience. It is for what gives no other sign than being so.
func Comes(cond func() bool) bool {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for deadline := time.Now().Add(Patience); !cond(); <-tick.C {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// Eventually is Comes for a test that fails with what did not come.
func Eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	if !Comes(cond) {
		t.Fatalf("not within %v: %s", Patience, what)
	}
}
