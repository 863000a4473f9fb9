package clickhouse_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/analytics"
	"livehost/analytics/clickhouse"
	"livehost/internal/benchfile"
	"livehost/internal/clock"
	"livehost/internal/embedded/engine"
	"livehost/internal/embedded/engine/enginetest"
	"livehost/internal/embedded/kafkaserver"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// brokerDir, in the environment, makes the test binary a broker process.
const brokerDir = "ANALYTICS_BENCH_BROKER_DIR"

func serveBroker(dir string) {
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

func startBroker(b *testing.B) kafka.Config {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env, cmd.Stderr = append(os.Environ(), brokerDir+"="+b.TempDir()), os.Stderr
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
	cfg := kafka.DefaultConfig()
	cfg.Brokers = []string{strings.TrimSpace(addr)}
	if _, err := kafka.Provision(b.Context(), cfg, topic.All(topic.DefaultPartitions)); err != nil {
		b.Fatal(err)
	}
	return cfg
}

// benchEvent is what most of the log is: outcomes, then deliveries, then orders.
func benchEvent(i int) event.Event {
	room := event.RoomID("room-" + strconv.Itoa(i%500))
	switch {
	case i%10 < 7:
		o := outcome(i, event.Answered)
		o.RoomID = room
		return o
	case i%10 < 9:
		return event.Delivery{Schema: 1, DeliveryID: event.DeliveryID(strconv.Itoa(i)), ReplyID: event.WindowID("w" + strconv.Itoa(i)), RunID: event.RunID("w" + strconv.Itoa(i) + "#1"), RoomID: room,
			Outlet: "platform", Channel: event.Public, State: event.DeliveryEnded, Text: "亲，这款现在89元，下单48小时内发货，喜欢可以拍3号链接", DanmakuIDs: []event.DanmakuID{"1", "2"},
			Variant: "harness", HeardVariant: "harness", Intent: "price", Versions: versions, FirstAudioMs: evening, EndMs: evening + 4000, SpeakByMs: evening + 20_000, TimeMs: evening + int64(i)}
	}
	o := order("o"+strconv.Itoa(i), "u"+strconv.Itoa(i%10_000), 1, event.OrderPaid, 8900, evening+int64(i))
	o.RoomID = room
	return o
}

func fillLog(b *testing.B, cfg kafka.Config, n int) {
	b.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(cfg.Brokers...), kgo.ProducerLinger(5*time.Millisecond), kgo.ProducerBatchMaxBytes(128<<10), kgo.MaxBufferedRecords(100_000))
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	for i := range n {
		e := benchEvent(i)
		value, err := event.Encode(e)
		if err != nil {
			b.Fatal(err)
		}
		cl.Produce(b.Context(), &kgo.Record{Topic: e.Topic(), Key: []byte(e.Key()), Value: value}, func(_ *kgo.Record, err error) {
			if err != nil {
				b.Errorf("produce: %v", err)
			}
		})
	}
	if err := cl.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// bareLoop polls, decodes with the same codec and fills clickhouse-go batches; it
// sends them when 20,000 rows are there and commits. No redaction, no pseudonyms,
// no order per room, no retry.
func bareLoop(b *testing.B, cfg kafka.Config, e *engine.Engine, group string, n int) time.Duration {
	b.Helper()
	conn, err := driver.Open(&driver.Options{Protocol: driver.HTTP, Addr: []string{"engine"}, Auth: driver.Auth{Database: "livehost"}, DialContext: dialer(e)})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	start := time.Now()
	cl, err := kgo.NewClient(kgo.SeedBrokers(cfg.Brokers...), kgo.ConsumerGroup(group), kgo.DisableAutoCommit(), kgo.DisableClientMetrics(),
		kgo.ConsumeTopics(event.TopicOutcome, event.TopicDelivery, event.TopicOrder))
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	batches, rows := map[string]driverBatch{}, 0
	appendRow := func(table string, values ...any) {
		if batches[table] == nil {
			batches[table], err = conn.PrepareBatch(b.Context(), "INSERT INTO "+table+" ("+strings.Join(analytics.Columns[table], ", ")+")")
			if err != nil {
				b.Fatal(err)
			}
		}
		if err := batches[table].Append(values...); err != nil {
			b.Fatal(err)
		}
		rows++
	}
	flush := func() {
		for _, batch := range batches {
			if err := batch.Send(); err != nil {
				b.Fatal(err)
			}
		}
		clear(batches)
		rows = 0
		if err := cl.CommitUncommittedOffsets(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	for got := 0; got < n; {
		f := cl.PollRecords(b.Context(), 10_000)
		if err := f.Err(); err != nil {
			b.Fatal(err)
		}
		got += f.NumRecords()
		f.EachRecord(func(r *kgo.Record) { bareRow(b, r, appendRow) })
		if rows >= 20_000 || got == n {
			flush()
		}
	}
	return time.Since(start)
}

type driverBatch interface {
	Append(...any) error
	Send() error
}

func bareRow(b *testing.B, r *kgo.Record, row func(string, ...any)) {
	ms := func(v int64) time.Time { return time.UnixMilli(v).UTC() }
	switch r.Topic {
	case event.TopicOutcome:
		o, err := event.Decode[event.Outcome](r.Value)
		if err != nil {
			b.Fatal(err)
		}
		row("danmaku_outcomes", string(o.RoomID), string(o.DanmakuID), string(o.ViewerID), string(o.State), o.Reason, o.By, uint8(1), uint8(1), string(o.WindowID), string(o.RunID),
			string(o.CoverID), string(o.Channel), string(o.Variant), o.Intent, ms(o.PlatformMs), ms(o.ReplyMs), ms(o.TimeMs))
	case event.TopicDelivery:
		d, err := event.Decode[event.Delivery](r.Value)
		if err != nil {
			b.Fatal(err)
		}
		ids := make([]string, len(d.DanmakuIDs))
		for i, id := range d.DanmakuIDs {
			ids[i] = string(id)
		}
		row("deliveries", string(d.RoomID), string(d.DeliveryID), string(d.ReplyID), string(d.RunID), string(d.State), d.Reason, string(d.Channel), d.Outlet, d.Text, ids, string(d.ViewerID),
			string(d.Variant), string(d.HeardVariant), d.Intent, uint8(0), d.Versions.Release, d.Versions.PolicyVersion, d.Versions.HarnessHash, ms(d.FirstAudioMs), ms(d.EndMs), ms(d.SpeakByMs),
			d.SpeechQueuedMs, ms(d.TimeMs))
	case event.TopicOrder:
		o, err := event.Decode[event.Order](r.Value)
		if err != nil {
			b.Fatal(err)
		}
		row("order_events", string(o.OrderID), uint64(o.Seq), string(o.RoomID), string(o.MerchantID), string(o.ViewerID), string(o.ProductID), string(o.Status), o.AmountFen, o.Quantity,
			ms(o.TimeMs), r.Timestamp.UTC())
	}
}

// sinkLoop is the stage as it runs.
func sinkLoop(b *testing.B, cfg kafka.Config, c *clickhouse.Client, group string, n int) time.Duration {
	b.Helper()
	ac := analytics.DefaultConfig()
	ac.Group, ac.HashKey = group, hashKey
	as, err := analytics.New(ac, analytics.Deps{Store: c, Clock: clock.Real(), Log: silent})
	if err != nil {
		b.Fatal(err)
	}
	pub, err := kafka.NewPublisher(cfg, silent)
	if err != nil {
		b.Fatal(err)
	}
	defer pub.Close()
	counting := &countingHandler{Sink: as, left: int64(n), done: make(chan struct{})}
	binding := as.Binding()
	binding.Handler, binding.Topics = counting, []string{event.TopicOutcome, event.TopicDelivery, event.TopicOrder}
	con, err := kafka.NewConsumer(cfg, binding, pub, silent)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 2)
	start := time.Now()
	go func() { ended <- as.Run(ctx) }()
	go func() { ended <- con.Run(ctx) }()
	select {
	case <-counting.done:
	case err := <-ended:
		b.Fatalf("ended early: %v", err)
	}
	took := time.Since(start)
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}
	return took
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// figuresOfBench is the analytics key of bench.json.
type figuresOfBench struct {
	SinkRatio     float64 `json:"sink_ratio"` // rows/s against poll, same codec and bare clickhouse-go batches in the same run
	SinkRows      float64 `json:"sink_rows_per_s"`
	BareRows      float64 `json:"bare_rows_per_s"`
	EngineStartMs float64 `json:"engine_start_ms"`
	EngineRSSMB   float64 `json:"engine_rss_mb"` // after 1,000,000 rows
	GroupByMs     float64 `json:"groupby_1m_ms"`
}

// BenchmarkAnalytics measures everything once and writes bench.json; its own ns/op
// means nothing.
func BenchmarkAnalytics(b *testing.B) {
	var f figuresOfBench
	f.EngineStartMs = engineStart(b)
	e, c := store(b)
	f.GroupByMs, f.EngineRSSMB = millionRows(b, e, c)
	f.BareRows, f.SinkRows, f.SinkRatio = sinkAgainstBare(b)
	b.ReportMetric(f.SinkRatio, "sink_ratio")
	b.ReportMetric(f.SinkRows, "rows/s")
	b.ReportMetric(f.EngineStartMs, "engine_start_ms")
	b.ReportMetric(f.EngineRSSMB, "engine_rss_mb")
	b.ReportMetric(f.GroupByMs, "groupby_1m_ms")
	path, err := benchfile.Path()
	if err != nil {
		b.Fatal(err)
	}
	if err := benchfile.Merge(path, "analytics", f); err != nil {
		b.Fatal(err)
	}
}

func engineStart(b *testing.B) float64 {
	b.Helper()
	cfg := enginetest.Config(b)
	var took []time.Duration
	for range 7 {
		start := time.Now()
		e, err := engine.Start(b.Context(), cfg, silent)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return float64(median(took).Microseconds()) / 1000
}

// sinkAgainstBare runs the two in turn, each on a fresh engine: what else the
// machine does changes from second to second, so that neighbours are compared.
func sinkAgainstBare(b *testing.B) (bare, sink, ratio float64) {
	b.Helper()
	const n, rounds = 300_000, 5 // long enough that the last batch's wait for more rows does not count
	cfg := startBroker(b)
	fillLog(b, cfg, n)
	var bares, sinks []time.Duration
	var ratios []float64
	for i := range rounds {
		var took [2]time.Duration
		for _, which := range []int{i % 2, 1 - i%2} {
			e, err := engine.Start(b.Context(), enginetest.Config(b), silent)
			if err != nil {
				b.Fatal(err)
			}
			c := open(b, e)
			if which == 0 {
				took[which] = bareLoop(b, cfg, e, fmt.Sprint("bare", i), n)
			} else {
				took[which] = sinkLoop(b, cfg, c, fmt.Sprint("sink", i), n)
			}
			if got := number(b, c, "SELECT count() FROM v_danmaku_outcomes"); got != n*7/10 {
				b.Fatalf("%d outcomes", got)
			}
			if err := e.Close(); err != nil {
				b.Fatal(err)
			}
		}
		bares, sinks, ratios = append(bares, took[0]), append(sinks, took[1]), append(ratios, float64(took[0])/float64(took[1]))
		b.Logf("round %d: bare %v, sink %v", i, took[0], took[1])
	}
	slices.Sort(ratios)
	return n / median(bares).Seconds(), n / median(sinks).Seconds(), ratios[rounds/2]
}
