package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

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
	cl, err := newClient(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return out, err
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	have, err := adm.ListTopics(ctx)
	if err != nil {
		return out, fmt.Errorf("kafka: list topics of %v: %w", cfg.Brokers, classify(err))
	}
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
	differs, err := differences(ctx, adm, existing)
	out.Differs = differs
	return out, errors.Join(append(errs, err)...)
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
