package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/internal/fault"
)

// commitOffsets commits and returns the partitions the broker refused.
func commitOffsets(ctx context.Context, cl *kgo.Client, offsets map[string]map[int32]kgo.EpochOffset) (map[unitKey]error, error) {
	var failed error
	refused := make(map[unitKey]error)
	cl.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		if err != nil {
			failed = err
			return
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					refused[unitKey{t.Topic, p.Partition}] = err
				}
			}
		}
	})
	return refused, failed
}

// topicInfo is what a session must know of a topic.
type topicInfo struct {
	id         kadm.TopicID // another one when the topic was created again
	partitions int32
}

// describe describes topics, which must exist.
func describe(ctx context.Context, admin *kadm.Client, names []string) (map[string]topicInfo, error) {
	have, err := admin.ListTopics(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("kafka: list topics: %w", classify(err))
	}
	out := make(map[string]topicInfo, len(names))
	for _, name := range names {
		t := have[name]
		if len(t.Partitions) == 0 {
			return nil, fault.Errorf(fault.Internal, "kafka: topic %s does not exist; provision the topics first", name)
		}
		out[name] = topicInfo{id: t.ID, partitions: int32(len(t.Partitions))}
	}
	return out, nil
}

// changes are the topics of known that are other than that by now: again exist under
// another id, more have more partitions. A topic that is away may come back, and fewer
// partitions are what a broker says that has not heard of all.
func changes(ctx context.Context, admin *kadm.Client, known map[string]topicInfo) (again []string, more map[string]topicInfo, err error) {
	if len(known) == 0 {
		return nil, nil, nil
	}
	have, err := admin.ListTopics(ctx, slices.Collect(maps.Keys(known))...)
	if err != nil {
		return nil, nil, fmt.Errorf("kafka: list topics: %w", classify(err))
	}
	more = make(map[string]topicInfo)
	for name, t := range known {
		switch now := have[name]; {
		case len(now.Partitions) > 0 && now.ID != t.id:
			again = append(again, name)
		case int32(len(now.Partitions)) > t.partitions:
			more[name] = topicInfo{id: t.id, partitions: int32(len(now.Partitions))}
		}
	}
	slices.Sort(again)
	return again, more, nil
}

// stampCommits notes with each committed offset which incarnation of the topic it
// counts in.
func stampCommits(ctx context.Context, known map[string]topicInfo) context.Context {
	return kgo.PreCommitFnContext(ctx, func(req *kmsg.OffsetCommitRequest) error {
		for i := range req.Topics {
			t := &req.Topics[i]
			info, ok := known[t.Topic]
			if !ok {
				continue
			}
			for j := range t.Partitions {
				t.Partitions[j].Metadata = kmsg.StringPtr(info.id.String())
			}
		}
		return nil
	})
}

// dropForeign replaces the committed offsets that count in a former incarnation
// of a topic by the start of the log.
func (r *Reader) dropForeign(ctx context.Context, group string, known map[string]topicInfo, offsets map[string]map[int32]kgo.Offset) error {
	committed, err := r.admin.FetchOffsets(ctx, group)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("kafka: offsets of group %s: %w", group, classify(err))
	}
	for name, partitions := range offsets {
		for p := range partitions {
			o, ok := committed.Lookup(name, p)
			if ok && o.Metadata != "" && o.Metadata != known[name].id.String() {
				partitions[p] = kgo.NewOffset().AtStart()
			}
		}
	}
	return nil
}
