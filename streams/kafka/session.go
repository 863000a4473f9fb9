package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/event"
)

const (
	heartbeatInterval = time.Second
	// commitTimeout bounds one commit: a broker that is away must not stop a drain.
	commitTimeout = 5 * time.Second
	// pollRecords is how many records are taken from the client at once: enough to
	// keep the lanes busy, few enough to be handled while they are in the cache.
	pollRecords = 1000
	// rejoinMargin is what a rebalance may take beside the drain.
	rejoinMargin = 25 * time.Second
)

// session is one run of a consumer: the client and the partitions it has now.
type session struct {
	*Consumer
	reader   *Reader
	topics   map[string]topicInfo
	assignee streams.Assignee // nil when the handler keeps no state
	lanes    *streams.Lanes[event.RoomID, task]
	batch    []task                  // dispatch's own, to be used again
	rooms    map[string]event.RoomID // dispatch's own: ids that came before
	taken    time.Time               // take's own: when it returned last

	ctx    context.Context // ends the polling
	cancel context.CancelFunc
	work   context.Context // of Assigned, Revoked and Handle: outlives ctx, so that work can drain

	changing sync.Mutex // held while partitions come and go
	client   *kgo.Client
	stopping bool

	began     time.Time
	confirmed atomic.Int64 // when the group last knew of us, wall nanoseconds after began

	commitMu   sync.Mutex     // one commit at a time: they cannot overtake each other
	background sync.WaitGroup // commits and watch

	mu    sync.Mutex
	units map[unitKey]*unit
	err   error // why the session ends by itself
	renew bool  // another session is to follow this one
}

// unitKey names a unit. The topic is empty when the handler keeps state per
// partition number: then all topics' partitions of that number are one unit.
type unitKey struct {
	topic     string
	partition int32
}

func newSession(ctx context.Context, c *Consumer, r *Reader, topics map[string]topicInfo) (*session, error) {
	s := &session{
		Consumer: c, reader: r, topics: topics, work: context.WithoutCancel(ctx), began: time.Now(),
		taken: time.Now(), units: make(map[unitKey]*unit), rooms: make(map[string]event.RoomID),
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.assignee, _ = c.binding.Handler.(streams.Assignee)
	s.lanes = streams.NewLanes(c.binding.Lanes, s.handle)
	// The client calls back from its own goroutine, perhaps before NewClient
	// returns: the callbacks wait for this lock.
	s.changing.Lock()
	defer s.changing.Unlock()
	cl, err := newClient(c.cfg, c.log, s.options()...)
	if err != nil {
		s.cancel()
		return nil, err
	}
	s.client = cl
	return s, nil
}

// options are what makes the client a member of the group.
func (s *session) options() []kgo.Opt {
	c := s.Consumer
	balancer := kgo.CooperativeStickyBalancer()
	if s.assignee != nil {
		balancer = newTogether()
	}
	opts := []kgo.Opt{
		kgo.ConsumerGroup(c.binding.Group),
		kgo.ConsumeTopics(c.binding.Topics...),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.Balancers(balancer),
		kgo.SessionTimeout(c.cfg.SessionTimeout),
		kgo.HeartbeatInterval(heartbeatInterval),
		kgo.RebalanceTimeout(max(c.cfg.DrainBudget, c.binding.Drain) + rejoinMargin),
		kgo.DisableAutoCommit(),
		kgo.KeepControlRecords(), // they have offsets, which must be committed past
		kgo.BlockRebalanceOnPoll(),
		kgo.AdjustFetchOffsetsFn(s.adjust),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, m map[string][]int32) { s.assigned(m) }),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, m map[string][]int32) { s.revoked(m, true) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, m map[string][]int32) { s.revoked(m, false) }),
	}
	if c.cfg.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(c.cfg.InstanceID))
	}
	return opts
}

// poll hands records over until the session's context ends.
func (s *session) poll() {
	s.background.Go(s.commitRegularly)
	s.background.Go(s.watch)
	for s.ctx.Err() == nil {
		fetches := s.take()
		if fetches.IsClientClosed() {
			return
		}
		fetches.EachError(func(topic string, partition int32, err error) {
			if idle := topic == "" && errors.Is(err, context.DeadlineExceeded); !idle && s.ctx.Err() == nil {
				s.log.Warn("fetch failed", "topic", topic, "partition", partition, "err", err)
			}
		})
		fetches.EachPartition(s.dispatch)
		if s.ordered() {
			for _, u := range s.all() {
				s.batch = s.handOver(u, s.batch)
			}
		}
		s.client.AllowRebalance()
		s.lanes.Wait(s.ctx.Done())
	}
}

// stop gives all partitions up and leaves the group.
func (s *session) stop() {
	s.cancel()
	s.changing.Lock()
	s.stopping = true
	s.release(s.all(), s.binding.Drain, true)
	s.changing.Unlock()
	s.background.Wait()
	s.client.CloseAllowingRebalance()
}

// fail ends the session with err; the first one counts.
func (s *session) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.cancel()
}

// restart ends the session to begin another one, from the committed offsets.
func (s *session) restart() {
	s.mu.Lock()
	s.renew = true
	s.mu.Unlock()
	s.cancel()
}

// again says that the session ended to begin another one.
func (s *session) again() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.renew && s.err == nil
}

func (s *session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *session) key(topic string, partition int32) unitKey {
	if s.assignee != nil {
		topic = ""
	}
	return unitKey{topic, partition}
}

func (s *session) unit(topic string, partition int32) *unit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.units[s.key(topic, partition)]
}

func (s *session) all() []*unit {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*unit, 0, len(s.units))
	for _, u := range s.units {
		out = append(out, u)
	}
	return out
}

// assigned takes partitions over. It returns before their state is restored:
// their records wait in the units.
func (s *session) assigned(partitions map[string][]int32) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.stopping {
		return
	}
	s.confirmedAt(time.Now()) // the group has just told us
	var fresh []*unit
	s.mu.Lock()
	for topic, numbers := range partitions {
		for _, n := range numbers {
			u := s.units[s.key(topic, n)]
			if u == nil {
				u = s.newUnit(n)
				s.units[s.key(topic, n)] = u
				fresh = append(fresh, u)
			}
			u.logs[topic] = s.newPartitionLog(topic, n)
		}
	}
	s.mu.Unlock()
	for _, u := range fresh {
		go s.restore(u)
	}
}

// restore lets the handler rebuild the unit's state, then hands over what has
// come in meanwhile.
func (s *session) restore(u *unit) {
	defer close(u.restored)
	for attempt := 0; s.assignee != nil; attempt++ {
		err := s.assignee.Assigned(u.restore, u.partition)
		if err == nil {
			break
		}
		if u.restore.Err() != nil {
			return
		}
		if !retriable(err) {
			s.fail(fmt.Errorf("kafka: group %s: restore partition %d: %w", s.binding.Group, u.partition, err))
			return
		}
		s.log.Warn("restore failed, will try again", "partition", u.partition, "err", err)
		if clock.WallSleep(u.restore, s.cfg.delay(err, attempt)) != nil {
			return
		}
	}
	s.open(u)
}

// revoked gives partitions up: owned ones after a drain and a commit, lost ones
// at once, since they may have another owner already.
func (s *session) revoked(partitions map[string][]int32, owned bool) {
	s.changing.Lock()
	defer s.changing.Unlock()
	seen := make(map[*unit]bool)
	var units []*unit
	for topic, numbers := range partitions {
		for _, n := range numbers {
			if u := s.unit(topic, n); u != nil && !seen[u] {
				seen[u] = true
				units = append(units, u)
			}
		}
	}
	budget := s.cfg.DrainBudget
	if !owned && len(units) > 0 {
		budget = 0
		s.log.Warn("partitions are lost: the group gave them away, what is under way is cut off", "partitions", len(units))
	}
	s.release(units, budget, owned)
}

// release drains the units side by side within budget, commits their prefixes and
// forgets them; without a commit when they are not owned any more. The caller holds
// changing.
func (s *session) release(units []*unit, budget time.Duration, owned bool) {
	if len(units) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(s.work, budget)
	defer cancel()
	var wg sync.WaitGroup
	for _, u := range units {
		u.beginClose()
		if !owned {
			u.cancel() // whatever is under way has nobody to do it for, and writes nothing more
		}
		wg.Go(func() { s.drain(ctx, u) })
	}
	wg.Wait()
	if owned {
		s.commit(units)
	}
	s.mu.Lock()
	for _, u := range units {
		for topic := range u.logs {
			delete(s.units, s.key(topic, u.partition))
		}
	}
	s.mu.Unlock()
	for _, u := range units {
		if left := u.endClose(s.client); left > 0 {
			s.log.Info("partition given up with unfinished records", "partition", u.partition, "unfinished", left)
		}
	}
}

// drain ends the unit's work: nothing new has started since beginClose.
func (s *session) drain(ctx context.Context, u *unit) {
	u.stopRestore()
	<-u.restored
	switch {
	case !u.wasOpen():
	case s.assignee != nil:
		s.assignee.Revoked(withOwner(ctx, s, u), u.partition)
	default:
		u.wait(ctx, func() bool { return u.handed == 0 })
	}
	u.cancel()
	// A Handle call must not outlive its partition: the next owner may start.
	grace, cancel := context.WithTimeout(s.work, time.Second)
	defer cancel()
	if !u.wait(grace, func() bool { return u.running == 0 }) {
		s.log.Error("handler does not return although its context ended", "partition", u.partition)
	}
}
