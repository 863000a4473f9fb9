package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams/topic"
)

// Provisioned is what was done and found.
type Provisioned struct {
	Created []string // topics that were missing
	Missing []string // topics that are missing
	Changed []string // what Differs was before Apply changed it
	Differs []string // one sentence for each existing topic's setting that is not the catalogue's
}

// Provision creates the missing topics as the catalogue has them, and says how
// existing ones differ. It changes nothing that exists.
func Provision(ctx context.Context, cfg Config, topics []topic.Topic) (Provisioned, error) {
	var out Provisioned
	cl, adm, have, err := listTopics(ctx, cfg)
	if err != nil {
		return out, err
	}
	defer cl.Close()
	var existing []topic.Topic
	var errs []error
	for _, t := range topics {
		if err := t.Validate(); err != nil {
			errs = append(errs, err)
			continue
		}
		if have.Has(t.Name) {
			existing = append(existing, t)
			continue
		}
		_, err := adm.CreateTopic(ctx, t.Partitions, -1, pointers(t.Configs()), t.Name)
		switch {
		case err == nil:
			out.Created = append(out.Created, t.Name)
		case errors.Is(err, kerr.TopicAlreadyExists): // another process was faster
			existing = append(existing, t)
		default:
			errs = append(errs, fmt.Errorf("kafka: create topic %s: %w", t.Name, classify(err)))
		}
	}
	if err := awaitTopics(ctx, cl, adm, topics); err != nil && len(errs) == 0 {
		return out, err
	}
	differs, err := differences(ctx, adm, existing)
	out.Differs = differs
	return out, errors.Join(append(errs, err)...)
}

// listTopics is a client, which the caller closes, and the topics that are there.
func listTopics(ctx context.Context, cfg Config) (*kgo.Client, *kadm.Client, kadm.TopicDetails, error) {
	cl, err := newClient(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, nil, err
	}
	adm := kadm.NewClient(cl)
	have, err := adm.ListTopics(ctx)
	if err != nil {
		cl.Close()
		return nil, nil, nil, fmt.Errorf("kafka: list topics of %v: %w", cfg.Brokers, classify(err))
	}
	return cl, adm, have, nil
}

// awaitTopics returns when every broker knows every topic with a leader for each
// partition: they learn of a new topic one after another, and whoever asks one
// that has not yet is told that there is none.
func awaitTopics(ctx context.Context, cl *kgo.Client, adm *kadm.Client, topics []topic.Topic) error {
	ctx, cancel := context.WithTimeout(ctx, awaitWithin)
	defer cancel()
	brokers, err := adm.ListBrokers(ctx)
	if err != nil {
		return fmt.Errorf("kafka: list brokers: %w", classify(err))
	}
	req := kmsg.NewMetadataRequest()
	for _, t := range topics {
		rt := kmsg.NewMetadataRequestTopic()
		rt.Topic = kmsg.StringPtr(t.Name)
		req.Topics = append(req.Topics, rt)
	}
	for _, b := range brokers {
		for {
			resp, err := req.RequestWith(ctx, cl.Broker(int(b.NodeID)))
			if err == nil {
				err = led(resp)
			} else if kgo.IsRetryableBrokerErr(err) || ctx.Err() == nil {
				break // a broker that is away need not know: it learns when it comes back
			}
			if err == nil {
				break
			}
			if clock.WallSleep(ctx, 20*time.Millisecond) != nil {
				return fault.Errorf(fault.Unavailable, "kafka: broker %d after %v: %w", b.NodeID, awaitWithin, err)
			}
		}
	}
	return nil
}

// awaitWithin bounds the wall time in which all brokers know all topics.
const awaitWithin = 20 * time.Second

// led is nil when each partition has a leader.
func led(resp *kmsg.MetadataResponse) error {
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return fmt.Errorf("topic %s: %w", *t.Topic, err)
		}
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil && p.Leader < 0 {
				return fmt.Errorf("topic %s partition %d: %w", *t.Topic, p.Partition, err)
			}
		}
	}
	return nil
}

func differences(ctx context.Context, adm *kadm.Client, topics []topic.Topic) ([]string, error) {
	if len(topics) == 0 {
		return nil, nil
	}
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.Name
	}
	have, err := adm.ListTopics(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("kafka: describe topics: %w", classify(err))
	}
	configs, err := adm.DescribeTopicConfigs(ctx, names...)
	if err != nil {
		return nil, fmt.Errorf("kafka: describe topic configs: %w", classify(err))
	}
	var out []string
	for _, t := range topics {
		if n := int32(len(have[t.Name].Partitions)); n != t.Partitions {
			out = append(out, fmt.Sprintf("topic %s has %d partitions, the catalogue says %d", t.Name, n, t.Partitions))
		}
		rc, err := configs.On(t.Name, nil)
		if err != nil {
			return out, fmt.Errorf("kafka: describe configs of %s: %w", t.Name, classify(err))
		}
		got := make(map[string]string)
		for _, c := range rc.Configs {
			got[c.Key] = c.MaybeValue()
		}
		want := t.Configs()
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if got[key] != want[key] {
				out = append(out, fmt.Sprintf("topic %s has %s=%s, the catalogue says %s", t.Name, key, got[key], want[key]))
			}
		}
	}
	return out, nil
}

func pointers(configs map[string]string) map[string]*string {
	out := make(map[string]*string, len(configs))
	for k, v := range configs {
		out[k] = &v
	}
	return out
}

// Brokers is how many brokers the cluster says it has.
func Brokers(ctx context.Context, cfg Config) (int, error) {
	cl, err := newClient(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	all, err := kadm.NewClient(cl).ListBrokers(ctx)
	if err != nil {
		return 0, fmt.Errorf("kafka: list brokers of %v: %w", cfg.Brokers, classify(err))
	}
	return len(all), nil
}
