package agentworker_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"livehost/agentworker"
	"livehost/internal/fault"
	"livehost/streams/event"
	"livehost/streams/streamstest"
)

// away is a log that takes nothing of a topic until it is back: a publish lasts as long as
// its context.
type away struct {
	*streamstest.Log
	topic string
	back  chan struct{}
}

func (a *away) Publish(ctx context.Context, events ...event.Event) error {
	if slices.ContainsFunc(events, func(e event.Event) bool { return e.Topic() == a.topic }) {
		select {
		case <-a.back:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return a.Log.Publish(ctx, events...)
}

// A made reply waits for the log a little longer than the drain, and no more: neither a
// rebalance nor a stop may hang on it.
func TestRevokedWhileTheLogIsAway(t *testing.T) {
	for _, topic := range []string{event.TopicTrajectory, event.TopicReply} {
		t.Run(topic, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log, claims := &streamstest.Log{}, agentworker.NewMemoryClaims()
				pub := &away{Log: log, topic: topic, back: make(chan struct{})}
				defer close(pub.back)
				r := newRigThrough(t, pub, log, claims, priceScript())
				w := r.window("w1", "d1")
				running := r.take(w)
				synctest.Wait() // its reply is made
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				begun := time.Now()
				for p := range int32(streamstest.Partitions) {
					r.agent.Revoked(ctx, p)
				}
				if took := time.Since(begun); took > 10*time.Second {
					t.Errorf("given up after %v", took)
				}
				if err := <-running; err == nil || fault.KindOf(err) != fault.Canceled {
					t.Errorf("acknowledged with %v, want canceled", err)
				}
				next := newRig(t, log, claims, priceScript())
				acked(t, next.take(w))
				next.want("reply w1#2 public [d1]\n")
				next.close()
				r.close()
			})
		})
	}
}
