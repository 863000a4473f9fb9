package kafka

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// stale is the age of an unfinished record, in wall time, from which on it is
// told of. Work on a danmaku ends long before.
const stale = time.Minute

// watch looks regularly for topics that were created again or have new partitions, and
// for records that wait too long.
func (s *session) watch() {
	tick := time.NewTicker(s.cfg.WatchInterval)
	defer tick.Stop()
	told := make(map[unitKey]time.Time)
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		again, more, err := changes(s.ctx, s.reader.admin, s.topics)
		if err == nil && len(again) > 0 {
			s.log.Error("topics were deleted and created again; their old offsets are void", "topics", again)
			s.restart()
			return
		}
		if n := s.grown(more); err == nil && n > 0 {
			s.log.Warn("topics have more partitions; begins again with all of them", "topics", s.binding.Topics, "partitions", n)
			s.restart()
			return
		}
		s.tellStale(told)
	}
}

// grown is how many partitions all of the topics have when some have more than the session
// knows, and 0 while they differ: whoever adds them is not done yet. The client would learn
// of new partitions minutes later.
func (s *session) grown(more map[string]topicInfo) (n int32) {
	if len(more) == 0 {
		return 0
	}
	for name, info := range s.topics {
		if now, ok := more[name]; ok {
			info = now
		}
		if n > 0 && info.partitions != n {
			return 0
		}
		n = info.partitions
	}
	return n
}

// tellStale logs each partition whose oldest unfinished record is stale, once in
// a while.
func (s *session) tellStale(told map[unitKey]time.Time) {
	for _, p := range s.progress() {
		key := unitKey{p.Topic, p.Partition}
		if p.Oldest.IsZero() || time.Since(p.Oldest) < stale || time.Since(told[key]) < stale {
			continue
		}
		told[key] = time.Now()
		s.log.Warn("records wait", "topic", p.Topic, "partition", p.Partition, "offset", p.Committed,
			"age", time.Since(p.Oldest).Round(time.Second), "unfinished", p.Unfinished, "lag", p.Lag())
	}
}

// Progress is how far a member is in one partition.
type Progress struct {
	Topic      string
	Partition  int32
	Committed  int64     // offset after the finished prefix; -1: not known yet
	End        int64     // offset after the last stable record, as of the last fetch; -1: not known yet
	Unfinished int       // records taken and not finished
	Oldest     time.Time // about when the oldest of them came into the log; zero: there is none
	Lost       int64     // records that retention removed before they were taken
	Paused     bool      // too much is unfinished: no more is fetched
}

// Lag is how many records are not finished, taken or not.
func (p Progress) Lag() int64 {
	if p.End < 0 || p.Committed < 0 {
		return 0
	}
	return max(0, p.End-p.Committed)
}

// Progress is the member's progress in each partition it has now, ordered by
// topic and partition.
func (c *Consumer) Progress() []Progress {
	if s := c.session.Load(); s != nil {
		return s.progress()
	}
	return nil
}

func (s *session) progress() []Progress {
	var out []Progress
	for _, u := range s.all() {
		out = append(out, u.progress()...)
	}
	slices.SortFunc(out, func(a, b Progress) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return out
}

// Ready reports whether the consumer owns partitions and has restored all of them.
func (c *Consumer) Ready() bool {
	s := c.session.Load()
	if s == nil {
		return false
	}
	units := s.all()
	for _, u := range units {
		select {
		case <-u.restored:
		default:
			return false
		}
	}
	return len(units) > 0
}

// Running is the consumers of a process, for those who watch it. Safe for
// concurrent use.
type Running struct {
	mu        sync.Mutex
	consumers []*Consumer
}

func (r *Running) add(c *Consumer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.consumers = append(r.consumers, c)
}

// Each calls fn with the group of each consumer and its progress in each partition.
func (r *Running) Each(fn func(group string, p Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.consumers {
		for _, p := range c.Progress() {
			fn(c.binding.Group, p)
		}
	}
}

// Ready reports whether every consumer of the process is.
func (r *Running) Ready() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.consumers {
		if !c.Ready() {
			return false
		}
	}
	return len(r.consumers) > 0
}
