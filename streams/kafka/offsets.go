package kafka

import (
	"context"
	"fmt"

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

// counts are the numbers of partitions of the topics, which must exist.
func (r *Reader) counts(ctx context.Context, topics []string) (map[string]int32, error) {
	have, err := r.admin.ListTopics(ctx, topics...)
	if err != nil {
		return nil, fmt.Errorf("kafka: list topics: %w", classify(err))
	}
	out := make(map[string]int32, len(topics))
	for _, name := range topics {
		n := int32(len(have[name].Partitions))
		if n == 0 {
			return nil, fault.Errorf(fault.Internal, "kafka: topic %s does not exist; provision the topics first", name)
		}
		out[name] = n
	}
	return out, nil
}
