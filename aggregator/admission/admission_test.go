package admission_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/aggregator/admission"
	"livehost/aggregator/window"
	"livehost/streams/event"
)

var order = admission.Order{StarveMs: 5000, PerViewer: 2}

func at(class event.Class, platformMs int64) window.Candidate {
	return window.Candidate{Class: class, PlatformMs: platformMs, AnswerByMs: platformMs + 15_000}
}

func TestSort(t *testing.T) {
	t.Parallel()
	mine := func(ms int64) window.Candidate {
		c := at(event.ClassQuestion, ms)
		c.Viewer = "u1"
		return c
	}
	for _, tt := range []struct {
		name string
		in   []window.Candidate
		now  int64
		want []int
	}{
		{"class first", []window.Candidate{at(event.ClassChat, 0), at(event.ClassPurchase, 100)}, 200, []int{1, 0}},
		{"then deadline", []window.Candidate{at(event.ClassQuestion, 100), at(event.ClassQuestion, 0)}, 200, []int{1, 0}},
		{"chat does not starve", []window.Candidate{at(event.ClassPurchase, 10_000), at(event.ClassChat, 0)}, 10_100, []int{1, 0}},
		{"a viewer's third waits", []window.Candidate{mine(0), mine(1), mine(2), at(event.ClassQuestion, 3)}, 10, []int{0, 1, 3, 2}},
		{"a viewer's fifth waits behind another class", []window.Candidate{mine(0), mine(1), mine(2), mine(3), mine(4), at(event.ClassChat, 5)}, 10, []int{0, 1, 2, 3, 5, 4}},
		{"what says nothing comes last of its class", []window.Candidate{{Class: event.ClassChat, Last: true}, at(event.ClassChat, 100)}, 200, []int{1, 0}},
	} {
		if d := cmp.Diff(tt.want, order.Sort(tt.in, tt.now)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestBeyond(t *testing.T) {
	t.Parallel()
	many := make([]window.Candidate, 100)
	for i := range many {
		many[i] = at(event.ClassQuestion, 0)
	}
	c := admission.Capacity{FreeAtMs: []int64{0, 0}, Members: 8, RunMs: 3500}
	got := admission.Beyond(many, c, 0)
	// Hopeful runs of 2.6 s: windows start at 0, 2.6, 5.2, 7.9, 10.5 s on each of two slots.
	if len(got) != 100-5*16 {
		t.Errorf("%d of 100 beyond capacity, want 20", len(got))
	}
	if got := admission.Beyond([]window.Candidate{at(1, -12_000)}, c, 0); len(got) != 1 {
		t.Error("one that a run cannot reach any more is kept")
	}
	if got := admission.Beyond([]window.Candidate{at(1, -11_000)}, c, 0); len(got) != 0 {
		t.Error("one that a free slot can answer is given up")
	}
	if got := admission.Beyond([]window.Candidate{at(1, -8_000)}, admission.Capacity{FreeAtMs: []int64{6000}, Members: 8, RunMs: 3500}, 0); len(got) != 1 {
		t.Error("one that no slot reaches is kept")
	}
}

// One more window is of those that come first; who comes after it has the other slots.
func TestBeyondWithOneMoreWindow(t *testing.T) {
	t.Parallel()
	in := make([]window.Candidate, 12)
	for i := range in {
		in[i] = at(event.ClassChat, 0)
	}
	for _, tt := range []struct {
		name           string
		onceMs, freeMs int64
		want           int // beyond
	}{
		{"none", 0, 13_000, 12},
		{"in time", 9000, 13_000, 4},
		{"too late as well", 12_500, 13_000, 12},
		{"after the slots", 9000, 8000, 0},
		{"slots for all", 9000, 3000, 0},
	} {
		c := admission.Capacity{FreeAtMs: []int64{tt.freeMs}, OnceMs: tt.onceMs, Members: 8, RunMs: 3500}
		if got := admission.Beyond(in, c, 0); len(got) != tt.want {
			t.Errorf("%s: %d beyond, want %d", tt.name, len(got), tt.want)
		}
	}
}

// What has to wait for a slot is let in only when a slow run would still be in
// time; what a free slot takes now needs no such margin.
func TestBeyondIsSafe(t *testing.T) {
	t.Parallel()
	c := admission.Capacity{FreeAtMs: []int64{0}, Members: 1, RunMs: 3000, SafeMs: 8000}
	in := []window.Candidate{at(event.ClassQuestion, -11_000), at(event.ClassQuestion, -10_000), at(event.ClassQuestion, 0)}
	if d := cmp.Diff([]int{1}, admission.Beyond(in, c, 0)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]int{0}, admission.Beyond([]window.Candidate{at(event.ClassChat, -9000)}, c, 0)); d != "" {
		t.Errorf("chat takes a risk (-want +got):\n%s", d)
	}
}

func TestRunTimes(t *testing.T) {
	t.Parallel()
	prior := admission.NewPrior(3500)
	r := admission.NewRunTimes(prior)
	r.Observe(100)
	if got := r.MedianMs(); got != 3500 {
		t.Errorf("median %d of one run, want the assumed one", got)
	}
	for range 40 {
		r.Observe(900)
	}
	r.Observe(9000)
	if got := r.MedianMs(); got != 900 {
		t.Errorf("median %d, want 900", got)
	}
	for range 6 {
		r.Observe(5000)
	}
	if got := r.SafeMs(); got != 5000 {
		t.Errorf("safe time %d, want 5000", got)
	}
	if got := admission.NewRunTimes(prior).MedianMs(); got != 900 {
		t.Errorf("a new room expects %d, want what the others needed", got)
	}
}
