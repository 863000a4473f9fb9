package analytics

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"livehost/internal/fault"
)

// Store takes blocks. It returns when the block is on disk. An error of kind
// Unavailable or Exhausted is tried again, with the same rows. Concurrency-safe.
type Store interface {
	Insert(ctx context.Context, b Block) error
}

// tablesAtOnce is how many blocks of a batch are inserted at the same time.
const tablesAtOnce = 4

// insert stores a batch, each table's block in one goroutine, for as long as it
// takes. The token need not outlive the process: after a restart the blocks are
// cut differently, and the tables themselves keep one of two equal rows.
func (s *Sink) insert(ctx context.Context, b batch) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(tablesAtOnce)
	for table, rows := range b.tables {
		if rows.rows == 0 {
			continue
		}
		block := rows.block(s.id + "/" + strconv.FormatUint(b.no, 10) + "/" + table)
		g.Go(func() error { return s.store.insert(ctx, block) })
	}
	return g.Wait()
}

// retrying tries a block until the store takes it. The log hears when the store
// goes away and when it comes back.
//
// After a store that was away the block has another token: a server that died in the
// middle may know the token and have the rows in one of its tables only, a materialised
// view lacks them, and would drop them when they come again under it. Rows that it did
// have come twice, of which the tables keep one and the views' states are the same.
type retrying struct {
	store    Store
	log      *slog.Logger
	min, max time.Duration

	mu   sync.Mutex
	away time.Time // since when; zero while the store answers
}

func (r *retrying) insert(ctx context.Context, b Block) error {
	token := b.Token
	for try, wait := 1, r.min; ; try, wait = try+1, min(2*wait, r.max) {
		err := r.store.Insert(ctx, b)
		if err == nil {
			r.back()
			return nil
		}
		if ctx.Err() != nil {
			return errStopping
		}
		switch fault.KindOf(err) {
		case fault.Unavailable:
			b.Token = token + "/" + strconv.Itoa(try)
		case fault.Exhausted:
		default:
			// Never Invalid: the records are not to blame and must not become dead letters.
			return &fault.Error{Kind: fault.Internal, Err: fmt.Errorf("analytics: the store refuses a block of %s: %w", b.Table, err)}
		}
		r.gone(b, err)
		t := time.NewTimer(max(wait, fault.RetryAfter(err)))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return errStopping
		}
	}
}

func (r *retrying) gone(b Block, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away.IsZero() {
		r.away = time.Now()
		r.log.Warn("the analytics store is away; intake waits when the buffer is full", "table", b.Table, "err", err)
	}
}

func (r *retrying) back() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.away.IsZero() {
		r.log.Info("the analytics store is back", "away_ms", time.Since(r.away).Milliseconds())
		r.away = time.Time{}
	}
}
