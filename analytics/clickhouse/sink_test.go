package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"livehost/analytics"
	"livehost/analytics/clickhouse"
	"livehost/internal/fault"
	"livehost/internal/testkit"
	"livehost/streams/event"
)

// scene is events whose rows every view can be computed from.
func scene(danmaku int) []event.Event {
	var out []event.Event
	states := event.States()
	for i := range danmaku {
		out = append(out, outcome(i, states[i%len(states)]))
	}
	for i := range 40 {
		unit := fmt.Sprintf("u%d", i)
		v := event.Variant([]string{"harness", "react-baseline"}[i%2])
		out = append(out, exposure(unit, v, event.Bucketed, evening), exposure(unit, v, event.Exposed, evening+1000),
			order("o"+unit, unit, 1, event.OrderCreated, 5000, evening+2000), order("o"+unit, unit, 2, event.OrderPaid, 5000, evening+3000),
			order("o"+unit, unit, 3, event.OrderConfirmed, 5000, evening+86_400_000))
		if i%4 == 0 {
			out = append(out, order("o"+unit, unit, 4, event.OrderRefunded, 1500, evening+90_000_000))
		}
	}
	return out
}

// figures is what must not change, whatever happens to the inserts on the way.
func figures(t *testing.T, c *clickhouse.Client) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for name, sql := range map[string]string{
		"outcomes":       "SELECT count() FROM v_danmaku_outcomes",
		"answered":       "SELECT count() FROM v_danmaku_outcomes WHERE state = 'answered'",
		"conflicts":      "SELECT count() FROM v_outcome_conflicts",
		"minutes":        "SELECT sum(danmaku_count) FROM v_room_minutes",
		"minutes served": "SELECT sum(answered_count + merged_count) FROM v_room_minutes",
		"attained":       "SELECT sum(attained) FROM v_attainment",
		"latency rows":   "SELECT count() FROM v_latency",
		"units":          "SELECT count() FROM v_ab_users",
		"orders":         "SELECT sum(orders) FROM v_ab_users",
		"gmv":            "SELECT sum(gmv_fen) FROM v_ab_users",
		"gmv harness":    "SELECT sum(gmv_fen) FROM v_ab_users WHERE variant = 'harness'",
		"gmv of orders":  "SELECT sum(gmv_fen) FROM v_orders",
	} {
		out[name] = number(t, c, sql)
	}
	return out
}

func TestViewsHaveTheRightFigures(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	newSink(t, c).store(t, scene(1000)...)
	want := map[string]int64{
		"outcomes": 1000, "answered": 100, "conflicts": 0, "minutes": 1000, "minutes served": 200, "attained": 200, "latency rows": 600,
		"units": 40, "orders": 40, "gmv": 40*5000 - 10*1500, "gmv harness": 20*5000 - 10*1500, "gmv of orders": 40*5000 - 10*1500,
	}
	if d := cmp.Diff(want, figures(t, c)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// flaky is a store whose answers get lost after the rows were taken, or before.
type flaky struct {
	analytics.Store
	tries atomic.Int64
}

func (f *flaky) Insert(ctx context.Context, b analytics.Block) error {
	n := f.tries.Add(1)
	if n%3 == 1 {
		return fault.Errorf(fault.Unavailable, "refused")
	}
	err := f.Store.Insert(ctx, b)
	if err == nil && n%3 == 2 {
		return fault.Errorf(fault.Unavailable, "the answer was lost")
	}
	return err
}

func TestRetriedBlocksAndReplayedOffsetsChangeNothing(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	events := scene(1000)
	newSink(t, c).store(t, events...)
	want := figures(t, c)
	f := &flaky{Store: c}
	newSink(t, f).store(t, events...) // another process replays all of it, with lost answers
	k := newSink(t, f, func(cfg *analytics.Config) { cfg.MaxRows = 300 })
	k.store(t, events[500:]...)
	k.store(t, events[200:700]...)
	if d := cmp.Diff(want, figures(t, c)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if f.tries.Load() < 10 {
		t.Errorf("only %d tries", f.tries.Load())
	}
	// A merge would take the two rows together, or others at the same time.
	if err := c.Conn().Exec(t.Context(), "SYSTEM STOP MERGES exposures"); err != nil {
		t.Fatal(err)
	}
	if _, err := rawInsert(t, c, "exposures"); err != nil {
		t.Fatal(err)
	}
	if n := number(t, c, "SELECT count() FROM exposures WHERE experiment = 'raw'"); n != 1 {
		t.Errorf("one block inserted twice under one token added %d rows, want 1", n)
	}
}

// rawInsert inserts one new block twice under one token.
func rawInsert(t *testing.T, c *clickhouse.Client, table string) (analytics.Block, error) {
	t.Helper()
	at := time.UnixMilli(evening).UTC()
	b := analytics.NewBlock(table, "twice", []any{"raw", "unit", uint32(1), "harness", "exposed", "viewer", "room-1", uint8(0), "id", at, at})
	return b, errors.Join(c.Insert(t.Context(), b), c.Insert(t.Context(), b))
}

func TestKilledTwentyTimesLosesAndDoublesNothing(t *testing.T) {
	events := scene(6000)
	_, quiet := store(t)
	newSink(t, quiet).store(t, events...)
	want := figures(t, quiet)

	e, c := store(t)
	k := newSink(t, c, func(cfg *analytics.Config) { cfg.MaxRows, cfg.Buffered = 100, 400 })
	fed := make(chan struct{})
	go func() { defer close(fed); k.put(t, events...) }()
	random := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for kills < 20 {
		pid := e.Pid()
		pause := time.NewTimer(time.Duration(random.IntN(120)) * time.Millisecond)
		<-pause.C
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		kills++
		testkit.Eventually(t, "the engine is started again", func() bool { return e.Pid() != pid && c.Conn().Ping(t.Context()) == nil })
		if n, _ := k.count(); n == len(events) { // go on with a replay while there are kills to come
			<-fed
			k.put(t, events[:min(2000, len(events))]...)
		}
	}
	<-fed
	testkit.Eventually(t, "all are acknowledged", func() bool { n, _ := k.count(); return n >= len(events) })
	if _, errs := k.count(); len(errs) > 0 {
		t.Fatalf("records were given up: %v", errs[0])
	}
	if d := cmp.Diff(want, figures(t, c)); d != "" {
		t.Errorf("after %d kills (-want +got):\n%s", kills, d)
	}
}

func TestColumnsAreThoseOfTheTables(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	for table, want := range analytics.Columns {
		rows, err := c.Conn().Query(t.Context(), "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = ? ORDER BY position", table)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for rows.Next() {
			var n string
			if err := rows.Scan(&n); err != nil {
				t.Fatal(err)
			}
			got = append(got, n)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		sorted := slices.Sorted(slices.Values(want))
		if d := cmp.Diff(sorted, got); d != "" {
			t.Errorf("%s (-rows +table):\n%s", table, d)
		}
	}
}

func TestReplayOfManyDaysIsOneBlock(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	var events []event.Event
	for i := range 170 { // more partitions than ClickHouse takes in one insert by default
		o := outcome(i, event.Answered)
		o.PlatformMs -= int64(i) * 86_400_000
		events = append(events, o)
	}
	newSink(t, c).store(t, events...)
	if n := number(t, c, "SELECT count() FROM v_danmaku_outcomes"); n != 170 {
		t.Errorf("%d rows", n)
	}
}

// ClickHouse#43399, #42422, clickhouse-go#140.
func TestRow21BusinessDayHasAZone(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	at, err := time.Parse(time.RFC3339, "2018-11-13T01:01:49+08:00")
	if err != nil {
		t.Fatal(err)
	}
	o := outcome(1, event.Answered)
	o.PlatformMs = at.UnixMilli()
	if err := c.Conn().Exec(t.Context(), "SYSTEM STOP TTL MERGES"); err != nil { // it is long ago
		t.Fatal(err)
	}
	newSink(t, c).store(t, o)
	var day, stored string
	if err := c.Conn().QueryRow(t.Context(), "SELECT toString(business_day), toString(platform_time) FROM v_danmaku_outcomes").Scan(&day, &stored); err != nil {
		t.Fatal(err)
	}
	if day != "2018-11-13" || stored != "2018-11-12 17:01:49.000" {
		t.Errorf("business day %s, stored %s; want 2018-11-13 and UTC", day, stored)
	}
}

// clickhouse-go#1730, #955: a NULL keeps the previous row's value.
func TestRow22NoColumnIsNullable(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	if n := number(t, c, "SELECT count() FROM system.columns WHERE database = currentDatabase() AND table NOT LIKE 'v\\_%' AND table NOT LIKE 'goose%' AND type LIKE '%Nullable%'"); n != 0 {
		t.Errorf("%d Nullable columns in tables", n)
	}
}

// clickhouse-go#1558, #1041, #873, #1759: cancelled batches kept their connection.
func TestRow24AThousandCancelledInsertsLeaveTheConnections(t *testing.T) {
	t.Parallel()
	e, _ := store(t)
	cfg := clickhouse.DefaultConfig()
	cfg.DSN, cfg.Connections = "http://engine", 4
	c, err := clickhouse.Open(t.Context(), cfg, e.Dial)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b, err := rawInsert(t, c, "exposures")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%20)*100*time.Microsecond)
		b.Token = fmt.Sprint("cancelled", i)
		_ = c.Insert(ctx, b)
		cancel()
	}
	b.Token = "last"
	if err := c.Insert(t.Context(), b); err != nil {
		t.Errorf("the insert after 1,000 cancelled ones: %v", err)
	}
}

// langfuse#15189, ai-tally#326: sums over rows that are not merged yet.
func TestRow27TwoVersionsOfARowBeforeTheMergeCountOnce(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	if err := c.Conn().Exec(t.Context(), "SYSTEM STOP MERGES"); err != nil {
		t.Fatal(err)
	}
	k := newSink(t, c)
	paid := order("o1", "u1", 1, event.OrderConfirmed, 5000, evening)
	k.store(t, paid)
	paid.MerchantID = "changed"
	k.store(t, paid)
	if raw := number(t, c, "SELECT count() FROM order_events"); raw != 2 {
		t.Fatalf("%d raw rows, want 2", raw)
	}
	if gmv := number(t, c, "SELECT sum(gmv_fen) FROM v_orders"); gmv != 5000 {
		t.Errorf("GMV %d, want 5000", gmv)
	}
}

// kafka-connect#24: a paused consumer outlives the deduplication window.
func TestRow28ReplayAfterTheDeduplicationWindowCountsOnce(t *testing.T) {
	t.Parallel()
	_, c := store(t)
	if err := c.Conn().Exec(t.Context(), "ALTER TABLE order_events MODIFY SETTING non_replicated_deduplication_window = 2"); err != nil {
		t.Fatal(err)
	}
	block := func(i int) analytics.Block {
		at := time.UnixMilli(evening).UTC()
		return analytics.NewBlock("order_events", fmt.Sprint("b", i), []any{fmt.Sprint("o", i), uint64(1), "r", "m", "v", "p", "confirmed", int64(100), int64(1), at, at})
	}
	for _, i := range []int{1, 2, 3, 4, 1} {
		if err := c.Insert(t.Context(), block(i)); err != nil {
			t.Fatal(err)
		}
	}
	if gmv := number(t, c, "SELECT sum(gmv_fen) FROM v_orders"); gmv != 400 {
		t.Errorf("GMV %d, want 400", gmv)
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	exception := func(code int32) error { return fmt.Errorf("insert: %w", &driver.Exception{Code: code, Message: "m"}) }
	for name, tt := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"too many parts":  {exception(252), fault.Exhausted},
		"out of memory":   {exception(241), fault.Exhausted},
		"disk full":       {exception(243), fault.Unavailable},
		"timeout":         {exception(159), fault.Unavailable},
		"read only":       {exception(242), fault.Unavailable},
		"no such table":   {exception(60), fault.Invalid},
		"syntax":          {exception(62), fault.Invalid},
		"wrong password":  {exception(516), fault.Invalid},
		"other code":      {exception(49), fault.Internal},
		"refused":         {fmt.Errorf("dial: %w", syscall.ECONNREFUSED), fault.Unavailable},
		"slow":            {context.DeadlineExceeded, fault.Unavailable},
		"pool":            {driver.ErrAcquireConnTimeout, fault.Unavailable},
		"proxy":           {&driver.HTTPError{StatusCode: 502, Err: errors.New("bad gateway")}, fault.Unavailable},
		"not found":       {&driver.HTTPError{StatusCode: 404, Err: errors.New("no")}, fault.Internal},
		"our own end":     {fmt.Errorf("x: %w", context.Canceled), fault.Canceled},
		"missing column":  {errors.New("column x is not present in the table"), fault.Internal},
		"kind comes once": {fault.Wrap(fault.Conflict, errors.New("x")), fault.Conflict},
	} {
		if got := fault.KindOf(clickhouse.Classify(tt.err)); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if fault.RetryAfter(clickhouse.Classify(exception(252))) < time.Second {
		t.Error("too many parts: tried again at once")
	}
	if clickhouse.Classify(nil) != nil || !strings.Contains(clickhouse.Classify(exception(60)).Error(), "insert") {
		t.Error("the message is lost")
	}
}
