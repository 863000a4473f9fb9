package kafka

import (
	"context"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A handler that keeps state of several topics sees a partition as it went on: its
// records are handed over in the order of their appends, whatever the topic (ADR 16).
// A fetch brings them topic by topic, and after a stall seconds of each: a question
// would come before the product that was shown well before it.

const (
	// patience is how long records wait for an older one of another topic that the log
	// has and no fetch brings.
	patience = 2 * time.Second
	// beat is how long a poll waits at most: the loop looks at what waits as often, and
	// has stalled when it was away for two.
	beat = 500 * time.Millisecond
)

// ordered says that the order of appends counts between topics.
func (s *session) ordered() bool { return s.assignee != nil && len(s.binding.Topics) > 1 }

// take polls. What has been fetched of one topic must be seen before what has been of
// the others is handed over, so then all of it is taken at once.
func (s *session) take() kgo.Fetches {
	if !s.ordered() {
		return s.client.PollRecords(s.ctx, pollRecords)
	}
	ctx, cancel := context.WithTimeout(s.ctx, beat)
	defer cancel()
	fetches := s.client.PollFetches(ctx)
	now := time.Now()
	if now.Sub(s.taken) > 2*beat { // much may have come, and brokers answer one after another
		s.reach(s.ctx)
		now = time.Now()
	}
	s.taken = now
	return fetches
}

// reach asks how far the logs reach, so that topics which other brokers have are waited
// for. Without an answer they are not.
func (s *session) reach(ctx context.Context) {
	if !s.ordered() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ends, err := s.reader.admin.ListCommittedOffsets(ctx, s.binding.Topics...)
	var starts kadm.ListedOffsets
	if err == nil {
		starts, err = s.reader.admin.ListStartOffsets(ctx, s.binding.Topics...)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("how far the logs reach is not known, topics may be out of step", "err", err)
		}
		return
	}
	for _, u := range s.all() {
		u.await(starts, ends)
	}
}

// await notes how far the unit's logs reach. Those of which retention has left nothing have
// nothing to wait for, whatever their offsets.
func (u *unit) await(starts, ends kadm.ListedOffsets) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.moved = time.Now()
	for _, l := range u.logs {
		start, ok := starts.Lookup(l.topic, l.partition)
		end, found := ends.Lookup(l.topic, l.partition)
		if ok && found && start.Err == nil && end.Err == nil && start.Offset < end.Offset {
			l.awaited = max(l.awaited, end.Offset)
		}
	}
}

// keep lets the tasks of l wait for their turn, and is false when there is nothing to
// wait for.
func (u *unit) keep(l *partitionLog, tasks []task, ordered bool) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.state != restoring && !ordered {
		return false
	}
	if u.state == restoring || u.state == open {
		l.waiting = append(l.waiting, tasks...)
	}
	return true
}

// open starts handing over, first what has waited for the unit's state.
func (s *session) open(u *unit) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.state != restoring {
		return
	}
	u.state, u.opened, u.moved = open, true, time.Now()
	s.put(u.take(nil, u.moved))
}

// handOver puts what is due of the unit into the lanes, by way of batch, which it
// returns to be used again.
func (s *session) handOver(u *unit, batch []task) []task {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.state == open {
		batch = u.take(batch[:0], time.Now())
		s.put(batch)
	}
	return batch
}

// put puts the tasks into their lanes. The caller holds the unit's mu, so that no later
// ones overtake them.
func (s *session) put(tasks []task) {
	if len(tasks) > 0 {
		s.lanes.PutAll(tasks, taskRoom)
		clear(tasks)
	}
}

// take adds the waiting tasks whose turn has come to out: by append time, and of the
// same millisecond in the order in which the binding names the topics. The caller
// holds mu.
func (u *unit) take(out []task, now time.Time) []task {
	var few [8]*partitionLog
	logs := few[:0]
	for _, l := range u.logs {
		if len(l.waiting) > 0 {
			logs = append(logs, l)
		}
	}
	if len(logs) == 0 {
		u.moved = now
		return out
	}
	slices.SortFunc(logs, func(a, b *partitionLog) int { return a.rank - b.rank })
	until, bounded := u.horizon(now)
	for l := earliest(logs); l != nil && !(bounded && l.turn().After(until)); l = earliest(logs) {
		out = append(out, l.waiting[l.due])
		l.due++
		u.moved = now
	}
	for _, l := range logs {
		l.waiting, l.due = slices.Delete(l.waiting, 0, l.due), 0
		if len(l.waiting) == 0 && cap(l.waiting) > pollRecords { // of a stall, which is over
			l.waiting = nil
		}
	}
	return out
}

// earliest is the log whose turn it is, nil when nothing waits.
func earliest(logs []*partitionLog) (first *partitionLog) {
	for _, l := range logs {
		if l.due < len(l.waiting) && (first == nil || l.turn().Before(first.turn())) {
			first = l
		}
	}
	return first
}

// turn is the append time of the next waiting record.
func (l *partitionLog) turn() time.Time { return l.waiting[l.due].rec.AppendTime }

// horizon is up to which append time everything has been taken; not bounded when no
// log is behind. The caller holds mu.
func (u *unit) horizon(now time.Time) (until time.Time, bounded bool) {
	late := now.Sub(u.moved) >= patience
	for _, l := range u.logs {
		if !l.behind() {
			continue
		}
		if late { // not again before it moves
			l.awaited = 0
			continue
		}
		if !bounded || l.latest.Before(until) {
			until, bounded = l.latest, true
		}
	}
	return until, bounded
}

// behind says that l has records which a fetch is about to bring. It is none when
// nothing more of l will come before acknowledgements do: they may depend on records
// of the other topics.
func (l *partitionLog) behind() bool {
	return max(l.next, 0) < l.awaited && (!l.paused || l.queued > 0)
}
