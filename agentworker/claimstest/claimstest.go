package claimstest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/agentworker"
	"livehost/streams/event"
)

// Run holds an implementation to the contract. Rooms are named after the test, so
// that a real server may be shared.
func Run(t *testing.T, c agentworker.Claims) {
	t.Helper()
	stamp := time.Now().UnixNano()
	for name, test := range map[string]func(*testing.T, agentworker.Claims, event.RoomID){
		"first takes, second window gets the rest": firstTakes,
		"same window waits for the lease":          waitsForLease,
		"takeover after the lease adds an attempt": takeover,
		"done is never taken":                      doneStays,
		"case 34: a lost attempt may not publish":  fenced,
		"given up lease is free at once":           givenUp,
		"remembered attempt grows":                 remembered,
		"one winner of many":                       oneWinner,
		"asks are separate":                        asks,
		"given back is anybody's":                  givenBack,
		"forgotten is its attempt's again":         forgotten,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, c, event.RoomID(fmt.Sprintf("%s-%d", t.Name(), stamp)))
		})
	}
}

func keys(ids ...string) []agentworker.ClaimKey {
	var out []agentworker.ClaimKey
	for _, id := range ids {
		out = append(out, agentworker.ClaimKey{DanmakuID: event.DanmakuID(id), Ask: 1})
	}
	return out
}

func request(room event.RoomID, window string, lease time.Duration, ids ...string) agentworker.Claim {
	return agentworker.Claim{RoomID: room, WindowID: event.WindowID(window), Keys: keys(ids...), Lease: lease}
}

func claim(t *testing.T, c agentworker.Claims, req agentworker.Claim) agentworker.Claimed {
	t.Helper()
	got, err := c.Claim(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func want(t *testing.T, got agentworker.Claimed, attempt int, ids ...string) {
	t.Helper()
	if got.Wait != 0 || got.Attempt != attempt {
		t.Errorf("attempt %d, wait %v; want attempt %d", got.Attempt, got.Wait, attempt)
	}
	if d := cmp.Diff(keys(ids...), got.Held); d != "" {
		t.Errorf("held (-want +got):\n%s", d)
	}
}

func firstTakes(t *testing.T, c agentworker.Claims, room event.RoomID) {
	want(t, claim(t, c, request(room, "w1", time.Minute, "a", "b")), 1, "a", "b")
	want(t, claim(t, c, request(room, "w2", time.Minute, "b", "c")), 1, "c")
	want(t, claim(t, c, request(room+"-other", "w3", time.Minute, "a")), 1, "a")
}

func waitsForLease(t *testing.T, c agentworker.Claims, room event.RoomID) {
	claim(t, c, request(room, "w1", time.Minute, "a"))
	got := claim(t, c, request(room, "w1", time.Minute, "a"))
	if got.Wait <= 50*time.Second || got.Wait > time.Minute || len(got.Held) != 0 {
		t.Errorf("second claim of a live window: %+v, want to wait about a minute", got)
	}
}

func takeover(t *testing.T, c agentworker.Claims, room event.RoomID) {
	claim(t, c, request(room, "w1", 0, "a", "b"))
	want(t, claim(t, c, request(room, "w1", 0, "a", "b")), 2, "a", "b")
	want(t, claim(t, c, request(room, "w1", 0, "a", "b", "c")), 3, "a", "b", "c")
}

func doneStays(t *testing.T, c agentworker.Claims, room event.RoomID) {
	req := request(room, "w1", 0, "a")
	claim(t, c, req)
	must(t, c.Mark(t.Context(), req, 1, agentworker.MarkDone))
	want(t, claim(t, c, request(room, "w1", 0, "a", "b")), 1, "b")
	must(t, c.Mark(t.Context(), req, 5, agentworker.MarkAttempt)) // an older record read back later
	want(t, claim(t, c, request(room, "w1", 0, "a")), 1)
}

func fenced(t *testing.T, c agentworker.Claims, room event.RoomID) {
	req := request(room, "w1", 0, "a")
	claim(t, c, req)
	claim(t, c, req)
	if held, err := c.Renew(t.Context(), req, 1); err != nil || held {
		t.Errorf("Renew of a lost attempt: %v, %v; want false", held, err)
	}
	if held, err := c.Renew(t.Context(), request(room, "w1", time.Minute, "a"), 2); err != nil || !held {
		t.Errorf("Renew of the present attempt: %v, %v; want true", held, err)
	}
	if got := claim(t, c, req); got.Wait == 0 {
		t.Error("a renewed lease was not waited for")
	}
}

func givenUp(t *testing.T, c agentworker.Claims, room event.RoomID) {
	claim(t, c, request(room, "w1", time.Minute, "a"))
	if held, err := c.Renew(t.Context(), request(room, "w1", 0, "a"), 1); err != nil || !held {
		t.Fatalf("Renew: %v, %v", held, err)
	}
	want(t, claim(t, c, request(room, "w1", time.Minute, "a")), 2, "a")
}

func remembered(t *testing.T, c agentworker.Claims, room event.RoomID) {
	must(t, c.Mark(t.Context(), request(room, "w1", 0, "a"), 3, agentworker.MarkAttempt))
	must(t, c.Mark(t.Context(), request(room, "w1", 0, "a"), 2, agentworker.MarkAttempt))
	want(t, claim(t, c, request(room, "w1", time.Minute, "a")), 4, "a")
}

func oneWinner(t *testing.T, c agentworker.Claims, room event.RoomID) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	taken := map[string]int{}
	for i := range 8 {
		wg.Go(func() {
			got, err := c.Claim(context.WithoutCancel(t.Context()), request(room, fmt.Sprintf("w%d", i), time.Minute, "a", "b", "c"))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, k := range got.Held {
				taken[string(k.DanmakuID)]++
			}
		})
	}
	wg.Wait()
	if d := cmp.Diff(map[string]int{"a": 1, "b": 1, "c": 1}, taken); d != "" {
		t.Errorf("claims taken (-want +got):\n%s", d)
	}
}

func asks(t *testing.T, c agentworker.Claims, room event.RoomID) {
	req := request(room, "w1", 0, "a")
	claim(t, c, req)
	must(t, c.Mark(t.Context(), req, 1, agentworker.MarkDone))
	again := agentworker.Claim{RoomID: room, WindowID: "w2", Keys: []agentworker.ClaimKey{{DanmakuID: "a", Ask: 2}}, Lease: time.Minute}
	if got := claim(t, c, again); len(got.Held) != 1 {
		t.Errorf("the second ask: %+v, want it taken", got)
	}
}

func givenBack(t *testing.T, c agentworker.Claims, room event.RoomID) {
	req := request(room, "w1", time.Minute, "a", "b")
	claim(t, c, req)
	must(t, c.Mark(t.Context(), request(room, "w1", 0, "a"), 1, agentworker.MarkFree))
	must(t, c.Mark(t.Context(), request(room, "w2", 0, "b"), 1, agentworker.MarkFree)) // not its own
	want(t, claim(t, c, request(room, "w2", time.Minute, "a", "b")), 1, "a")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A store that restarted empty has forgotten the claim: the attempt goes on, unless
// somebody took the key since.
func forgotten(t *testing.T, c agentworker.Claims, room event.RoomID) {
	first := agentworker.Claim{RoomID: room, WindowID: "w1", Keys: keys("a", "b"), Lease: time.Minute}
	held, err := c.Renew(t.Context(), first, 1) // as if it had been granted before
	if err != nil || !held {
		t.Fatalf("renewing a forgotten claim: held %v, %v", held, err)
	}
	other := agentworker.Claim{RoomID: room, WindowID: "w2", Keys: keys("a"), Lease: time.Minute}
	if got, err := c.Claim(t.Context(), other); err != nil || len(got.Held) > 0 {
		t.Errorf("another window got %v, %v, want nothing", got.Held, err)
	}
	late := agentworker.Claim{RoomID: room, WindowID: "w3", Keys: keys("b"), Lease: time.Minute}
	if held, err := c.Renew(t.Context(), late, 1); err != nil || held {
		t.Errorf("renewing what somebody took since: held %v, %v", held, err)
	}
}
