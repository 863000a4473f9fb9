package aggregator

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"livehost/aggregator/admission"
	"livehost/aggregator/filter"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

// Group is the consumer group.
const Group = "aggregator"

// stageName is Outcome.By and GuardrailHit.Stage of what is written here.
const stageName = "aggregator"

// Assignment is the variant of a viewer, and what an exposure says of it.
type Assignment struct {
	Experiment string
	Version    int
	Variant    event.Variant
	Unit       string // the viewer or room id that was assigned
	UnitKind   event.UnitKind
	Enrolled   bool // in the experiment: exposures are logged
	Degraded   bool // from a snapshot that could not be refreshed
}

// Assigner says which variant a viewer of a room is in. It answers from memory,
// always has an answer, and gives anonymous viewers the control, not enrolled.
// Safe for concurrent use.
type Assigner interface {
	Assign(room event.RoomID, viewer event.ViewerID) Assignment
}

// Deps is what an Aggregator works with; all are required.
type Deps struct {
	Clock     *clock.Clock
	Publisher streams.Publisher
	Reader    streams.Reader
	Assigner  Assigner
	Log       *slog.Logger
}

// Aggregator is the stage: a streams.Handler with state per partition.
type Aggregator struct {
	cfg   Config
	deps  Deps
	stats counters
	prior *admission.Prior // run times of all rooms
	words atomic.Pointer[filter.Filter]
	read  []byte // what the words file held when it was taken
	spare windows

	offsets offsets // of all rooms' sources

	mu         sync.Mutex
	partitions map[int32]*partition
}

var (
	_ streams.Handler  = (*Aggregator)(nil)
	_ streams.Assignee = (*Aggregator)(nil)
)

// New makes the stage; it handles records once Assigned was called.
func New(cfg Config, deps Deps) (*Aggregator, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("aggregator: %w", err)
	}
	a := &Aggregator{cfg: cfg, deps: deps, prior: admission.NewPrior(cfg.FirstRun.Milliseconds()), partitions: map[int32]*partition{}}
	if _, err := a.loadWords(); err != nil {
		return nil, fmt.Errorf("aggregator: words: %w", err)
	}
	return a, nil
}

// Binding is the stage's consumer group. What is shown and said comes before what is
// asked in the same millisecond. Its own window.v1 is among the topics for the offsets,
// which room-state.v1 needs.
func (a *Aggregator) Binding() streams.Binding {
	return streams.Binding{
		Group: Group,
		Topics: []string{
			event.TopicRoomEvent, event.TopicOrder, event.TopicDanmaku, event.TopicReply,
			event.TopicDelivery, event.TopicOutcome, event.TopicWindow,
		},
		Handler: a, Lanes: a.cfg.Lanes,
	}
}

// Run follows the words file until ctx ends, then stops the timers of what is still
// assigned.
func (a *Aggregator) Run(ctx context.Context) error {
	a.followWords(ctx)
	a.mu.Lock()
	left := a.partitions
	a.partitions = map[int32]*partition{}
	a.mu.Unlock()
	for _, p := range left {
		p.close()
	}
	return nil
}

// Assigned restores the partition from the log.
func (a *Aggregator) Assigned(ctx context.Context, number int32) error {
	p := newPartition(ctx, a, number)
	if err := p.restore(ctx); err != nil {
		p.close()
		return fmt.Errorf("aggregator: restore partition %d: %w", number, err)
	}
	a.mu.Lock()
	a.partitions[number] = p
	a.mu.Unlock()
	return nil
}

// Revoked writes the rooms' state and forgets the partition. Danmaku in flight
// stay unfinished: the next owner finds them in the log.
func (a *Aggregator) Revoked(ctx context.Context, number int32) {
	a.mu.Lock()
	p := a.partitions[number]
	delete(a.partitions, number)
	a.mu.Unlock()
	if p == nil {
		return
	}
	defer context.AfterFunc(ctx, p.cancel)() // a room that waits for the log waits no longer than the drain
	if err := p.checkpoint(); err != nil && ctx.Err() == nil {
		a.deps.Log.Warn("room state not written at revoke", "partition", number, "err", err)
	}
	p.close()
}

// Handle takes one record of any of the topics.
func (a *Aggregator) Handle(_ context.Context, rec streams.Record, ack streams.Ack) {
	a.mu.Lock()
	p := a.partitions[rec.Partition]
	a.mu.Unlock()
	if p == nil {
		ack(errClosed)
		return
	}
	switch rec.Topic {
	case event.TopicDanmaku:
		received := time.Now()
		handle(p, rec, ack, decodeDanmaku, func(r *room, d event.Danmaku) { r.onDanmaku(d, rec.AppendTime, received, ack) })
	case event.TopicRoomEvent:
		handle(p, rec, ack, decodeRoomEvent, func(r *room, e event.RoomEvent) { r.onRoomEvent(e, rec.AppendTime); r.ackAfter(ack) })
	case event.TopicOrder:
		handle(p, rec, ack, decodeOrder, func(r *room, o event.Order) { r.onOrder(o); r.ackAfter(ack) })
	case event.TopicReply:
		handle(p, rec, ack, event.DecodeInPlace, func(r *room, e reply) { r.onReply(e); r.ackAfter(ack) })
	case event.TopicDelivery:
		handle(p, rec, ack, event.DecodeInPlace, func(r *room, d delivery) { r.onDelivery(d); r.ackAfter(ack) })
	case event.TopicOutcome:
		handle(p, rec, ack, event.DecodeInPlace, func(r *room, o event.Outcome) { r.onOutcome(o); r.ackAfter(ack) })
	default: // only counted
		p.mu.Lock()
		p.seen(&rec)
		p.mu.Unlock()
		ack(nil)
	}
}

var errClosed = fault.Errorf(fault.Canceled, "aggregator: partition is not assigned")

// handle decodes the payload and lets fn apply it to its room. The frequent ones are
// decoded in place: what the room keeps of them is its own.
func handle[E event.Event](p *partition, rec streams.Record, ack streams.Ack, decode func([]byte) (E, error), fn func(*room, E)) {
	e, err := decode(rec.Value)
	if err == nil && e.Key() != rec.Key {
		err = fault.Errorf(fault.Invalid, "%s: key %q is not the payload's room %q", rec.Topic, rec.Key, e.Key())
	}
	if err != nil {
		ack(err)
		return
	}
	p.with(&rec, func(r *room) { fn(r, e) }, ack)
}
