package analytics

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"livehost/internal/clock"
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
	RetryMin time.Duration `yaml:"retry_min"` // first wait before a block is tried again; doubles
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

// Deps is what a Sink works with; all are required.
type Deps struct {
	Store Store
	Clock *clock.Clock // maps the log's append times to room time
	Log   *slog.Logger
}

// Sink is a streams.Handler of everything that is stored.
type Sink struct {
	cfg    Config
	store  *retrying
	mapper *mapper
	id     string // of this sink; its tokens begin with it

	free *semaphore.Weighted // rows that may still be taken
	wake chan struct{}       // capacity 1: next should look again

	mu    sync.Mutex
	batch batch
	spare []batch // empty, for their memory
	count uint64  // batches so far
	ended bool
}

// batch is what waits for the next insert.
type batch struct {
	tables map[string]*builder
	acks   []streams.Ack
	count  int // rows
	since  time.Time
	no     uint64 // counts batches
}

var _ streams.Handler = (*Sink)(nil)

// New checks cfg.
func New(cfg Config, deps Deps) (*Sink, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("analytics: %w", err)
	}
	return &Sink{
		cfg:    cfg,
		store:  &retrying{store: deps.Store, log: deps.Log, min: cfg.RetryMin, max: cfg.RetryMax},
		mapper: newMapper(string(cfg.HashKey), deps.Clock),
		id:     rand.Text(),
		free:   semaphore.NewWeighted(int64(cfg.Buffered)),
		wake:   make(chan struct{}, 1),
	}, nil
}

// Binding is the sink's consumer group.
func (s *Sink) Binding() streams.Binding {
	return streams.Binding{
		Group: s.cfg.Group, Topics: Topics(), Handler: s,
		// What waits in the lanes is held too: a partition may not fill the memory
		// while the store is away.
		MaxUnfinished: max(s.cfg.MaxRows/4, 1),
	}
}

// Topics are the topics that are stored, sorted.
func Topics() []string {
	topics := make([]string, 0, len(rowsOf))
	for t := range rowsOf {
		topics = append(topics, t)
	}
	slices.Sort(topics)
	return topics
}

// Handle buffers the record's rows. It waits while the buffer is full.
func (s *Sink) Handle(ctx context.Context, r streams.Record, ack streams.Ack) {
	rows, err := s.mapper.rows(r)
	if err != nil {
		ack(err)
		return
	}
	if err := s.free.Acquire(ctx, int64(len(rows))); err != nil {
		ack(errStopping)
		return
	}
	if !s.add(rows, ack) {
		s.free.Release(int64(len(rows)))
		ack(errStopping)
	}
}

var errStopping = fault.Errorf(fault.Canceled, "analytics: stopping")

// add puts the rows into the batch; false when no batch will be stored any more.
func (s *Sink) add(rows []Row, ack streams.Ack) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	b := &s.batch
	if b.tables == nil {
		*b = s.blank()
		s.look()
	}
	for _, row := range rows {
		b.table(row.Table).add(row.Values)
	}
	b.count += len(rows)
	b.acks = append(b.acks, ack)
	if b.count >= s.cfg.MaxRows {
		s.look()
	}
	return true
}

// blank is an empty batch, made of one that was stored. The lock is held.
func (s *Sink) blank() batch {
	b := batch{tables: make(map[string]*builder, len(Columns))}
	if n := len(s.spare); n > 0 {
		b, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	b.since = time.Now()
	return b
}

// keep takes the memory of a batch that was stored.
func (s *Sink) keep(b batch) {
	for _, t := range b.tables {
		t.reset()
	}
	clear(b.acks)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spare = append(s.spare, batch{tables: b.tables, acks: b.acks[:0]})
}

func (b *batch) table(name string) *builder {
	t := b.tables[name]
	if t == nil {
		t = newBuilder(name)
		b.tables[name] = t
	}
	return t
}

func (s *Sink) look() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// batchesAtOnce is how many batches are inserted at the same time: while the
// store works on one, the next is put into its form.
const batchesAtOnce = 2

// Run stores batches until ctx ends; what is buffered then stays unacknowledged
// and comes again. It returns early when the store refuses a block for good.
func (s *Sink) Run(ctx context.Context) error {
	defer s.end()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(batchesAtOnce)
	for {
		b, ok := s.next(ctx)
		if !ok {
			break
		}
		g.Go(func() error { return s.finish(ctx, b) })
	}
	if err := g.Wait(); err != nil && fault.KindOf(err) != fault.Canceled {
		return err
	}
	return nil
}

// finish stores a batch and acknowledges its records.
func (s *Sink) finish(ctx context.Context, b batch) error {
	err := s.insert(ctx, b)
	for _, ack := range b.acks {
		ack(err)
	}
	s.free.Release(int64(b.count))
	if err == nil {
		s.keep(b)
	}
	return err
}

// end gives up what is buffered and whoever waits for room.
func (s *Sink) end() {
	s.mu.Lock()
	s.ended = true
	b := s.batch
	s.batch = batch{}
	s.mu.Unlock()
	for _, ack := range b.acks {
		ack(errStopping)
	}
	s.free.Release(int64(b.count))
}

// next waits for a batch that is full or old enough; false when ctx ends.
func (s *Sink) next(ctx context.Context) (batch, bool) {
	for ctx.Err() == nil {
		b, wait := s.take()
		if wait == 0 {
			return b, true
		}
		t := time.NewTimer(wait)
		select {
		case <-s.wake:
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
	}
	return batch{}, false
}

// take removes the batch when it is ready, else says how long to wait for it.
func (s *Sink) take() (batch, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.batch.tables == nil {
		return batch{}, time.Hour // add wakes us earlier
	}
	if wait := s.cfg.MaxWait - time.Since(s.batch.since); wait > 0 && s.batch.count < s.cfg.MaxRows {
		return batch{}, wait
	}
	b := s.batch
	s.batch = batch{}
	s.count++
	b.no = s.count
	return b, 0
}
