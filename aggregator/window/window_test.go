package window_test

import (
	"fmt"
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

func TestChatApartFromQuestions(t *testing.T) {
	t.Parallel()
	of := func(classes ...event.Class) (out []window.Candidate) {
		for i, c := range classes {
			out = append(out, window.Candidate{Key: fmt.Sprint(i), Class: c, PlatformMs: int64(1000 * i)})
		}
		return out
	}
	if d := cmp.Diff([]int{0, 2}, window.Pick(of(event.ClassPurchase, event.ClassChat, event.ClassQuestion, event.ClassChat), 8)); d != "" {
		t.Errorf("questions (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]int{0, 2}, window.Pick(of(event.ClassChat, event.ClassPurchase, event.ClassChat), 8)); d != "" {
		t.Errorf("chat (-want +got):\n%s", d)
	}
	fill := window.Fill{Members: 3, WaitMs: 5000}
	for _, tt := range []struct {
		name string
		in   []window.Candidate
		idle bool
		now  int64
		want bool

		pressed bool // by questions
	}{
		{"not full", of(3, 3), false, 2000, false, false},
		{"full", of(3, 3, 3), false, 2000, true, false},
		{"questions do not fill it", of(3, 1, 3, 2), false, 2000, false, false},
		{"waited", of(3), false, 5000, true, false},
		{"nothing else to do", of(3), true, 0, true, false},
		{"no chat", of(1, 2), true, 9000, false, false},
		{"one waited while questions press", of(3), false, 9000, false, true},
		{"half a window while questions press", of(3, 3), false, 9000, true, true},
		{"what says nothing while questions press", []window.Candidate{{Class: 3, Last: true}, {Class: 3, Last: true}, {Class: 3, Last: true}}, false, 9000, false, true},
	} {
		if got := fill.Due(tt.in, tt.idle, tt.pressed, tt.now); got != tt.want {
			t.Errorf("%s: due %v", tt.name, got)
		}
	}
}
