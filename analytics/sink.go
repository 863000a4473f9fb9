package analytics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"livehost/internal/config"
	"livehost/internal/fault"
	"livehost/streams"
)

// Config is the sink's values. Durations are wall time.
type Config struct {
	Group    string        `yaml:"group"`     // consumer group
	MaxRows  int           `yaml:"max_rows"`  // rows of a batch over all tables
	MaxWait  time.Duration `yaml:"max_wait"`  // how long a row waits for its batch
	Buffered int           `yaml:"buffered"`  // rows held at most; above it intake waits
	RetryMin time.Duration `yaml:"retry_min"` // first wait before a batch is tried again; doubles
	RetryMax time.Duration `yaml:"retry_max"`
	HashKey  config.Secret `yaml:"hash_key"` // of viewers' pseudonyms; changing it makes everyone a stranger
}

// DefaultConfig is everything but the key.
func DefaultConfig() Config {
	return Config{Group: "analytics", MaxRows: 20_000, MaxWait: time.Second, Buffered: 60_000, RetryMin: 100 * time.Millisecond, RetryMax: 10 * time.Second}
}

// Validate reports every problem.
func (c Config) Validate() error {
	var problems []error
	if c.Group == "" {
		problems = append(problems, errors.New("group: empty"))
	}
	if c.MaxRows < 1 || c.Buffered < c.MaxRows {
		problems = append(problems, fmt.Errorf("max_rows %d and buffered %d: the buffer must hold at least one batch", c.MaxRows, c.Buffered))
	}
	if c.MaxWait <= 0 || c.RetryMin <= 0 || c.RetryMax < c.RetryMin {
		problems = append(problems, errors.New("max_wait, retry_min, retry_max: must be positive, and retry_max at least retry_min"))
	}
	if len(c.HashKey) < 16 {
		problems = append(problems, errors.New("hash_key: needs at least 16 characters; viewers' pseudonyms hang on it"))
	}
	return errors.Join(problems...)
}

// Block is the rows of one table that are inserted together.
type Block struct {
	Table   string
	Columns []string
	Rows    [][]any
	Token   string // the same for every try of the same block
}

// Store takes blocks. An error of kind Unavailable or Exhausted is tried again.
type Store interface {
	Insert(ctx context.Context, b Block) error
}

// Deps is what a Sink works with; all are required.
type Deps struct {
	Store Store
	Log   *slog.Logger
}

// Sink is a streams.Handler of everything that is stored.
type Sink struct {
	cfg  Config
	deps Deps

	mu    sync.Mutex
	room  *sync.Cond // signalled when the buffer shrinks or the sink stops
	batch batch
	held  int // rows buffered or being inserted
	ended bool
	full  chan struct{} // capacity 1: the batch is worth inserting now
}

// batch is what waits for the next insert.
type batch struct {
	rows  map[string][][]any
	acks  []streams.Ack
	count int
	first streams.Record // of the batch, for its token
	since time.Time
}

var _ streams.Handler = (*Sink)(nil)

// New checks cfg.
func New(cfg Config, deps Deps) (*Sink, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("analytics: %w", err)
	}
	s := &Sink{cfg: cfg, deps: deps, full: make(chan struct{}, 1)}
	s.room = sync.NewCond(&s.mu)
	return s, nil
}

// Binding is the sink's consumer group.
func (s *Sink) Binding() streams.Binding {
	var topics []string
	for t := range rowsOf {
		topics = append(topics, t)
	}
	return streams.Binding{
		Group: s.cfg.Group, Topics: topics, Assignment: streams.AssignCooperative, Handler: s,
		MaxUnfinished: s.cfg.Buffered,
	}
}

// Handle buffers the record's rows. It waits while the buffer is full.
func (s *Sink) Handle(ctx context.Context, r streams.Record, ack streams.Ack) {
	rows, err := rowsOf[r.Topic](s, r)
	if err != nil {
		ack(err)
		return
	}
	stop := context.AfterFunc(ctx, s.room.Broadcast)
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.held >= s.cfg.Buffered && ctx.Err() == nil && !s.ended {
		s.room.Wait()
	}
	if ctx.Err() != nil || s.ended {
		ack(fault.Errorf(fault.Canceled, "analytics: stopping"))
		return
	}
	s.add(r, rows, ack)
}

// add puts the rows into the batch. The lock is held.
func (s *Sink) add(r streams.Record, rows []Row, ack streams.Ack) {
	b := &s.batch
	if b.rows == nil {
		b.rows, b.first, b.since = map[string][][]any{}, r, time.Now()
		s.wake()
	}
	for _, row := range rows {
		b.rows[row.Table] = append(b.rows[row.Table], row.Values)
	}
	b.count += len(rows)
	s.held += len(rows)
	b.acks = append(b.acks, ack)
	if b.count >= s.cfg.MaxRows {
		s.wake()
	}
}

func (s *Sink) wake() {
	select {
	case s.full <- struct{}{}:
	default:
	}
}

// Run inserts batches until ctx ends; what is buffered then stays unacknowledged
// and comes again.
func (s *Sink) Run(ctx context.Context) error {
	defer s.end()
	for {
		b, ok := s.next(ctx)
		if !ok {
			return nil
		}
		err := s.insert(ctx, b)
		for _, ack := range b.acks {
			ack(err)
		}
		s.mu.Lock()
		s.held -= b.count
		s.room.Broadcast()
		s.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
}

func (s *Sink) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for _, ack := range s.batch.acks {
		ack(fault.Errorf(fault.Canceled, "analytics: stopping"))
	}
	s.batch = batch{}
	s.room.Broadcast()
}

// next waits for a batch that is full or old enough.
func (s *Sink) next(ctx context.Context) (batch, bool) {
	for {
		s.mu.Lock()
		b, wait := s.batch, time.Duration(-1)
		if b.rows != nil {
			wait = s.cfg.MaxWait - time.Since(b.since)
			if b.count >= s.cfg.MaxRows || wait <= 0 {
				s.batch = batch{}
				s.mu.Unlock()
				return b, true
			}
		}
		s.mu.Unlock()
		if !s.pause(ctx, wait) {
			return batch{}, false
		}
	}
}

// pause waits until woken, for at most wait (for ever when negative); false when
// ctx ends.
func (s *Sink) pause(ctx context.Context, wait time.Duration) bool {
	var timer <-chan time.Time
	if wait >= 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-s.full:
	case <-timer:
	case <-ctx.Done():
		return false
	}
	return true
}

// insert stores a batch, table by table, for as long as it takes.
func (s *Sink) insert(ctx context.Context, b batch) error {
	for table, rows := range b.rows {
		block := Block{Table: table, Columns: Columns[table], Rows: rows, Token: token(table, b.first, len(rows))}
		if err := s.insertBlock(ctx, block); err != nil {
			return err
		}
	}
	return nil
}

func token(table string, first streams.Record, rows int) string {
	return table + "/" + first.Topic + "/" + strconv.Itoa(int(first.Partition)) + "/" + strconv.FormatInt(first.Offset, 10) + "/" + strconv.Itoa(rows) +
		"/" + strconv.FormatInt(time.Now().UnixNano(), 36)
}

// insertBlock tries a block until the store takes it. The log hears the first
// failure and the recovery.
func (s *Sink) insertBlock(ctx context.Context, b Block) error {
	wait, failed := s.cfg.RetryMin, 0
	for {
		err := s.deps.Store.Insert(ctx, b)
		switch {
		case err == nil && failed > 0:
			s.deps.Log.Info("the analytics store is back", "table", b.Table, "tries", failed+1)
			return nil
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fault.Errorf(fault.Canceled, "analytics: stopping: %w", err)
		}
		switch fault.KindOf(err) {
		case fault.Unavailable, fault.Exhausted:
		default:
			return fmt.Errorf("analytics: insert into %s: %w", b.Table, err)
		}
		if failed++; failed == 1 {
			s.deps.Log.Warn("the analytics store is away; intake waits when the buffer is full", "table", b.Table, "err", err)
		}
		t := time.NewTimer(max(wait, fault.RetryAfter(err)))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return fault.Errorf(fault.Canceled, "analytics: stopping: %w", err)
		}
		wait = min(2*wait, s.cfg.RetryMax)
	}
}
