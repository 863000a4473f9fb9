package admission

import (
	"cmp"
	"slices"

	"livehost/aggregator/window"
	"livehost/streams/event"
)

// Order is the policy of who goes first.
type Order struct {
	StarveMs  int64 // waiting this long is worth one class
	PerViewer int   // waiting danmaku of one viewer beyond these go down one class, beyond twice as many two, ...
}

// Sort returns the indexes of in, most urgent first: effective class, then
// earliest answer_by, then the order of in.
func (o Order) Sort(in []window.Candidate, nowMs int64) []int {
	rank := make([]int64, len(in))
	seen := map[event.ViewerID]int{}
	out := make([]int, len(in))
	for i, c := range in {
		out[i] = i
		rank[i] = int64(c.Class) - max(0, nowMs-c.PlatformMs)/o.StarveMs
		if c.Last {
			rank[i]++
		}
		if len(in) > o.PerViewer && !c.Viewer.Anonymous() {
			rank[i] += int64(seen[c.Viewer] / o.PerViewer)
			seen[c.Viewer]++
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(in[a].AnswerByMs, in[b].AnswerByMs))
	})
	return out
}

// Capacity is what a room has for one variant.
type Capacity struct {
	FreeAtMs []int64 // when each slot is free; the past means now
	OnceMs   int64   // when a slot is free for one more window, the first to be filled; 0: none
	Members  int     // danmaku of one window
	RunMs    int64   // median time from window to reply
	SafeMs   int64   // time that most runs keep within; at least RunMs
}

// Beyond returns the indexes of ordered candidates that cannot be answered by
// their answer_by. What a free slot can start now needs the median run. What has
// to wait for a slot needs a safe one, and so does chat, or those let in last would
// be late half of the time; slots are expected to be free again a little sooner than the median,
// so that nothing is given up that a quicker run would have reached.
func Beyond(ordered []window.Candidate, c Capacity, nowMs int64) []int {
	if len(c.FreeAtMs) == 0 || c.Members < 1 {
		return nil
	}
	var few [8]int64
	free := append(few[:0], c.FreeAtMs...)
	var out []int
	start, left := int64(0), 0
	once := c.OnceMs
	for i, cand := range ordered {
		if nowMs+c.RunMs > cand.AnswerByMs {
			out = append(out, i) // too late even for a free slot
			continue
		}
		if left == 0 && once > 0 && once < slices.Min(free) {
			start, left, once = max(once, nowMs), c.Members, 0
		}
		if left == 0 {
			slot := slices.Index(free, slices.Min(free))
			start, left = max(free[slot], nowMs), c.Members
			free[slot] = start + c.RunMs*3/4
		}
		need := c.RunMs
		if start > nowMs || cand.Chat() {
			need = max(c.SafeMs, c.RunMs)
		}
		if start+need > cand.AnswerByMs {
			out = append(out, i)
			continue
		}
		left--
	}
	return out
}
