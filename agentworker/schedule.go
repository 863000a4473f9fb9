package agentworker

import (
	"slices"
	"time"

	"livehost/streams"
	"livehost/streams/event"
)

// job is one window on its way through the stage.
type job struct {
	window    event.Window
	partition int32
	ack       streams.Ack
	received  time.Time // wall
	deadline  time.Time // room: the earliest end a run of it may have
	notBefore time.Time // wall: another attempt's lease
}

func (j *job) lane() lane { return lane{j.window.RoomID, j.window.Variant} }

type lane struct {
	room    event.RoomID
	variant event.Variant
}

// schedule holds the waiting jobs and says which goes next: by class, then by
// earliest deadline, then the room served longest ago. It is not safe for
// concurrent use. Queues are short (the aggregator keeps a few windows per room in
// flight), so it looks at all of them.
type schedule struct {
	maxRuns, perLane int

	waiting []*job
	running int
	lanes   map[lane]int
	served  map[event.RoomID]uint64
	turn    uint64
}

func newSchedule(maxRuns, perLane int) *schedule {
	return &schedule{maxRuns: maxRuns, perLane: perLane, lanes: map[lane]int{}, served: map[event.RoomID]uint64{}}
}

func (s *schedule) add(j *job) { s.waiting = append(s.waiting, j) }

// next takes the job to start at the wall instant, nil when none may start.
func (s *schedule) next(now time.Time) *job {
	if s.running >= s.maxRuns {
		return nil
	}
	best := -1
	for i, j := range s.waiting {
		if j.notBefore.After(now) || s.lanes[j.lane()] >= s.perLane {
			continue
		}
		if best < 0 || s.before(j, s.waiting[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	j := s.waiting[best]
	s.waiting = slices.Delete(s.waiting, best, best+1)
	s.running++
	s.lanes[j.lane()]++
	s.turn++
	s.served[j.window.RoomID] = s.turn
	return j
}

func (s *schedule) before(a, b *job) bool {
	if a.window.Class != b.window.Class {
		return a.window.Class < b.window.Class
	}
	if !a.deadline.Equal(b.deadline) {
		return a.deadline.Before(b.deadline)
	}
	return s.served[a.window.RoomID] < s.served[b.window.RoomID]
}

// finished frees what next took.
func (s *schedule) finished(j *job) {
	s.running--
	l := j.lane()
	if s.lanes[l]--; s.lanes[l] == 0 {
		delete(s.lanes, l)
	}
	for _, w := range s.waiting {
		if w.window.RoomID == l.room {
			return
		}
	}
	delete(s.served, l.room)
}

// wake is the wall instant at which a waiting job's lease ends; zero when none waits for one.
func (s *schedule) wake(now time.Time) time.Time {
	var at time.Time
	for _, j := range s.waiting {
		if j.notBefore.After(now) && (at.IsZero() || j.notBefore.Before(at)) {
			at = j.notBefore
		}
	}
	return at
}

// drop takes out the jobs that match.
func (s *schedule) drop(match func(*job) bool) []*job {
	var out []*job
	s.waiting = slices.DeleteFunc(s.waiting, func(j *job) bool {
		if match(j) {
			out = append(out, j)
			return true
		}
		return false
	})
	return out
}
