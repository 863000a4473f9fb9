package kafka_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"livehost/internal/embedded/kafkaserver"
	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/kafka"
	"livehost/streams/streamstest"
	"livehost/streams/topic"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(brokerDir); dir != "" {
		broker(dir)
	}
	if spec := os.Getenv(memberSpec); spec != "" {
		member(spec)
	}
	goleak.VerifyTestMain(m)
}

type handlerFunc func(context.Context, streams.Record, streams.Ack)

func (fn handlerFunc) Handle(ctx context.Context, r streams.Record, ack streams.Ack) { fn(ctx, r, ack) }

func TestConformanceEmbedded(t *testing.T) {
	t.Parallel()
	streamstest.Run(t, func(t *testing.T) streamstest.System {
		return openSystem(t, testConfig(embedded(t)))
	})
}

func TestConformanceKafka(t *testing.T) {
	t.Parallel()
	brokers := testkit.RealServer(t, testkit.KafkaBrokers)
	streamstest.Run(t, func(t *testing.T) streamstest.System {
		return openSystem(t, testConfig(strings.Split(brokers, ",")))
	})
}

func testLog(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// embedded starts a broker in memory for the test.
func embedded(t *testing.T) []string {
	t.Helper()
	srv, err := kafkaserver.Start(kafkaserver.DefaultConfig(), testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv.Addrs()
}

func testConfig(brokers []string) kafka.Config {
	cfg := kafka.DefaultConfig()
	cfg.Brokers = brokers
	cfg.DrainBudget = 500 * time.Millisecond
	cfg.CommitInterval = 20 * time.Millisecond
	cfg.RetryMin = 10 * time.Millisecond
	return cfg
}

func openSystem(t *testing.T, cfg kafka.Config) streamstest.System {
	t.Helper()
	log := testLog(t)
	if _, err := kafka.Provision(t.Context(), cfg, topic.All(topic.DefaultPartitions)); err != nil {
		t.Fatal(err)
	}
	pub, err := kafka.NewPublisher(cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pub.Close)
	reader, err := kafka.NewReader(cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reader.Close)
	cl, err := kgo.NewClient(kgo.SeedBrokers(cfg.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return streamstest.System{
		Publisher: pub,
		Reader:    reader,
		Join: func(b streams.Binding) (streamstest.Member, error) {
			return kafka.NewConsumer(cfg, b, pub, log)
		},
		Committed: func(ctx context.Context, group, topicName string) (map[int32]int64, error) {
			offsets, err := kadm.NewClient(cl).FetchOffsets(ctx, group)
			if err != nil && !errors.Is(err, kerr.GroupIDNotFound) { // no commit yet
				return nil, err
			}
			out := make(map[int32]int64)
			for _, o := range offsets[topicName] {
				out[o.Partition] = o.At
			}
			return out, nil
		},
	}
}
