package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// adjust is called with the committed offsets of partitions that were assigned.
// Those that count in a former incarnation of a topic are void; the others say
// what the first record must be, lest something was lost.
func (s *session) adjust(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	if err := s.reader.dropForeign(ctx, s.binding.Group, s.topics, offsets); err != nil {
		return nil, err
	}
	for topic, partitions := range offsets {
		for n, o := range partitions {
			if u := s.unit(topic, n); u != nil {
				u.expect(topic, o.EpochOffset().Offset)
			}
		}
	}
	s.reach(ctx)
	return offsets, nil
}

func (s *session) commitRegularly() {
	tick := time.NewTicker(s.cfg.CommitInterval)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
			s.commit(s.all())
		}
	}
}

// commit records the prefixes that have grown since the last commit.
func (s *session) commit(units []*unit) {
	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	grown := make(map[string]map[int32]kgo.EpochOffset)
	var logs []*partitionLog
	for _, u := range units {
		logs = append(logs, u.grown(grown)...)
	}
	if len(logs) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(s.work, commitTimeout)
	defer cancel()
	asked := time.Now()
	refused, err := commitOffsets(stampCommits(ctx, s.topics), s.client, grown)
	if err != nil {
		s.logCommit(err)
		return
	}
	if len(refused) == 0 { // the group takes commits of its members only
		s.confirmedAt(asked)
	}
	for _, l := range logs {
		if err := refused[unitKey{l.topic, l.partition}]; err != nil {
			s.logCommit(fmt.Errorf("%s partition %d: %w", l.topic, l.partition, err))
			continue
		}
		l.committed = grown[l.topic][l.partition].Offset
	}
}

// rewind commits that the group begins again at the records of p: the broker has lost some,
// and writes others at their offsets. What it had acknowledged of the former ones says
// nothing of these.
func (s *session) rewind(u *unit, p kgo.FetchTopicPartition) {
	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	u.mu.Lock()
	l := u.logs[p.Topic]
	at := p.Records[0].Offset
	if oldest, ok := l.tracker.Oldest(); ok {
		at = min(at, oldest)
	}
	u.mu.Unlock()
	if l.committed == math.MaxInt64 {
		return // before
	}
	l.committed = math.MaxInt64 // nothing more in this session
	ctx, cancel := context.WithTimeout(s.work, 4*commitTimeout)
	defer cancel()
	for {
		refused, err := commitOffsets(stampCommits(ctx, s.topics), s.client, map[string]map[int32]kgo.EpochOffset{
			p.Topic: {p.Partition: {Epoch: -1, Offset: at}},
		})
		if err = cmp.Or(err, refused[unitKey{p.Topic, p.Partition}]); err == nil {
			return
		}
		select {
		case <-time.After(rewindWait): // around a rebalance commits are refused as a matter of course
		case <-ctx.Done():
			s.log.Error("could not go back, records may be lost", "topic", p.Topic, "partition", p.Partition, "offset", at, "err", err)
			return
		}
	}
}

// rewindWait is between two attempts of a rewind, in wall time.
const rewindWait = 200 * time.Millisecond

// logCommit tells of a failed commit. It is tried again at the next tick; around
// a rebalance the broker refuses them as a matter of course.
func (s *session) logCommit(err error) {
	level := slog.LevelWarn
	if errors.Is(err, context.Canceled) {
		level = slog.LevelDebug
	}
	s.log.Log(s.work, level, "commit failed, will be tried again", "err", err)
}
