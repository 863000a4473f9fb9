package web

import (
	"context"
	"time"

	"livehost/internal/clock"
	"livehost/internal/fault"
)

// storeTimeout is how long a page waits for the analytics store, wall time.
const storeTimeout = 10 * time.Second

// fromStore asks the analytics store. What cannot be had is said on the page, in
// away, instead of failing it.
func fromStore[T any](s *Server, ctx context.Context, there bool, ask func(context.Context) (T, error)) (answer T, away string) {
	if !there {
		return answer, "This process has no analytics store. The live page goes on without one."
	}
	ctx, cancel := clock.WithWallTimeout(ctx, storeTimeout)
	defer cancel()
	answer, err := ask(ctx)
	if err == nil {
		return answer, ""
	}
	switch fault.KindOf(err) {
	case fault.Canceled: // the reader has left
		return answer, "Not asked to the end."
	case fault.Unavailable, fault.Exhausted:
		s.deps.Log.Debug("the analytics store is away", "err", err)
		return answer, "The analytics store (ClickHouse) does not answer at the moment. Nothing is lost: what happens is in the log and comes in later. The live page goes on."
	}
	s.deps.Log.Error("the analytics store refused a question of the console", "err", err)
	return answer, "The analytics store refused the question; the log of this process says why."
}
