package policy

import (
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"livehost/internal/clock"
	"livehost/internal/embedded/policy/latency"
	"livehost/internal/embedded/policy/rules"
)

// nowhere is a listener that only has an address.
type nowhere struct{ net.Listener }

func (nowhere) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// TestPaceFollowsTheProfile runs the handler in virtual time: a completion takes
// what the sampler draws, divided by the clock's speed, and two at once take the
// time of two.
func TestPaceFollowsTheProfile(t *testing.T) {
	t.Parallel()
	const speed = 20
	profile, err := latency.ProfileNamed(latency.H20MTP)
	if err != nil {
		t.Fatal(err)
	}
	took := func(atOnce int) time.Duration {
		var d time.Duration
		synctest.Test(t, func(t *testing.T) {
			clk, err := clock.New(time.Now(), speed)
			if err != nil {
				t.Fatal(err)
			}
			r := newReplica(DefaultConfig(), 0, nowhere{}, replicaDeps{
				clock: clk, log: slog.New(slog.DiscardHandler), engine: rules.NewEngine(1), profile: profile,
				sampler: latency.NewSampler(profile, 7),
			})
			defer r.stop()
			began, done := time.Now(), make(chan string)
			for range atOnce {
				go func() {
					w := httptest.NewRecorder()
					body := `{"model":"` + ModelID + `","stream":true,"messages":[{"role":"user","content":"x"}]}`
					r.chat(w, httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(body)))
					done <- w.Body.String()
				}()
			}
			for range atOnce {
				if got := <-done; !strings.HasSuffix(got, "data: [DONE]\n\n") {
					t.Errorf("stream ended with %q", got)
				}
				d = time.Since(began)
			}
		})
		return d
	}
	near := func(what string, got, want time.Duration) {
		t.Helper()
		if diff := got - want; diff < -time.Microsecond || diff > time.Microsecond {
			t.Errorf("%s took %v, want %v", what, got, want)
		}
	}
	draws := latency.NewSampler(profile, 7)
	one := draws.Call(true)
	near("one", took(1), (profile.Prefill(one.FirstToken, 1)+profile.Decode(one.Tokens, 1))/speed)

	two := draws.Call(true)
	alone := func(c latency.Call) time.Duration { return c.FirstToken + profile.Decode(c.Tokens, 1) }
	if got := took(2); got <= max(alone(one), alone(two))/speed {
		t.Errorf("two at once took %v, no longer than the longer alone (%v)", got, max(alone(one), alone(two))/speed)
	}
}
