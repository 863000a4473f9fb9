package kafka

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/streams"
)

// unitState is how far the life of a unit has come.
type unitState int

const (
	restoring unitState = iota + 1 // records wait
	open                           // records are handed over
	closing                        // nothing new starts, acknowledgements count
	closed                         // acknowledgements are too late
)

// unit is what is assigned and revoked as one: a partition, or the partitions of
// one number of all topics when the handler keeps state for them.
type unit struct {
	partition   int32
	ctx         context.Context // of the Handle calls, ends after the drain
	cancel      context.CancelFunc
	restore     context.Context // of the Assigned call, ends before the drain
	stopRestore context.CancelFunc
	restored    chan struct{} // closed when Assigned will not be called any more
	changed     chan struct{} // tells wait that something went down

	mu      sync.Mutex
	state   unitState
	opened  bool
	logs    map[string]*partitionLog // by topic
	moved   time.Time                // when records were handed over last, or none waited
	handed  int                      // handed over, not acknowledged
	running int                      // Handle calls under way
}

// partitionLog is the progress in one topic's partition.
type partitionLog struct {
	topic     string
	partition int32
	tracker   streams.Tracker
	paused    bool
	committed int64 // guarded by session.commitMu

	rank    int       // of the topic in its binding
	waiting []task    // taken, for their turn among the unit's topics
	due     int       // so many of them have had it
	queued  int       // taken, not handed over yet
	latest  time.Time // append time of the last record taken
	awaited int64     // up to here the log is known to reach, and others wait for it

	next int64   // the first offset not taken yet, -1 while unknown
	end  int64   // offset after the last stable record at the last fetch, -1 while unknown
	lost int64   // records that retention removed before they were taken
	ages []since // when records came in, ascending; the first is at or before the oldest unfinished
}

// since says that the records from offset on, up to that of the next one, are at
// least as old as at.
type since struct {
	offset int64
	at     time.Time
}

func (s *session) newPartitionLog(topic string, partition int32) *partitionLog {
	return &partitionLog{topic: topic, partition: partition, rank: slices.Index(s.binding.Topics, topic), next: -1, end: -1}
}

func (s *session) newUnit(partition int32) *unit {
	u := &unit{
		partition: partition, state: restoring, logs: make(map[string]*partitionLog),
		restored: make(chan struct{}), changed: make(chan struct{}, 1),
	}
	u.ctx, u.cancel = context.WithCancel(withOwner(s.work, s, u))
	u.restore, u.stopRestore = context.WithCancel(u.ctx)
	return u
}

// expect notes that offset is the group's committed one of the topic; negative
// ones mean that there is none.
func (u *unit) expect(topic string, offset int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if l := u.logs[topic]; l != nil && offset >= 0 {
		l.next = offset
	}
}

// start notes the records as started, and how many are missing before them. It
// returns nil when the unit takes none.
func (u *unit) start(p kgo.FetchTopicPartition) (l *partitionLog, lost int64, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	l = u.logs[p.Topic]
	if l == nil || (u.state != restoring && u.state != open) {
		return nil, 0, nil
	}
	l.end = p.HighWatermark
	if p.LastStableOffset >= 0 {
		l.end = min(l.end, p.LastStableOffset)
	}
	if len(p.Records) == 0 {
		return nil, 0, nil
	}
	first := p.Records[0]
	if l.next >= 0 && p.LogStartOffset > l.next && first.Offset > l.next {
		lost = min(p.LogStartOffset, first.Offset) - l.next
		l.lost += lost
	}
	if l.tracker.Unfinished() == 0 { // all that is known is of finished records
		l.ages = l.ages[:0]
	}
	for _, r := range p.Records {
		if err := l.tracker.Start(r.Offset); err != nil {
			return nil, lost, err
		}
	}
	last := p.Records[len(p.Records)-1]
	l.next, l.awaited, l.queued = last.Offset+1, max(l.awaited, l.end), l.queued+len(p.Records)
	if last.Timestamp.After(l.latest) {
		l.latest = last.Timestamp
	}
	l.ages = append(l.ages, since{first.Offset, first.Timestamp})
	return l, lost, nil
}

// progress is that of each of the unit's partitions.
func (u *unit) progress() []Progress {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := make([]Progress, 0, len(u.logs))
	for _, l := range u.logs {
		p := Progress{
			Topic: l.topic, Partition: l.partition, Committed: l.next, End: l.end,
			Unfinished: l.tracker.Unfinished(), Lost: l.lost, Paused: l.paused,
		}
		if oldest, ok := l.tracker.Oldest(); ok {
			for len(l.ages) > 1 && l.ages[1].offset <= oldest {
				l.ages = l.ages[1:]
			}
			p.Committed, p.Oldest = oldest, l.ages[0].at
		}
		out = append(out, p)
	}
	return out
}

// begin notes the next hand-over of t and its number; not ok when nothing may start.
func (u *unit) begin(t *task) (attempt int32, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.state != open {
		return 0, false
	}
	u.handed++
	u.running++
	if t.attempt++; t.attempt == 1 {
		t.log.queued--
	}
	t.acked = false
	return t.attempt, true
}

// skipHandler notes that a record is on its way without the handler.
func (u *unit) skipHandler(l *partitionLog) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.handed++
	l.queued--
}

// end notes that the Handle call of a hand-over has returned.
func (u *unit) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running--
	u.down()
}

func (u *unit) wasOpen() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.opened
}

// beginClose lets nothing new start.
func (u *unit) beginClose() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.state = closing
	for _, l := range u.logs {
		l.waiting = nil
	}
}

// endClose makes later acknowledgements void and reports how many are missing.
func (u *unit) endClose(cl *kgo.Client) (unfinished int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.state = closed
	for _, l := range u.logs {
		unfinished += l.tracker.Unfinished()
		u.resume(cl, l)
	}
	return unfinished
}

// wait returns true when cond, called with mu held, has become true, and false
// when ctx ends first. There is one waiter at a time.
func (u *unit) wait(ctx context.Context, cond func() bool) bool {
	for {
		u.mu.Lock()
		ok := cond()
		u.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-u.changed:
		case <-ctx.Done():
			return false
		}
	}
}

// down tells a waiter that handed or running has gone down.
func (u *unit) down() {
	if u.state == closing {
		select {
		case u.changed <- struct{}{}:
		default:
		}
	}
}

// grown adds the prefixes that are above the last commit to offsets.
func (u *unit) grown(offsets map[string]map[int32]kgo.EpochOffset) []*partitionLog {
	u.mu.Lock()
	defer u.mu.Unlock()
	var out []*partitionLog
	for _, l := range u.logs {
		offset, ok := l.tracker.Commit()
		if !ok || offset <= l.committed {
			continue
		}
		if offsets[l.topic] == nil {
			offsets[l.topic] = make(map[int32]kgo.EpochOffset)
		}
		offsets[l.topic][l.partition] = kgo.EpochOffset{Epoch: -1, Offset: offset}
		out = append(out, l)
	}
	return out
}

// keptPerUnfinished bounds what is kept behind one record that hangs while others
// of its partition go on, as a multiple of MaxUnfinished: it costs memory, and comes
// again after a crash.
const keptPerUnfinished = 100

// pause stops fetching for l when more than limit of its records are unfinished, or
// too many are kept because of one.
func (u *unit) pause(cl *kgo.Client, l *partitionLog, limit int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !l.paused && (l.tracker.Unfinished() > limit || l.tracker.Kept() > keptPerUnfinished*limit) {
		l.paused = true
		cl.PauseFetchPartitions(map[string][]int32{l.topic: {l.partition}})
	}
}

// relieved reports whether a paused l may go on: half of the limit is finished, and
// no more is kept than before it paused. What is kept shrinks by whole runs, so that
// it needs no slack: with one, a short backlog would halve what others may go on for
// behind a record that hangs.
func (l *partitionLog) relieved(limit int) bool {
	return l.tracker.Unfinished() <= limit/2 && l.tracker.Kept() <= keptPerUnfinished*limit
}

// resume undoes pause. The caller holds mu.
func (u *unit) resume(cl *kgo.Client, l *partitionLog) {
	if l.paused {
		l.paused = false
		cl.ResumeFetchPartitions(map[string][]int32{l.topic: {l.partition}})
	}
}
