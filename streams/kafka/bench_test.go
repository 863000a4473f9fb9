package kafka_test

import (
	"bufio"
	"context"
	stdjson "encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-json"
	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/internal/embedded/kafkaserver"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// brokerDir, in the environment, makes the test binary a broker process.
const brokerDir = "KAFKA_BENCH_BROKER_DIR"

// broker serves until its standard input ends.
func broker(dir string) {
	cfg := kafkaserver.DefaultConfig()
	cfg.DataDir = dir
	srv, err := kafkaserver.Start(cfg, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(srv.Addrs()[0])
	_, _ = io.Copy(io.Discard, os.Stdin)
	srv.Close()
	os.Exit(0)
}

// startBroker runs a broker in another process, so that its work is not ours.
func startBroker(b *testing.B) []string {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), brokerDir+"="+b.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return []string{strings.TrimSpace(addr)}
}

// copied is a danmaku for another topic.
type copied struct {
	event.Danmaku
	topic string
}

func (c copied) Topic() string { return c.topic }

// loop copies n records of the topic in to the topic out, decoding and encoding each.
type loop func(b *testing.B, cfg kafka.Config, in, out string, n int)

// benchLoop fills a topic, then measures the loop over it: the time, and this
// process's CPU time, a record.
func benchLoop(b *testing.B, run loop) {
	cfg := testConfig(startBroker(b))
	fillLoop(b, cfg, b.N)
	cpu := cpuTime()
	b.ResetTimer()
	run(b, cfg, benchIn, benchOut, b.N)
	b.StopTimer()
	b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// The topics of the loops.
const benchIn, benchOut = "bench-in", "bench-out"

// fillLoop makes the topics and puts n danmaku into the first one.
func fillLoop(b *testing.B, cfg kafka.Config, n int) {
	b.Helper()
	topics := []topic.Topic{
		{Name: benchIn, Partitions: topic.DefaultPartitions, MaxRecordBytes: 1 << 20},
		{Name: benchOut, Partitions: topic.DefaultPartitions, MaxRecordBytes: 1 << 20},
	}
	if _, err := kafka.Provision(b.Context(), cfg, topics); err != nil {
		b.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(cfg.Brokers...), kgo.ProducerLinger(5*time.Millisecond))
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	for i := range n {
		d := event.Danmaku{
			Schema: 1, DanmakuID: event.DanmakuID(strconv.Itoa(9007199254740993 + i)), RoomID: event.RoomID("room-" + strconv.Itoa(i%500)),
			BroadcastID: "b-20260101", MerchantID: "m-1", Source: "gateway", ViewerID: event.ViewerID(strconv.Itoa(i % 10_000)),
			ViewerName: "小明同学", Text: "主播这个连衣裙多少钱呀有没有优惠", PlatformTimeMs: 1_760_000_000_000 + int64(i),
		}
		value, err := event.Encode(d)
		if err != nil {
			b.Fatal(err)
		}
		cl.Produce(b.Context(), &kgo.Record{Topic: benchIn, Key: []byte(d.RoomID), Value: value}, nil)
	}
	if err := cl.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// rawLoop is the plain client library: one goroutine that polls, and a producer
// whose acknowledgements nobody waits for until the end. It commits what it
// polled, whether or not the copies were acknowledged: less work than ours.
func rawLoop(unmarshal func([]byte, any) error, marshal func(any) ([]byte, error)) loop {
	return func(b *testing.B, cfg kafka.Config, in, out string, n int) {
		cl, err := kgo.NewClient(kgo.SeedBrokers(cfg.Brokers...), kgo.ConsumerGroup("raw"), kgo.ConsumeTopics(in),
			kgo.ProducerLinger(0), kgo.FetchMaxWait(250*time.Millisecond), kgo.DisableClientMetrics())
		if err != nil {
			b.Fatal(err)
		}
		defer cl.Close()
		var left sync.WaitGroup
		left.Add(n)
		for got := 0; got < n; {
			fetches := cl.PollFetches(b.Context())
			got += fetches.NumRecords()
			fetches.EachRecord(func(r *kgo.Record) {
				var d event.Danmaku
				if err := unmarshal(r.Value, &d); err != nil {
					b.Error(err)
				}
				value, err := marshal(d)
				if err != nil {
					b.Error(err)
				}
				cl.Produce(b.Context(), &kgo.Record{Topic: out, Key: []byte(d.RoomID), Value: value}, func(_ *kgo.Record, err error) {
					if err != nil {
						b.Error(err)
					}
					left.Done()
				})
			})
		}
		left.Wait()
	}
}

// streamsLoop is ours, with the codec's plain decoding, the same as rawLoop's.
func streamsLoop(b *testing.B, cfg kafka.Config, in, out string, n int) {
	streamsLoopWith(b, cfg, in, out, n, event.Decode[event.Danmaku])
}

// stageLoop is ours as the aggregator uses it: what is decoded refers to the record.
func stageLoop(b *testing.B, cfg kafka.Config, in, out string, n int) {
	streamsLoopWith(b, cfg, in, out, n, event.DecodeInPlace[event.Danmaku])
}

func streamsLoopWith(b *testing.B, cfg kafka.Config, in, out string, n int, decode func([]byte) (event.Danmaku, error)) {
	log := slog.New(slog.DiscardHandler)
	pub, err := kafka.NewPublisher(cfg, log)
	if err != nil {
		b.Fatal(err)
	}
	defer pub.Close()
	var left atomic.Int64
	left.Store(int64(n))
	ctx, cancel := context.WithCancel(b.Context())
	h := handlerFunc(func(ctx context.Context, r streams.Record, ack streams.Ack) {
		d, err := decode(r.Value)
		if err != nil {
			ack(err)
			return
		}
		pub.Send(ctx, func(err error) {
			ack(err)
			if left.Add(-1) == 0 {
				cancel()
			}
		}, copied{Danmaku: d, topic: out})
	})
	con, err := kafka.NewConsumer(cfg, streams.Binding{
		Group: "streams", Topics: []string{in}, Handler: h, MaxUnfinished: 10000,
	}, pub, log)
	if err != nil {
		b.Fatal(err)
	}
	if err := con.Run(ctx); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkLoopRawGoccy(b *testing.B) {
	benchLoop(b, rawLoop(func(v []byte, to any) error { return json.Unmarshal(v, to) }, json.Marshal))
}

func BenchmarkLoopRawEncodingJSON(b *testing.B) {
	benchLoop(b, rawLoop(stdjson.Unmarshal, stdjson.Marshal))
}

func BenchmarkLoopStreams(b *testing.B) { benchLoop(b, streamsLoop) }

func BenchmarkLoopStage(b *testing.B) { benchLoop(b, stageLoop) }
