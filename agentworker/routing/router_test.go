package routing_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"livehost/agentworker/model"
	"livehost/agentworker/routing"
	"livehost/internal/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// replica is a scripted replica.
type replica struct {
	took time.Duration
	err  error
	mu   sync.Mutex
	asks []model.Request
	now  int
	most int
}

func (r *replica) Complete(ctx context.Context, req model.Request) (model.Response, error) {
	r.mu.Lock()
	r.asks = append(r.asks, req)
	r.now++
	r.most = max(r.most, r.now)
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.now--
	}()
	began := time.Now()
	t := time.NewTimer(r.took)
	defer t.Stop()
	select {
	case <-t.C:
		return model.Response{Usage: model.Usage{Completion: 100}, FirstToken: 0, Took: r.took}, r.err
	case <-ctx.Done():
		return model.Response{Took: time.Since(began)}, &model.Error{Class: model.Timeout, Err: ctx.Err()}
	}
}

func router(t testing.TB, cfg routing.Config, reps ...routing.Replica) *routing.Router {
	t.Helper()
	clk, err := clock.New(time.Now(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := routing.New(cfg, routing.Deps{Clock: clk, Log: slog.New(slog.DiscardHandler), Replicas: reps})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestSpreads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &replica{took: time.Second}, &replica{took: time.Second}
		r := router(t, routing.DefaultConfig(), routing.Replica{Name: "a", Model: a, Slots: 2}, routing.Replica{Name: "b", Model: b, Slots: 2})
		done := make(chan model.Response)
		for range 8 {
			go func() {
				resp, err := r.Complete(within(t, time.Minute), model.Request{})
				if err != nil {
					t.Error(err)
				}
				done <- resp
			}()
		}
		began := time.Now()
		waited := 0
		for range 8 {
			if resp := <-done; resp.Wait > 0 {
				waited++
			}
		}
		if took := time.Since(began); took != 2*time.Second || waited != 4 {
			t.Errorf("8 requests on 4 slots took %v and %d waited, want 2s and 4", took, waited)
		}
		if len(a.asks) != 4 || len(b.asks) != 4 || a.most != 2 || b.most != 2 {
			t.Errorf("a %d (at most %d), b %d (at most %d); want 4 (2) each", len(a.asks), a.most, len(b.asks), b.most)
		}
	})
}

func TestSlotsInDeadlineOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &replica{took: time.Second}
		r := router(t, routing.DefaultConfig(), routing.Replica{Name: "a", Model: a, Slots: 1})
		done := make(chan error, 4)
		ask := func(id string, d time.Duration) {
			go func() {
				_, err := r.Complete(within(t, d), model.Request{ID: id})
				done <- err
			}()
			synctest.Wait()
		}
		ask("first", time.Minute)
		ask("late", 50*time.Second)
		ask("soon", 10*time.Second)
		ask("never", 500*time.Millisecond)
		var failed []error
		for range 4 {
			if err := <-done; err != nil {
				failed = append(failed, err)
			}
		}
		if len(failed) != 1 || model.ClassOf(failed[0]) != model.NoSlot {
			t.Errorf("failures %v, want one no_slot", failed)
		}
		if len(a.asks) != 3 || a.asks[1].ID != "soon" || a.asks[2].ID != "late" {
			t.Errorf("order %v, want first, soon, late", a.asks)
		}
	})
}

func TestBudgetBeginsWithTheSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &replica{took: 900 * time.Millisecond}
		r := router(t, routing.DefaultConfig(), routing.Replica{Name: "a", Model: a, Slots: 1})
		done := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := r.Complete(within(t, time.Minute), model.Request{Budget: time.Second})
				done <- err
			}()
		}
		if err := errors.Join(<-done, <-done); err != nil {
			t.Errorf("waiting used up the budget: %v", err)
		}
		a.took = 2 * time.Second
		if _, err := r.Complete(within(t, time.Minute), model.Request{Budget: time.Second}); model.ClassOf(err) != model.Timeout {
			t.Errorf("%v, want a timeout after the budget", err)
		}
	})
}

func TestAvoidsTheFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &replica{}, &replica{}
		r := router(t, routing.DefaultConfig(), routing.Replica{Name: "a", Model: a, Slots: 1}, routing.Replica{Name: "b", Model: b, Slots: 1})
		resp, err := r.Complete(within(t, time.Minute), model.Request{Avoid: "a"})
		if err != nil || resp.Replica != "b" {
			t.Errorf("avoiding a: %q, %v", resp.Replica, err)
		}
		alone := router(t, routing.DefaultConfig(), routing.Replica{Name: "a", Model: a, Slots: 1})
		if resp, err := alone.Complete(within(t, time.Minute), model.Request{Avoid: "a"}); err != nil || resp.Replica != "a" {
			t.Errorf("a alone: %q, %v", resp.Replica, err)
		}
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := &replica{err: &model.Error{Class: model.Unreachable, Err: errors.New("down")}}
		good := &replica{took: time.Second}
		r := router(t, routing.DefaultConfig(), routing.Replica{Name: "bad", Model: bad, Slots: 2}, routing.Replica{Name: "good", Model: good, Slots: 1})
		for range 3 {
			if _, err := r.Complete(within(t, time.Minute), model.Request{}); err == nil {
				t.Fatal("the broken replica answered")
			}
		}
		for range 3 {
			if resp, err := r.Complete(within(t, time.Minute), model.Request{}); err != nil || resp.Replica != "good" {
				t.Errorf("open breaker: %q, %v", resp.Replica, err)
			}
		}
		if n := len(bad.asks); n != 3 {
			t.Errorf("the broken replica was asked %d times, want 3", n)
		}
		bad.err = nil
		clk := time.NewTimer(3 * time.Second)
		<-clk.C
		if resp, err := r.Complete(within(t, time.Minute), model.Request{}); err != nil || resp.Replica != "bad" {
			t.Errorf("after the pause: %q, %v; want a probe of the repaired one", resp.Replica, err)
		}
	})
}

func TestTimeoutsCountLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, other := &replica{took: time.Hour}, &replica{took: 10 * time.Second}
		r := router(t, routing.DefaultConfig(), routing.Replica{Name: "slow", Model: slow, Slots: 1}, routing.Replica{Name: "other", Model: other, Slots: 1})
		for range 20 { // cut short by the caller's deadline: says nothing
			_, _ = r.Complete(within(t, 100*time.Millisecond), model.Request{Budget: time.Second})
		}
		asked := func() int { slow.mu.Lock(); defer slow.mu.Unlock(); return len(slow.asks) }
		if n := asked(); n != 20 {
			t.Errorf("asked %d times, want 20: its breaker must not open", n)
		}
		for range 12 {
			_, _ = r.Complete(within(t, time.Minute), model.Request{Budget: time.Second})
		}
		if n := asked(); n != 29 {
			t.Errorf("asked %d times, want 9 more until the breaker opens", n-20)
		}
	})
}

func TestAllBrokenIsProbedWithoutTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := &replica{err: &model.Error{Class: model.Cut, Err: errors.New("cut")}}
		r := router(t, routing.DefaultConfig(), routing.Replica{Name: "bad", Model: bad, Slots: 1})
		for range 3 {
			_, _ = r.Complete(within(t, time.Minute), model.Request{})
		}
		bad.err = nil
		began := time.Now()
		if _, err := r.Complete(within(t, time.Minute), model.Request{}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 5100*time.Millisecond {
			t.Errorf("probed after %v, want 5 s", took)
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := routing.DefaultConfig()
		cfg.QueueMax = 1
		r := router(t, cfg, routing.Replica{Name: "a", Model: &replica{took: time.Second}, Slots: 1})
		done := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := r.Complete(within(t, time.Minute), model.Request{})
				done <- err
			}()
		}
		synctest.Wait()
		began := time.Now()
		if _, err := r.Complete(within(t, time.Minute), model.Request{}); model.ClassOf(err) != model.NoSlot || time.Since(began) > 0 {
			t.Errorf("%v after %v, want no_slot at once", err, time.Since(began))
		}
		if err := errors.Join(<-done, <-done); err != nil {
			t.Error(err)
		}
	})
}

func TestMaxTokensFollowTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &replica{took: time.Second} // 100 tokens a second
		r := router(t, routing.DefaultConfig(), routing.Replica{Name: "a", Model: a, Slots: 1})
		ask := func(budget time.Duration) int {
			_, _ = r.Complete(within(t, time.Minute), model.Request{MaxTokens: 512, Budget: budget})
			return a.asks[len(a.asks)-1].MaxTokens
		}
		for i, want := range []int{512, 200, 512, 32} {
			budget := []time.Duration{2 * time.Second, 2 * time.Second, 10 * time.Second, 100 * time.Millisecond}[i]
			if got := ask(budget); got != want {
				t.Errorf("request %d: max tokens %d, want %d", i, got, want)
			}
		}
	})
}

func TestNewReportsEverything(t *testing.T) {
	t.Parallel()
	_, err := routing.New(routing.Config{}, routing.Deps{Replicas: []routing.Replica{{}, {Name: "a", Slots: 1}, {Name: "a", Slots: 1}}})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"queue_max", "break_after", "break_for", "min_tokens", "replicas[0]", "replicas[2]"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not mention %s", err, want)
		}
	}
}

type instant struct{}

func (instant) Complete(context.Context, model.Request) (model.Response, error) {
	return model.Response{}, nil
}

// BenchmarkDecision is the router's own work per request: at most 50 us.
func BenchmarkDecision(b *testing.B) {
	var reps []routing.Replica
	for i := range 16 {
		reps = append(reps, routing.Replica{Name: fmt.Sprint(i), Model: instant{}, Slots: 2})
	}
	r := router(b, routing.DefaultConfig(), reps...)
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Complete(ctx, model.Request{Budget: 2 * time.Second, MaxTokens: 512}); err != nil {
			b.Fatal(err)
		}
	}
}
