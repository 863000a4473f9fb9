package pacing_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/dispatcher/pacing"
	"livehost/streams/event"
)

func TestLength(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want time.Duration
	}{
		{"", 0},
		{"今天直播价八十九", 8 * time.Second * 10 / 45},
		{strings.Repeat("a ", 7), time.Second},
		{"这款iPhone很好", 4*time.Second*10/45 + 6*time.Second/14},
		{strings.Repeat("好", 60), 60 * time.Second * 10 / 45},
	} {
		if got := pacing.Length(tt.text); math.Abs(float64(got-tt.want)) > float64(2*time.Millisecond) {
			t.Errorf("Length(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	var q pacing.Queue[string]
	push := func(v string, class event.Class, by int64) {
		q.Push(pacing.Item[string]{Class: class, SpeakByMs: by, Length: time.Second, Value: v})
	}
	push("chat", 3, 10)
	push("buy-late", 1, 30)
	push("question", 2, 5)
	push("buy-early", 1, 20)
	push("buy-early-2", 1, 20)
	push("gift", 4, 1)
	if got, want := q.Waiting(), 6*(time.Second+pacing.Gap); got != want {
		t.Errorf("Waiting = %v, want %v", got, want)
	}
	// CASES P13, low class makes way: a new purchase waits for purchases only.
	if got, want := q.Ahead(pacing.Item[string]{Class: 1, SpeakByMs: 25}), 2*(time.Second+pacing.Gap); got != want {
		t.Errorf("Ahead = %v, want %v", got, want)
	}
	if v, ok := q.Find(func(v string) bool { return strings.HasPrefix(v, "buy") }); v != "buy-early" || !ok {
		t.Errorf("Find = %q, %v", v, ok)
	}
	late := q.Take(func(it pacing.Item[string]) bool { return it.SpeakByMs < 10 })
	if diff := cmp.Diff([]string{"question", "gift"}, late); diff != "" {
		t.Errorf("Take (-want +got):\n%s", diff)
	}
	var order []string
	for {
		it, ok := q.Pop()
		if !ok {
			break
		}
		order = append(order, it.Value)
	}
	if diff := cmp.Diff([]string{"buy-early", "buy-early-2", "buy-late", "chat"}, order); diff != "" || q.Len() != 0 {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
