package agentworker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"livehost/streams/event"
)

func waiting(id, room string, class event.Class, deadline int) *job {
	return &job{
		window:   event.Window{WindowID: event.WindowID(id), RoomID: event.RoomID(room), Variant: "v", Class: class},
		deadline: time.Unix(int64(deadline), 0),
	}
}

func TestScheduleOrder(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000, 0)
	held := waiting("lease", "c", event.ClassPurchase, 1)
	held.notBefore = now.Add(3 * time.Second)
	for _, tt := range []struct {
		name     string
		max, per int
		jobs     []*job
		want     string
	}{
		{"class, then deadline", 9, 9, []*job{
			waiting("chat", "a", event.ClassChat, 1), waiting("late", "a", event.ClassPurchase, 9), waiting("soon", "b", event.ClassPurchase, 5),
		}, "soon late chat"},
		{"round robin on equal deadlines", 9, 9, []*job{
			waiting("a1", "a", 1, 5), waiting("a2", "a", 1, 5), waiting("b1", "b", 1, 5), waiting("b2", "b", 1, 5),
		}, "a1 b1 a2 b2"},
		{"two of one room", 9, 2, []*job{
			waiting("a1", "a", 1, 1), waiting("a2", "a", 1, 2), waiting("a3", "a", 1, 3), waiting("b1", "b", 3, 9),
		}, "a1 a2 b1"},
		{"bounded", 2, 9, []*job{waiting("1", "a", 1, 1), waiting("2", "b", 1, 2), waiting("3", "c", 1, 3)}, "1 2"},
		{"a lease elsewhere", 9, 9, []*job{held, waiting("1", "a", 1, 9)}, "1"},
	} {
		s := newSchedule(tt.max, tt.per)
		for _, j := range tt.jobs {
			s.add(j)
		}
		var got []string
		for j := s.next(now); j != nil; j = s.next(now) {
			got = append(got, string(j.window.WindowID))
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, g, tt.want)
		}
	}
	s := newSchedule(9, 9)
	s.add(held)
	if at := s.wake(now); !at.Equal(held.notBefore) {
		t.Errorf("wake at %v, want %v", at, held.notBefore)
	}
}

func BenchmarkSchedule(b *testing.B) {
	s := newSchedule(8, 2)
	for i := range 200 {
		s.add(waiting(fmt.Sprint(i), fmt.Sprint(i%60), event.Class(1+i%3), i))
	}
	now := time.Unix(1_000, 0)
	for b.Loop() {
		j := s.next(now)
		s.finished(j)
		s.add(j)
	}
}
