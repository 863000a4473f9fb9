package window_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/aggregator/window"
	"livehost/streams/event"
)

func TestPick(t *testing.T) {
	t.Parallel()
	c := func(key string, class event.Class) window.Candidate { return window.Candidate{Key: key, Class: class} }
	for _, tt := range []struct {
		name    string
		in      []window.Candidate
		members int
		want    []int
	}{
		{"nothing", nil, 8, nil},
		{"one", []window.Candidate{c("a", 1)}, 8, []int{0}},
		{"same question first", []window.Candidate{c("a", 1), c("b", 1), c("c", 2), c("a", 1)}, 2, []int{0, 3}},
		{"then same class", []window.Candidate{c("a", 1), c("b", 2), c("c", 1)}, 2, []int{0, 2}},
		{"then the rest", []window.Candidate{c("a", 1), c("b", 2), c("c", 1)}, 8, []int{0, 2, 1}},
	} {
		if d := cmp.Diff(tt.want, window.Pick(tt.in, tt.members)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestLimitsAndMode(t *testing.T) {
	t.Parallel()
	l := window.Limits{Members: 8, PerVariant: 2, PerRoom: 4}
	for _, tt := range []struct{ variant, room, want int }{{0, 0, 2}, {1, 3, 1}, {2, 2, 0}, {0, 4, 0}, {1, 4, 0}, {3, 5, 0}} {
		if got := l.Free(tt.variant, tt.room); got != tt.want {
			t.Errorf("Free(%d, %d) = %d, want %d", tt.variant, tt.room, got, tt.want)
		}
	}
	if window.Mode(0) != event.Single || window.Mode(1) != event.Single || window.Mode(2) != event.Multi {
		t.Error("mode")
	}
}
