package routing_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"livehost/agentworker/model"
	"livehost/agentworker/routing"
	"livehost/agentworker/routing/slotstest"
	"livehost/internal/clock"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	slotstest.Run(t, &slotstest.Memory{}, nil)
}

func sharing(t testing.TB, slots routing.Slots, reps ...routing.Replica) *routing.Router {
	t.Helper()
	return saying(t, slog.New(slog.DiscardHandler), slots, reps...)
}

// saying is sharing with a log.
func saying(t testing.TB, log *slog.Logger, slots routing.Slots, reps ...routing.Replica) *routing.Router {
	t.Helper()
	clk, err := clock.New(time.Now(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := routing.New(routing.DefaultConfig(), routing.Deps{Clock: clk, Log: log, Replicas: reps, Slots: slots})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two workers with ten requests each never have more than the replica's two slots,
// waste no slot for longer than a poll, and go by deadline whoever asks.
func TestTwoWorkersShareSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &replica{took: time.Second}
		slots := &slotstest.Memory{}
		workers := []*routing.Router{
			sharing(t, slots, routing.Replica{Name: "a", Model: a, Slots: 2}),
			sharing(t, slots, routing.Replica{Name: "mine", Key: "a", Model: a, Slots: 2}), // named otherwise here
		}
		began := time.Now()
		var wg sync.WaitGroup
		for _, w := range workers {
			for range 10 {
				wg.Go(func() {
					if _, err := w.Complete(within(t, time.Minute), model.Request{Budget: 2 * time.Second}); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		if a.most != 2 {
			t.Errorf("at most %d at once, want 2", a.most)
		}
		if took := time.Since(began); took > 11*time.Second {
			t.Errorf("20 requests of 1 s on 2 slots took %v", took)
		}
	})
}

// A request that waits in one worker goes before later ones of the other.
func TestSharedSlotsInDeadlineOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &replica{took: time.Second}
		slots := &slotstest.Memory{}
		one, two := sharing(t, slots, routing.Replica{Name: "a", Model: a, Slots: 1}), sharing(t, slots, routing.Replica{Name: "a", Model: a, Slots: 1})
		done := make(chan error, 6)
		ask := func(r *routing.Router, id string, d time.Duration) {
			go func() {
				_, err := r.Complete(within(t, d), model.Request{ID: id})
				done <- err
			}()
			synctest.Wait()
		}
		ask(one, "first", time.Minute)
		ask(one, "4", 40*time.Second)
		ask(one, "3", 30*time.Second)
		ask(two, "2", 20*time.Second)
		ask(two, "5", 50*time.Second)
		ask(two, "never", 500*time.Millisecond)
		failed := 0
		for range 6 {
			if err := <-done; err != nil {
				failed++
			}
		}
		var order []string
		for _, r := range a.asks {
			order = append(order, r.ID)
		}
		if failed != 1 || len(order) != 5 || order[1] != "2" || order[2] != "3" || order[3] != "4" || order[4] != "5" {
			t.Errorf("order %v with %d failures, want first, 2, 3, 4, 5 and one", order, failed)
		}
	})
}

// absent are slots whose store does not answer.
type absent struct {
	mu    sync.Mutex
	asked int
}

func (a *absent) Take(ctx context.Context, _ routing.Ask) (int, error) {
	a.mu.Lock()
	a.asked++
	a.mu.Unlock()
	<-ctx.Done()
	return -1, ctx.Err()
}

func (*absent) Give(context.Context, routing.Lease) error { return errors.New("away") }

// Without the store each worker goes on with its own limits, says so, and does not
// wait for the store with every request.
func TestSharedSlotsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, store, said := &replica{took: time.Second}, &absent{}, &bytes.Buffer{}
		r := saying(t, slog.New(slog.NewTextHandler(said, nil)), store, routing.Replica{Name: "a", Model: a, Slots: 2})
		var wg sync.WaitGroup
		began := time.Now()
		for range 6 {
			wg.Go(func() {
				resp, err := r.Complete(within(t, time.Minute), model.Request{})
				if err != nil || !resp.LocalSlots {
					t.Errorf("%v, local slots %v; want an answer that says so", err, resp.LocalSlots)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); a.most != 2 || took > 3600*time.Millisecond {
			t.Errorf("at most %d at once, in %v; want 2, in 3.5 s", a.most, took)
		}
		if n := strings.Count(said.String(), "away"); n != 1 {
			t.Errorf("%d lines of log, want one:\n%s", n, said)
		}
		if _, err := r.Complete(within(t, time.Minute), model.Request{}); err != nil || store.asked != 7 {
			t.Errorf("%v after %d asks, want one more ask after the time for which the store is left alone", err, store.asked)
		}
	})
}

// A request that ends while it waits leaves nothing behind that others wait for.
func TestSharedWaiterLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &replica{took: time.Second}
		slots := &slotstest.Memory{}
		one, two := sharing(t, slots, routing.Replica{Name: "a", Model: a, Slots: 1}), sharing(t, slots, routing.Replica{Name: "a", Model: a, Slots: 1})
		ctx, cancel := context.WithCancel(within(t, 10*time.Second))
		done := make(chan error, 3)
		go func() { _, err := one.Complete(within(t, time.Minute), model.Request{}); done <- err }()
		synctest.Wait()
		go func() { _, err := one.Complete(ctx, model.Request{}); done <- err }()
		synctest.Wait()
		cancel()
		if err := <-done; model.ClassOf(err) != model.Canceled {
			t.Errorf("%v, want canceled", err)
		}
		began := time.Now()
		go func() { _, err := two.Complete(within(t, time.Minute), model.Request{}); done <- err }()
		if err := errors.Join(<-done, <-done); err != nil || time.Since(began) > 2200*time.Millisecond {
			t.Errorf("%v after %v, want the next second", err, time.Since(began))
		}
	})
}

// slowly is a store that takes its time to answer an ask.
type slowly struct {
	slotstest.Memory
	takes time.Duration
}

func (s *slowly) Take(ctx context.Context, a routing.Ask) (int, error) {
	if err := clock.WallSleep(ctx, s.takes); err != nil {
		return -1, err
	}
	return s.Memory.Take(ctx, a)
}

// A request is given up when its context ends, also while the store is being asked,
// and what the store grants after that is given back.
func TestSharedAskOutlivesItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, store := &replica{took: time.Second}, &slowly{takes: 300 * time.Millisecond}
		r := sharing(t, store, routing.Replica{Name: "a", Model: a, Slots: 1})
		began := time.Now()
		_, err := r.Complete(within(t, 100*time.Millisecond), model.Request{Budget: time.Minute})
		if took := time.Since(began); model.ClassOf(err) != model.NoSlot || took != 100*time.Millisecond {
			t.Errorf("%v after %v, want no slot after the 100 ms it had", err, took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		began = time.Now()
		_, err = r.Complete(ctx, model.Request{Budget: time.Minute})
		if took := time.Since(began); model.ClassOf(err) != model.Canceled || took != 100*time.Millisecond {
			t.Errorf("%v after %v, want canceled after 100 ms", err, took)
		}
		began = time.Now()
		resp, err := r.Complete(within(t, time.Minute), model.Request{Budget: 2 * time.Second})
		if took := time.Since(began); err != nil || resp.LocalSlots || took > 2*time.Second {
			t.Errorf("%v, local slots %v, after %v; want an answer of the shared slot within 2 s", err, resp.LocalSlots, took)
		}
	})
}
