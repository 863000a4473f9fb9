package app_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"livehost/internal/embedded/kafkaserver"
	"livehost/internal/fault"
	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// refusing dead-letters the danmaku with these texts.
type refusing []string

func (no refusing) Handle(_ context.Context, r streams.Record, ack streams.Ack) {
	d, err := event.Decode[event.Danmaku](r.Value)
	if err == nil && slices.Contains(no, d.Text) {
		err = fault.Errorf(fault.Invalid, "no")
	}
	ack(err)
}

// What was replayed is not replayed again, however many letters there are of it: viewers
// would seem to say everything several times.
func TestReplayAllReplaysOnce(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	srv, err := kafkaserver.Start(kafkaserver.DefaultConfig(), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	cfg := kafka.DefaultConfig()
	cfg.Brokers = srv.Addrs()
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
	count := func(name string, partition int32) (n int) {
		t.Helper()
		if _, err := reader.Read(t.Context(), name, partition, 0, func(streams.Record) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const room = event.RoomID("room")
	danmaku := func() int { return count(event.TopicDanmaku, topic.PartitionOf(room, topic.DefaultPartitions)) }
	letters := func() (all, replayed int) {
		t.Helper()
		_, out, _ := run("dlq", "list", event.TopicDanmaku, "--json", "--config", brokers(t, srv))
		return strings.Count(out, "\n"), strings.Count(out, `"replayed":true`)
	}
	refuse := func(group string, want int, texts ...string) { // until there are so many letters
		t.Helper()
		c, err := kafka.NewConsumer(cfg, streams.Binding{Group: group, Topics: []string{event.TopicDanmaku}, Handler: refusing(texts)}, pub, log)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- c.Run(ctx) }()
		testkit.Eventually(t, group+" has refused", func() bool { all, _ := letters(); return all == want })
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	replay := func(want string) {
		t.Helper()
		code, out, errs := run("dlq", "replay", event.TopicDanmaku, "--all", "--config", brokers(t, srv))
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("replay: exit %d, %q, %q; want %q", code, out, errs, want)
		}
	}
	for _, text := range []string{"好看吗", "几号发货"} {
		if err := pub.Publish(t.Context(), event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(text), RoomID: room, Text: text, PlatformTimeMs: 1}); err != nil {
			t.Fatal(err)
		}
	}
	refuse("one", 2, "好看吗", "几号发货")
	refuse("another", 3, "好看吗")
	replay("2 of 2 dead letters")
	replay("0 of 0 dead letters")
	if n := danmaku(); n != 4 {
		t.Errorf("%d danmaku in the log, want the two and what was replayed of them", n)
	}
	refuse("one", 5, "好看吗", "几号发货") // still poison
	if all, replayed := letters(); all != 5 || replayed != 3 {
		t.Errorf("%d letters, %d replayed; want 5 and the 3 older ones", all, replayed)
	}
	replay("2 of 2 dead letters")
	if n := danmaku(); n != 6 {
		t.Errorf("%d danmaku in the log, want each once more", n)
	}
}

// brokers is a configuration file that names the server.
func brokers(t *testing.T, srv *kafkaserver.Server) string {
	return write(t, "kafka.yaml", "kafka: {brokers: ['"+strings.Join(srv.Addrs(), "','")+"']}\n")
}
