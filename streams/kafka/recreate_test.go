package kafka_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// Case 16: a topic is deleted and created again while members, producers and
// followers use it: they go on with the new one, from its start.
func TestStreamingCase16RecreatedTopic(t *testing.T) {
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	recreated(t, cluster.ListenAddrs())
}

func TestStreamingCase16RecreatedTopicOnRealServer(t *testing.T) {
	recreated(t, strings.Split(testkit.RealServer(t, testkit.KafkaBrokers), ","))
}

// own is a danmaku on a topic of the test's own.
type own struct {
	event.Danmaku
	topic string
}

func (o own) Topic() string { return o.topic }

func recreated(t *testing.T, brokers []string) {
	cfg := testConfig(brokers)
	cfg.CommitInterval, cfg.WatchInterval = 200*time.Millisecond, 100*time.Millisecond
	log := testLog(t)
	name := "recreated-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	topics := []topic.Topic{
		{Name: name, Partitions: 3, MaxRecordBytes: 1 << 20}, {Name: topic.DLQ(name), Partitions: 1, MaxRecordBytes: 1 << 20},
	}
	provision := func() {
		t.Helper()
		if _, err := kafka.Provision(t.Context(), cfg, topics); err != nil {
			t.Fatal(err)
		}
	}
	provision()
	pub, err := kafka.NewPublisher(cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pub.Close)
	publish := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			e := own{event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(strconv.Itoa(i)), RoomID: event.RoomID(strconv.Itoa(i % 7)), PlatformTimeMs: 1}, name}
			testkit.Eventually(t, "published", func() bool {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				return pub.Publish(ctx, e) == nil
			})
		}
	}
	var mu sync.Mutex
	handled, followed := map[string]int{}, map[string]int{}
	note := func(m map[string]int, r streams.Record) {
		d, err := event.Decode[event.Danmaku](r.Value)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		m[string(d.DanmakuID)]++
		mu.Unlock()
	}
	all := func(n int) func() bool {
		return func() bool { mu.Lock(); defer mu.Unlock(); return len(handled) == n && len(followed) == n }
	}
	consume := func(ctx context.Context) {
		con, err := kafka.NewConsumer(cfg, streams.Binding{Group: name, Topics: []string{name},
			Handler: handlerFunc(func(_ context.Context, r streams.Record, ack streams.Ack) { note(handled, r); ack(nil) })}, pub, log)
		if err == nil {
			err = con.Run(ctx)
		}
		if err != nil {
			t.Error(err)
		}
	}
	reader, err := kafka.NewReader(cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reader.Close)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	first, stopFirst := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); consume(first) }()
	wg.Go(func() {
		if err := reader.Follow(ctx, []string{name}, false, func(r streams.Record) { note(followed, r) }); err != nil {
			t.Error(err)
		}
	})
	publish(0, 30)
	testkit.Eventually(t, "the first topic is handled", all(30))
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	recreate := func() {
		t.Helper()
		if _, err := kadm.NewClient(cl).DeleteTopic(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "created again", func() bool {
			_, err := kafka.Provision(t.Context(), cfg, topics)
			return err == nil
		})
	}
	recreate()
	publish(30, 50)
	testkit.Eventually(t, "the new topic is handled from its start", all(50))
	stopFirst()
	<-done
	recreate() // while nobody consumes it
	publish(50, 60)
	wg.Go(func() { consume(ctx) })
	testkit.Eventually(t, "the third topic is handled from its start", all(60))
}
