package clickhouse_test

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"livehost/analytics"
	"livehost/analytics/clickhouse"
	"livehost/analytics/schema"
	"livehost/internal/clock"
	"livehost/internal/embedded/engine"
	"livehost/internal/embedded/engine/enginetest"
	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
)

func TestMain(m *testing.M) {
	enginetest.Main()
	if dir := os.Getenv(brokerDir); dir != "" {
		serveBroker(dir)
	}
	os.Exit(m.Run())
}

var silent = slog.New(slog.DiscardHandler)

const hashKey = "0123456789abcdef"

// open connects to e, with the schema in place.
func open(t testing.TB, e *engine.Engine) *clickhouse.Client {
	t.Helper()
	cfg := clickhouse.DefaultConfig()
	cfg.DSN = "http://engine"
	c, err := clickhouse.Open(t.Context(), cfg, e.Dial)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := schema.Migrate(t.Context(), c.DB(), silent); err != nil {
		t.Fatal(err)
	}
	return c
}

// store is a fresh engine with the schema.
func store(t testing.TB) (*engine.Engine, *clickhouse.Client) {
	t.Helper()
	e := enginetest.Start(t, enginetest.Config(t))
	return e, open(t, e)
}

// sink is a running sink and how many records it has acknowledged or given up.
type sink struct {
	*analytics.Sink
	stop func() error

	mu    sync.Mutex
	acked int
	errs  []error
}

func newSink(t testing.TB, s analytics.Store, change ...func(*analytics.Config)) *sink {
	t.Helper()
	cfg := analytics.DefaultConfig()
	cfg.HashKey, cfg.MaxWait, cfg.RetryMin, cfg.RetryMax = hashKey, 20*time.Millisecond, 10*time.Millisecond, 100*time.Millisecond
	for _, f := range change {
		f(&cfg)
	}
	as, err := analytics.New(cfg, analytics.Deps{Store: s, Clock: clock.Real(), Log: silent})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	run := make(chan error, 1)
	go func() { run <- as.Run(ctx) }()
	k := &sink{Sink: as}
	k.stop = sync.OnceValue(func() error { cancel(); return <-run })
	t.Cleanup(func() {
		if err := k.stop(); err != nil {
			t.Errorf("sink: %v", err)
		}
	})
	return k
}

func (k *sink) ack(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.acked++
	} else {
		k.errs = append(k.errs, err)
	}
}

func (k *sink) count() (int, []error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.acked, k.errs
}

// put hands events over, as the log would with their offsets.
func (k *sink) put(t testing.TB, events ...event.Event) {
	t.Helper()
	for i, e := range events {
		b, err := event.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		k.Handle(t.Context(), streams.Record{Topic: e.Topic(), Key: e.Key(), Value: b, Offset: int64(i), AppendTime: time.UnixMilli(evening)}, k.ack)
	}
}

// store puts events and waits until they are stored.
func (k *sink) store(t testing.TB, events ...event.Event) {
	t.Helper()
	before, _ := k.count()
	k.put(t, events...)
	testkit.Eventually(t, "all are stored", func() bool {
		n, errs := k.count()
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		return n >= before+len(events)
	})
}

func number(t testing.TB, c *clickhouse.Client, sql string, args ...any) int64 {
	t.Helper()
	var n int64
	if err := c.Conn().QueryRow(t.Context(), "SELECT toInt64(("+sql+"))", args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// evening is when the tests' rooms are live: three days ago at 20:00 in Shanghai,
// so that no row is old enough to be forgotten.
var evening = time.Now().UTC().Truncate(24 * time.Hour).Add(-60 * time.Hour).UnixMilli()

var versions = event.Versions{Release: "harness", PolicyVersion: "p1", HarnessHash: "h1"}

func outcome(i int, state event.State) event.Outcome {
	o := event.Outcome{
		Schema: 1, DanmakuID: event.DanmakuID("d" + strconv.Itoa(i)), RoomID: event.RoomID("room-" + strconv.Itoa(i%7)), ViewerID: event.ViewerID("u" + strconv.Itoa(i%50)),
		State: state, Reason: "spoken", By: "dispatcher", Eligible: true, Admitted: true, Variant: "harness", Intent: "price",
		PlatformMs: evening + int64(i)*100, TimeMs: evening + int64(i)*100 + 6000,
	}
	if state == event.Answered || state == event.Merged {
		o.ReplyMs = o.PlatformMs + 4000
	}
	return o
}

func exposure(unit string, v event.Variant, kind event.ExposureKind, atMs int64) event.Exposure {
	return event.Exposure{
		Schema: 1, ExposureID: "exp|1|" + unit + "|" + string(kind), Experiment: "exp", ExperimentVersion: 1, Unit: unit, Variant: v, Kind: kind,
		RoomID: "room-1", TimeMs: atMs,
	}
}

func order(id, viewer string, seq int, status event.OrderStatus, fen, atMs int64) event.Order {
	return event.Order{Schema: 1, OrderID: event.OrderID(id), Seq: seq, RoomID: "room-1", MerchantID: "m", Status: status, AmountFen: fen,
		ViewerID: event.ViewerID(viewer), ProductID: "p1", Quantity: 1, TimeMs: atMs}
}
