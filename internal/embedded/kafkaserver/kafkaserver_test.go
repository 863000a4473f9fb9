package kafkaserver_test

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"livehost/internal/embedded/kafkaserver"
	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir)
	}
	goleak.VerifyTestMain(m)
}

func testLog(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

func start(t testing.TB, dir string) *kafkaserver.Server {
	t.Helper()
	cfg := kafkaserver.DefaultConfig()
	cfg.DataDir = dir
	srv, err := kafkaserver.Start(cfg, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv
}

// held is how long a group would wait for a member that is gone: longer than a test
// waits for anything.
const held = 2 * testkit.Patience

func kafkaConfig(srv *kafkaserver.Server) kafka.Config {
	cfg := kafka.DefaultConfig()
	cfg.Brokers = srv.Addrs()
	cfg.SessionTimeout, cfg.DrainBudget = held, held
	return cfg
}

func provision(t testing.TB, cfg kafka.Config) {
	t.Helper()
	got, err := kafka.Provision(t.Context(), cfg, topic.All(topic.DefaultPartitions))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Differs) > 0 {
		t.Errorf("provisioned topics differ from the catalogue: %v", got.Differs)
	}
}

func danmaku(room event.RoomID, n int) event.Danmaku {
	return event.Danmaku{Schema: event.SchemaVersion, DanmakuID: event.DanmakuID(strconv.Itoa(n)), RoomID: room, Text: "这个多少钱", PlatformTimeMs: 1}
}

// ids are the danmaku of a room that the log holds, in order.
func ids(t testing.TB, cfg kafka.Config, room event.RoomID) (out []int) {
	t.Helper()
	r, err := kafka.NewReader(cfg, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = r.Read(t.Context(), event.TopicDanmaku, topic.PartitionOf(room, topic.DefaultPartitions), 0, func(rec streams.Record) error {
		d, err := event.Decode[event.Danmaku](rec.Value)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(d.DanmakuID))
		if err == nil && d.RoomID == room {
			out = append(out, n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Whatever times producers set, and however they compress, the log has the time
// of the append.
func TestAppendTimes(t *testing.T) {
	t.Parallel()
	srv := start(t, t.TempDir())
	cfg := kafkaConfig(srv)
	provision(t, cfg)
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "snappy": kgo.SnappyCompression(), "zstd": kgo.ZstdCompression(), "gzip": kgo.GzipCompression(), "lz4": kgo.Lz4Compression(),
	}
	for name, codec := range codecs {
		cl, err := kgo.NewClient(kgo.SeedBrokers(cfg.Brokers...), kgo.ProducerBatchCompression(codec), kgo.ProducerLinger(50*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		var records []*kgo.Record
		for i := range 100 {
			records = append(records, &kgo.Record{
				Topic: event.TopicOrder, Key: []byte("room"), Value: []byte(name + strconv.Itoa(i) + strings.Repeat(" compress me", 20)),
				Timestamp: time.UnixMilli(int64(i) * 3_600_000), // hours apart, long ago
				Headers:   []kgo.RecordHeader{{Key: "h", Value: []byte(strconv.Itoa(i))}},
			})
		}
		before := time.Now().Truncate(time.Millisecond)
		if err := cl.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		after := time.Now()
		cl.Close()
		r, err := kafka.NewReader(cfg, testLog(t))
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		_, err = r.Read(t.Context(), event.TopicOrder, topic.PartitionOf("room", topic.DefaultPartitions), 0, func(rec streams.Record) error {
			if !strings.HasPrefix(string(rec.Value), name) {
				return nil
			}
			if rec.AppendTime.Before(before) || rec.AppendTime.After(after) {
				t.Errorf("%s: record %d has append time %v, want within %v..%v", name, i, rec.AppendTime, before, after)
			}
			if want := string(records[i].Value); string(rec.Value) != want || rec.Headers["h"] != strconv.Itoa(i) {
				t.Errorf("%s: record %d is %q %v, want %q", name, i, rec.Value, rec.Headers, want)
			}
			i++
			return nil
		})
		r.Close()
		if err != nil || i != 100 {
			t.Errorf("%s: read %d records, %v, want 100", name, i, err)
		}
	}
}

func TestStartErrorsAreOneLineAndSayWhatToDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := start(t, dir)
	_, port, err := net.SplitHostPort(srv.Addrs()[0])
	if err != nil {
		t.Fatal(err)
	}
	used, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		cfg  kafkaserver.Config
		want []string
	}{
		{"directory in use", kafkaserver.Config{DataDir: dir, CleanInterval: time.Minute}, []string{strconv.Quote(dir), "in use by another process", "another directory"}},
		{"not a directory", kafkaserver.Config{DataDir: file, CleanInterval: time.Minute}, []string{strconv.Quote(file), "cannot be made", "can be written"}},
		{"port in use", kafkaserver.Config{Port: used, CleanInterval: time.Minute}, []string{"port " + port, "in use", "another port"}},
		{"port in use, own directory", kafkaserver.Config{Port: used, DataDir: t.TempDir(), CleanInterval: time.Minute}, []string{"port " + port, "in use"}},
		{"bad config", kafkaserver.Config{Port: -1}, []string{"port", "clean_interval"}},
	} {
		srv, err := kafkaserver.Start(tt.cfg, testLog(t))
		if err == nil {
			srv.Close()
			t.Errorf("%s: no error", tt.name)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", tt.name, err, want)
			}
		}
		if tt.name != "bad config" && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q is more than a line", tt.name, err)
		}
	}
}

// A consumer that was in the group when the broker closed does not hold up the next one.
func TestRestartFindsNoMembers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(instance string) {
		srv := start(t, dir)
		cfg := kafkaConfig(srv)
		provision(t, cfg)
		cl, err := kgo.NewClient(kgo.SeedBrokers(cfg.Brokers...), kgo.ConsumerGroup("g"), kgo.ConsumeTopics(event.TopicDanmaku), kgo.InstanceID(instance),
			kgo.SessionTimeout(held), kgo.RebalanceTimeout(held))
		if err != nil {
			t.Fatal(err)
		}
		pub, err := kafka.NewPublisher(cfg, testLog(t))
		if err != nil {
			t.Fatal(err)
		}
		for i := range topic.DefaultPartitions {
			if err := pub.Publish(t.Context(), danmaku(event.RoomID("r"+strconv.Itoa(i)), i)); err != nil {
				t.Fatal(err)
			}
		}
		pub.Close()
		ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
		defer cancel()
		if cl.PollFetches(ctx).NumRecords() == 0 {
			t.Fatalf("member %s waits for its partitions", instance)
		}
		srv.Close() // the broker goes first: the member cannot leave
		cl.Close()
	}
	run("first")
	run("second")
}

func TestRetentionAndCompaction(t *testing.T) {
	t.Parallel()
	cfg := kafkaserver.DefaultConfig()
	cfg.CleanInterval = 20 * time.Millisecond
	cfg.DataDir = t.TempDir()
	srv, err := kafkaserver.Start(cfg, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- srv.Run(ctx) }()
	kcfg := kafkaConfig(srv)
	topics := topic.All(1)
	for i := range topics {
		if topics[i].Name == event.TopicDanmaku {
			topics[i].Retention = 200 * time.Millisecond
		}
	}
	if _, err := kafka.Provision(t.Context(), kcfg, topics); err != nil {
		t.Fatal(err)
	}
	pub, err := kafka.NewPublisher(kcfg, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pub.Close()
	reader, err := kafka.NewReader(kcfg, testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	count := func(name string) (n int) {
		if _, err := reader.Read(t.Context(), name, 0, 0, func(streams.Record) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i := range 20 {
		state := event.RoomState{Schema: event.SchemaVersion, RoomID: event.RoomID("r" + strconv.Itoa(i%2)), ReadBack: map[string]int64{"x": int64(i)}, TimeMs: int64(i + 1)}
		if err := pub.Publish(t.Context(), danmaku("r", i), state); err != nil {
			t.Fatal(err)
		}
	}
	var d, s int
	if !testkit.Comes(func() bool {
		d, s = count(event.TopicDanmaku), count(event.TopicRoomState)
		return d == 0 && s >= 2 && s < 20
	}) {
		t.Fatalf("still %d expired danmaku and %d states of two rooms", d, s)
	}
	stop()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}
