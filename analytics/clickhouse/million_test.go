package clickhouse_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"livehost/analytics"
	"livehost/analytics/clickhouse"
	"livehost/internal/embedded/engine"
	"livehost/streams"
	"livehost/streams/event"
)

func dialer(e *engine.Engine) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, _ string) (net.Conn, error) { return e.Dial(ctx) }
}

// countingHandler closes done when left records were acknowledged.
type countingHandler struct {
	*analytics.Sink
	left int64
	done chan struct{}
}

func (h *countingHandler) Handle(ctx context.Context, r streams.Record, ack streams.Ack) {
	h.Sink.Handle(ctx, r, func(err error) {
		ack(err)
		if err == nil && atomic.AddInt64(&h.left, -1) == 0 {
			close(h.done)
		}
	})
}

// rssMB is the resident memory of a process.
func rssMB(t testing.TB, pid int) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.Fields(v)[0])
			if err != nil {
				t.Fatal(err)
			}
			return float64(kb) / 1024
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

// millionRows stores a million outcomes in batches of the sink's size, and
// returns what grouping them takes and how much memory the engine has then.
func millionRows(t testing.TB, e *engine.Engine, c *clickhouse.Client) (groupByMs, engineRSS float64) {
	t.Helper()
	const total, size = 1_000_000, 20_000
	states := event.States()
	at := time.UnixMilli(evening).UTC()
	for from := 0; from < total; from += size {
		var rows [][]any
		for i := from; i < from+size; i++ {
			sent := at.Add(time.Duration(i) * 10 * time.Millisecond)
			rows = append(rows, []any{"room-" + strconv.Itoa(i%500), strconv.Itoa(7138123456000000000 + i), fmt.Sprintf("%032x", i%20_000), string(states[i%10]), "spoken", "dispatcher",
				uint8(1), uint8(1), "w" + strconv.Itoa(i/2), "w" + strconv.Itoa(i/2) + "#1", "", "public", "harness", "price", sent, sent.Add(4 * time.Second), sent.Add(6 * time.Second)})
		}
		if err := c.Insert(t.Context(), analytics.NewBlock("danmaku_outcomes", strconv.Itoa(from), rows...)); err != nil {
			t.Fatal(err)
		}
	}
	var took []time.Duration
	for range 5 {
		start := time.Now()
		r, err := c.SQL(t.Context(), "SELECT room_id, state, count(), quantile(0.95)(dateDiff('millisecond', platform_time, reply_time)) FROM v_danmaku_outcomes GROUP BY room_id, state", 10_000)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Rows) != 500 {
			t.Fatalf("%d groups", len(r.Rows))
		}
		took = append(took, time.Since(start))
	}
	return float64(median(took).Microseconds()) / 1000, rssMB(t, e.Pid())
}
