package audit

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"livehost/streams/event"
)

// Section 1 of the design: what one room may have.
const (
	windowMembers   = 8
	inFlightVariant = 2
	inFlightRoom    = 4
	answerWithinMs  = 15_000
	speakWithin     = 20 * time.Second
)

// demand is one danmaku that capacity could have served.
type demand struct {
	room    event.RoomID
	variant event.Variant
	atMs    int64
}

// group is whose windows a danmaku may share.
type group struct {
	room    event.RoomID
	variant event.Variant
}

// capacityBound is how many of the danmaku an offline earliest-deadline greedy
// serves with the given policy slots when every run takes runMs: at each moment
// that a slot is free, the waiting danmaku with the earliest deadline that can
// still be met opens a window, which up to seven more of its room and variant
// share. A danmaku counts when its window ends by its deadline.
func capacityBound(demands []demand, slots int, runMs int64) int {
	demands = slices.Clone(demands)
	slices.SortStableFunc(demands, func(a, b demand) int { return cmp.Compare(a.atMs, b.atMs) })
	s := scheduler{waiting: map[group][]int64{}, inGroup: map[group]int{}, inRoom: map[event.RoomID]int{}}
	served, now := 0, int64(0)
	for len(demands) > 0 || len(s.waiting) > 0 {
		for len(demands) > 0 && demands[0].atMs <= now {
			g := group{demands[0].room, demands[0].variant}
			s.waiting[g] = append(s.waiting[g], demands[0].atMs)
			demands = demands[1:]
		}
		s.finish(now)
		for s.running.Len() < slots {
			n := s.start(now, runMs)
			if n == 0 {
				break
			}
			served += n
		}
		next, ok := s.next(now, demands)
		if !ok {
			break
		}
		now = next
	}
	return served
}

type scheduler struct {
	waiting map[group][]int64 // arrival times, ascending; the deadline order too
	running ends
	inGroup map[group]int
	inRoom  map[event.RoomID]int
}

// finish frees what the windows that end by now held.
func (s *scheduler) finish(now int64) {
	for s.running.Len() > 0 && s.running[0].ms <= now {
		w := heap.Pop(&s.running).(end)
		s.inGroup[w.group]--
		s.inRoom[w.group.room]--
	}
}

// start opens the most urgent window that may run, and returns its members.
func (s *scheduler) start(now, runMs int64) int {
	var best group
	found := false
	for g, at := range s.waiting {
		late := 0
		for late < len(at) && at[late]+answerWithinMs < now+runMs {
			late++
		}
		if at = at[late:]; len(at) == 0 {
			delete(s.waiting, g)
			continue
		}
		s.waiting[g] = at
		if s.inGroup[g] >= inFlightVariant || s.inRoom[g.room] >= inFlightRoom {
			continue
		}
		if !found || at[0] < s.waiting[best][0] || at[0] == s.waiting[best][0] && less(g, best) {
			best, found = g, true
		}
	}
	if !found {
		return 0
	}
	n := min(windowMembers, len(s.waiting[best]))
	if s.waiting[best] = s.waiting[best][n:]; len(s.waiting[best]) == 0 {
		delete(s.waiting, best)
	}
	s.inGroup[best]++
	s.inRoom[best.room]++
	heap.Push(&s.running, end{ms: now + max(runMs, 1), group: best})
	return n
}

// less makes the choice among equal deadlines the same every time.
func less(a, b group) bool {
	if a.room != b.room {
		return a.room < b.room
	}
	return a.variant < b.variant
}

// next is the next moment at which something can change.
func (s *scheduler) next(now int64, demands []demand) (int64, bool) {
	switch arrives, ends := len(demands) > 0, s.running.Len() > 0; {
	case arrives && ends:
		return min(demands[0].atMs, s.running[0].ms), true
	case arrives:
		return demands[0].atMs, true
	case ends:
		return s.running[0].ms, true
	default:
		return now, false
	}
}

// end is when a running window ends; ends is a heap of them.
type end struct {
	ms    int64
	group group
}

type ends []end

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i].ms < e[j].ms }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }

// Push and Pop are heap.Interface's.
func (e *ends) Push(x any) { *e = append(*e, x.(end)) }

// Pop removes the last.
func (e *ends) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
