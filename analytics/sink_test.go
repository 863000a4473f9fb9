package analytics_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"livehost/analytics"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// store is a Store in memory. fail decides what a try is answered with.
type store struct {
	mu     sync.Mutex
	tries  []analytics.Block
	rows   map[string]int
	tokens map[string]bool // taken
	fail   func(try int, b analytics.Block) error
	busy   map[string]int // inserts running now, by table
}

func newStore() *store {
	return &store{rows: map[string]int{}, tokens: map[string]bool{}, busy: map[string]int{}}
}

func (s *store) Insert(_ context.Context, b analytics.Block) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries = append(s.tries, kept(b))
	if s.fail != nil {
		if err := s.fail(len(s.tries), b); err != nil {
			return err
		}
	}
	if !s.tokens[b.Token] {
		s.tokens[b.Token] = true
		s.rows[b.Table] += b.Rows
	}
	return nil
}

// kept is a copy: the sink uses a block's memory again.
func kept(b analytics.Block) analytics.Block {
	b.Data = slices.Clone(b.Data)
	for i, v := range b.Data {
		b.Data[i] = reflect.AppendSlice(reflect.MakeSlice(reflect.TypeOf(v), 0, b.Rows), reflect.ValueOf(v)).Interface()
	}
	return b
}

func (s *store) count(table string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[table]
}

func config() analytics.Config {
	cfg := analytics.DefaultConfig()
	cfg.HashKey = "0123456789abcdef"
	return cfg
}

// rig is a sink that runs, and what became of its records.
type rig struct {
	*analytics.Sink
	store *store
	log   *strings.Builder
	run   chan error
	stop  context.CancelFunc

	mu    sync.Mutex
	acked []error
}

func newRig(t *testing.T, cfg analytics.Config, s *store) *rig {
	t.Helper()
	r := &rig{store: s, log: &strings.Builder{}, run: make(chan error, 1)}
	var err error
	r.Sink, err = analytics.New(cfg, analytics.Deps{Store: s, Clock: clock.Real(), Log: slog.New(slog.NewTextHandler(r.log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() { r.run <- r.Run(ctx) }()
	t.Cleanup(func() { cancel() })
	return r
}

func (r *rig) ack(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acked = append(r.acked, err)
}

func (r *rig) acks() (done, failed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range r.acked {
		if err == nil {
			done++
		} else {
			failed++
		}
	}
	return done, failed
}

func record(t testing.TB, e event.Event, offset int) streams.Record {
	t.Helper()
	b, err := event.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	return streams.Record{Topic: e.Topic(), Key: e.Key(), Value: b, Offset: int64(offset), AppendTime: time.UnixMilli(1_790_000_000_500)}
}

func outcome(i int) event.Outcome {
	return event.Outcome{Schema: 1, DanmakuID: event.DanmakuID(strconv.Itoa(i)), RoomID: "r", ViewerID: "u1", State: event.Answered,
		Reason: "spoken", By: "dispatcher", PlatformMs: 1_790_000_000_000, TimeMs: 1_790_000_001_000}
}

func TestBatchesByTimeAndByRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.MaxRows, cfg.Buffered = 100, 200
		r := newRig(t, cfg, newStore())
		for i := range 150 {
			r.Handle(t.Context(), record(t, outcome(i), i), r.ack)
		}
		synctest.Wait()
		if done, _ := r.acks(); done < 100 {
			t.Errorf("%d records stored at once, want a full batch", done)
		}
		if done, _ := r.acks(); r.store.count("danmaku_outcomes") != done {
			t.Errorf("%d acknowledged, %d stored", done, r.store.count("danmaku_outcomes"))
		}
		time.Sleep(cfg.MaxWait)
		synctest.Wait()
		if done, failed := r.acks(); done != 150 || failed != 0 {
			t.Errorf("after max_wait %d stored and %d failed, want 150 and 0", done, failed)
		}
		r.stop()
		if err := <-r.run; err != nil {
			t.Error(err)
		}
	})
}

// ClickHouse#3174, #70822: many small inserts make too many parts.
func TestRow25TenThousandRecordsMakeFewInsertsAndTooManyPartsIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.fail = func(try int, _ analytics.Block) error {
			if try <= 3 {
				return &fault.Error{Kind: fault.Exhausted, After: time.Second, Err: errors.New("code: 252, too many parts")}
			}
			return nil
		}
		r := newRig(t, config(), s)
		start := time.Now()
		for i := range 10_000 {
			r.Handle(t.Context(), record(t, outcome(i), i), r.ack)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if done, failed := r.acks(); done != 10_000 || failed != 0 {
			t.Fatalf("%d stored, %d failed", done, failed)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if ok := len(s.tries) - 3; ok > 10 {
			t.Errorf("%d inserts for 10,000 records, want 10 at most", ok)
		}
		if s.rows["danmaku_outcomes"] != 10_000 {
			t.Errorf("%d rows", s.rows["danmaku_outcomes"])
		}
		_ = start
	})
}

// A store that answers has the block under its token; one that died may have the token
// alone, and drops what comes under it.
func TestRetriesKeepTheTokenOfAStoreThatAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		stored bool
	}{
		"busy after it took the block": {fault.Errorf(fault.Exhausted, "too many parts"), true},
		"dead before it took the rows": {fault.Errorf(fault.Unavailable, "connection reset"), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore()
				s.fail = func(try int, b analytics.Block) error {
					if try%2 == 0 {
						return nil
					}
					s.tokens[b.Token] = true
					if c.stored {
						s.rows[b.Table] += b.Rows
					}
					return c.err
				}
				r := newRig(t, config(), s)
				for round := range 3 {
					for i := range 10 {
						r.Handle(t.Context(), record(t, outcome(round*10+i), i), r.ack) // offsets come again
					}
					time.Sleep(5 * time.Second)
					synctest.Wait()
				}
				if n := s.count("danmaku_outcomes"); n != 30 {
					t.Errorf("%d rows, want 30", n)
				}
			})
		})
	}
}

func TestStoreAwayHoldsIntakeAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.MaxRows, cfg.Buffered = 100, 300
		s := newStore()
		back := time.Now().Add(10 * time.Minute)
		s.fail = func(int, analytics.Block) error {
			if time.Now().Before(back) {
				return fault.Errorf(fault.Unavailable, "connection refused")
			}
			return nil
		}
		r := newRig(t, cfg, s)
		const total = 2_000
		var handled sync.WaitGroup
		var taken int
		var mu sync.Mutex
		for lane := range 20 {
			handled.Go(func() {
				for i := range total / 20 {
					r.Handle(t.Context(), record(t, outcome(lane*1000+i), i), r.ack)
					mu.Lock()
					taken++
					mu.Unlock()
				}
			})
		}
		time.Sleep(9 * time.Minute)
		synctest.Wait()
		mu.Lock()
		if taken > cfg.Buffered {
			t.Errorf("%d records taken while the store is away, the bound is %d", taken, cfg.Buffered)
		}
		mu.Unlock()
		if done, failed := r.acks(); done+failed > 0 {
			t.Errorf("%d acknowledged and %d failed while the store was away", done, failed)
		}
		time.Sleep(5 * time.Minute)
		handled.Wait()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if done, failed := r.acks(); done != total || failed != 0 || s.count("danmaku_outcomes") != total {
			t.Errorf("%d acknowledged, %d failed, %d rows; want %d, 0, %d", done, failed, s.count("danmaku_outcomes"), total, total)
		}
		if log := r.log.String(); strings.Count(log, "store is away") != 1 || strings.Count(log, "store is back") != 1 {
			t.Errorf("the log should hear once that it went and once that it came back:\n%s", log)
		}
	})
}

func TestStopLeavesTheRestUnacknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		cfg.MaxRows, cfg.Buffered = 2, 2
		s := newStore()
		s.fail = func(int, analytics.Block) error { return fault.Errorf(fault.Unavailable, "away") }
		r := newRig(t, cfg, s)
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() { r.Handle(t.Context(), record(t, outcome(i), i), r.ack) })
		}
		synctest.Wait()
		r.stop()
		wg.Wait() // those that waited for room return
		if err := <-r.run; err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.acked) != 5 {
			t.Errorf("%d of 5 were acknowledged or given back", len(r.acked))
		}
		for _, err := range r.acked {
			if err == nil || fault.KindOf(err) != fault.Canceled {
				t.Errorf("ack %v, want canceled", err)
			}
		}
	})
}

func TestRefusedBlockStopsTheSinkAndIsNoDeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.fail = func(int, analytics.Block) error { return fault.Errorf(fault.Invalid, "code: 60, no such table") }
		r := newRig(t, config(), s)
		r.Handle(t.Context(), record(t, outcome(1), 1), r.ack)
		err := <-r.run
		if err == nil || fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), "danmaku_outcomes") {
			t.Errorf("Run: %v, want an internal error that names the table", err)
		}
		if len(r.acked) != 1 || fault.KindOf(r.acked[0]) != fault.Internal {
			t.Errorf("acks: %v, want one internal", r.acked)
		}
	})
}

func TestUnacceptableRecordsAreInvalid(t *testing.T) {
	t.Parallel()
	late := outcome(1)
	late.TimeMs = 99_999_999_999_999
	order := event.Order{Schema: 1, OrderID: "o", Seq: 1, RoomID: "r", Status: event.OrderPaid, TimeMs: 1}
	early, negative, huge := order, order, order
	early.TimeMs = -5
	negative.AmountFen = -1500
	huge.AmountFen = math.MaxInt64 // two of them would overflow a sum, and be a loss
	s, err := analytics.New(config(), analytics.Deps{Store: newStore(), Clock: clock.Real(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	broken := record(t, order, 1)
	broken.Value = []byte(`{"schema":1,`)
	for name, rec := range map[string]streams.Record{
		"far future": record(t, late, 1), "broken": broken, "negative amount": record(t, negative, 1), "huge amount": record(t, huge, 1),
	} {
		var got error
		s.Handle(t.Context(), rec, func(err error) { got = err })
		if got == nil || fault.KindOf(got) != fault.Invalid {
			t.Errorf("%s: %v, want invalid", name, got)
		}
	}
	if _, err := event.Encode(early); err == nil {
		t.Error("an order before 1970 was encoded")
	}
}

func TestConfigListsEveryProblem(t *testing.T) {
	t.Parallel()
	err := analytics.Config{}.Validate()
	for _, want := range []string{"group", "max_rows", "max_wait", "hash_key"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
	if err := config().Validate(); err != nil {
		t.Error(err)
	}
	if fmt.Sprint(config().HashKey) != "***" {
		t.Error("the key can be printed")
	}
}
