package window

import "livehost/streams/event"

// Candidate is one waiting danmaku.
type Candidate struct {
	Viewer     event.ViewerID
	Key        string // question key
	Class      event.Class
	PlatformMs int64 // corrected platform time: order and waiting time
	AnswerByMs int64
	Last       bool // of its class: says nothing that an answer could take up
}

// Limits is what may be in flight.
type Limits struct {
	Members    int // danmaku in one window
	PerVariant int // windows of one room and variant
	PerRoom    int // windows of one room
}

// Free is how many more windows of the variant may open.
func (l Limits) Free(variantInFlight, roomInFlight int) int {
	return max(0, min(l.PerVariant-variantInFlight, l.PerRoom-roomInFlight))
}

// Mode is the room's mode when waiting danmaku of all its variants wait: multi
// as soon as one would have to wait for another.
func Mode(waiting int) event.Mode {
	if waiting > 1 {
		return event.Multi
	}
	return event.Single
}

// Chat reports whether a danmaku is chat, which never shares a window with
// questions: one reply to both would serve neither.
func (c Candidate) Chat() bool { return c.Class >= event.ClassChat }

// Fill is how long chat waits for its window to become full.
type Fill struct {
	Members int
	WaitMs  int64 // since the platform time of the oldest
}

// Due reports whether the chat among ordered may have a window: it fills one, the
// oldest has waited long enough, or nothing else is going on. When questions press for
// its place, it takes half a window of chat that says something.
func (f Fill) Due(ordered []Candidate, idle, pressed bool, nowMs int64) bool {
	n, waited := 0, false
	for _, c := range ordered {
		if c.Chat() && !(pressed && c.Last) {
			n++
			waited = waited || nowMs >= c.PlatformMs+f.WaitMs
		}
	}
	return n > 0 && idle || n >= f.Members || waited && (!pressed || 2*n >= f.Members)
}

// Pick takes the members of one window from candidates of one variant in
// admission order, most urgent first: the first, those that ask the same, those
// of its class, then the rest, chat apart from questions. It returns indexes,
// ascending within each group.
func Pick(ordered []Candidate, members int) []int {
	if len(ordered) == 0 || members < 1 {
		return nil
	}
	head := ordered[0]
	groups := []func(Candidate) bool{
		func(c Candidate) bool { return c.Key == head.Key },
		func(c Candidate) bool { return c.Class == head.Class },
		func(c Candidate) bool { return c.Chat() == head.Chat() },
	}
	picked := make([]int, 0, min(members, len(ordered)))
	taken := make([]bool, len(ordered))
	for _, in := range groups {
		for i, c := range ordered {
			if len(picked) == members {
				return picked
			}
			if !taken[i] && in(c) {
				taken[i] = true
				picked = append(picked, i)
			}
		}
	}
	return picked
}
