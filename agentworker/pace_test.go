package agentworker

import (
	"testing"
	"time"

	"livehost/streams/event"
)

func TestPace(t *testing.T) {
	t.Parallel()
	p := &pace{least: 3 * time.Second, most: 7500 * time.Millisecond}
	feed := func(ms int64, fallback string) {
		for range 40 {
			p.observe(&event.Reply{Fallback: fallback, Timing: event.Timing{RunMs: ms}})
		}
	}
	check := func(what string, least, most time.Duration) {
		t.Helper()
		if got := p.full(); got < least || got > most {
			t.Errorf("%s: %v, want %v to %v", what, got, least, most)
		}
	}
	check("nothing seen", 3*time.Second, 3*time.Second)
	feed(5_000, "")
	check("runs of 5 s", 4900*time.Millisecond, 5*time.Second)
	feed(1_000, "compact")
	p.observe(nil)
	check("compact runs say nothing", 4900*time.Millisecond, 5*time.Second)
	feed(9_900, "conservative")
	check("never above the bound", 7500*time.Millisecond, 7500*time.Millisecond)
	feed(500, "")
	check("never below the least", 3*time.Second, 3*time.Second)
}
