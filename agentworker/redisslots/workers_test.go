package redisslots_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"livehost/agentworker/model"
	"livehost/agentworker/model/openaimodel"
	"livehost/agentworker/routing"
	"livehost/internal/clock"
	"livehost/internal/testkit"
)

// policyServer is a replica that counts how many requests it has at once.
type policyServer struct {
	now, most, asked atomic.Int32
}

func (p *policyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/chat/completions" {
		return
	}
	n := p.now.Add(1)
	defer p.now.Add(-1)
	p.asked.Add(1)
	for most := p.most.Load(); n > most && !p.most.CompareAndSwap(most, n); most = p.most.Load() {
	}
	took := time.NewTimer(10 * time.Millisecond)
	defer took.Stop()
	select {
	case <-took.C:
	case <-r.Context().Done():
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"好\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// worker is the router of one process, with its own connections to Redis and the replica.
func worker(t *testing.T, redisAddr, url string) *routing.Router {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	m, err := openaimodel.New(openaimodel.Config{BaseURL: url + "/v1", Model: "m"}, openaimodel.Deps{Transport: transport, Clock: clock.Real()})
	if err != nil {
		t.Fatal(err)
	}
	cfg := routing.DefaultConfig()
	cfg.Shared.Timeout = 10 * time.Second // the test's machine may be busy
	r, err := routing.New(cfg, routing.Deps{
		Clock: clock.Real(), Log: slog.New(slog.DiscardHandler), Slots: open(t, redisAddr),
		Replicas: []routing.Replica{{Name: "a", Key: url, Model: m, Slots: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two workers send to one replica of two slots: it never sees a third request, and
// each worker gets its share.
func TestTwoWorkersOneReplica(t *testing.T) {
	t.Parallel()
	twoWorkers(t, miniredis.RunT(t).Addr())
}

func TestRealTwoWorkersOneReplica(t *testing.T) {
	twoWorkers(t, testkit.RealServer(t, testkit.RedisAddr))
}

func twoWorkers(t *testing.T, redisAddr string) {
	t.Helper()
	policy := &policyServer{}
	server := httptest.NewServer(policy)
	defer server.Close()
	const each, atOnce = 40, 8
	var answered [2]atomic.Int32
	var wg sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for i := range answered {
		w := worker(t, redisAddr, server.URL)
		for range atOnce {
			wg.Go(func() {
				for range each / atOnce {
					resp, err := w.Complete(ctx, model.Request{Budget: time.Minute})
					if err != nil || resp.LocalSlots {
						t.Errorf("%v, local slots %v", err, resp.LocalSlots)
						return
					}
					answered[i].Add(1)
				}
			})
		}
	}
	wg.Wait()
	if got := policy.most.Load(); got != 2 {
		t.Errorf("the replica had %d requests at once, want its 2 slots used and no more", got)
	}
	if policy.asked.Load() != 2*each || answered[0].Load() != each || answered[1].Load() != each {
		t.Errorf("the replica was asked %d times, answers %d and %d; want %d each", policy.asked.Load(), answered[0].Load(), answered[1].Load(), each)
	}
}

// A worker that is killed with a slot in hand holds it no longer than its lease.
func TestKilledWorkerFreesItsSlot(t *testing.T) {
	t.Parallel()
	addr := miniredis.RunT(t).Addr()
	dead := routing.Ask{Avoid: -1, Left: time.Second, Lease: 300 * time.Millisecond, Patience: time.Second}
	policy := &policyServer{}
	server := httptest.NewServer(policy)
	defer server.Close()
	dead.Replicas = []routing.Want{{Replica: server.URL, Slots: 2}}
	began := time.Now()
	for _, ticket := range []string{"dead/1", "dead/2"} {
		dead.Ticket = ticket
		if i, err := open(t, addr).Take(t.Context(), dead); err != nil || i != 0 {
			t.Fatal(i, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := worker(t, addr, server.URL).Complete(ctx, model.Request{Budget: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < dead.Lease {
		t.Errorf("answered after %v, within the lease of the dead", took)
	}
}
