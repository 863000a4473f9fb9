package dispatcher

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
)

// Deps is what a Dispatcher works with; all are required except Outlets.Private and
// Switch.
type Deps struct {
	Clock     *clock.Clock
	Publisher streams.Publisher
	Reader    streams.Reader
	Ledger    Ledger
	Outlets   Outlets
	Switch    Switch // nil: the voice is never stopped
	Log       *slog.Logger
}

// Dispatcher is a streams.Handler and streams.Assignee of reply.v1, room-event.v1 and,
// for hand-overs and newcomers, outcome.v1.
type Dispatcher struct {
	cfg   Config
	deps  Deps
	sends chan struct{} // one token per private text under way

	stops atomic.Pointer[[]Stop] // in force
	pulse pulse

	mu         sync.Mutex
	partitions map[int32]*partition
}

var (
	_ streams.Handler  = (*Dispatcher)(nil)
	_ streams.Assignee = (*Dispatcher)(nil)
)

// errNotOurs leaves a record to the partition's next owner.
var errNotOurs = fault.Errorf(fault.Canceled, "dispatcher: the partition is being given up")

// New checks cfg.
func New(cfg Config, deps Deps) (*Dispatcher, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("dispatcher: %w", err)
	}
	return &Dispatcher{
		cfg: cfg, deps: deps, sends: make(chan struct{}, cfg.MaxPrivateSends),
		partitions: map[int32]*partition{},
	}, nil
}

// Binding is the dispatcher's consumer group. What changes a room comes before what is
// said of it in the same millisecond.
func (d *Dispatcher) Binding() streams.Binding {
	return streams.Binding{
		Group: d.cfg.Group, Topics: []string{event.TopicRoomEvent, event.TopicReply, event.TopicOutcome},
		Handler: d, Lanes: d.cfg.Lanes, Drain: d.cfg.Drain,
	}
}

// Run follows the voice switch until ctx ends and then drains what is still assigned.
// The rest of the work is started by Handle.
func (d *Dispatcher) Run(ctx context.Context) error {
	var beating sync.WaitGroup
	beating.Go(func() { d.pulse.run(ctx) })
	d.followSwitch(ctx)
	beating.Wait()
	drain, cancel := clock.WithWallTimeout(context.WithoutCancel(ctx), d.cfg.Drain)
	defer cancel()
	d.mu.Lock()
	var ids []int32
	for id := range d.partitions {
		ids = append(ids, id)
	}
	d.mu.Unlock()
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() { d.Revoked(drain, id) })
	}
	all.Wait()
	return nil
}

// Assigned implements streams.Assignee: it reads the partition back from the log.
func (d *Dispatcher) Assigned(ctx context.Context, id int32) error {
	p := newPartition(ctx, d, id)
	if err := d.restore(ctx, p); err != nil {
		p.cancel()
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.partitions[id] = p
	return nil
}

// Revoked implements streams.Assignee.
func (d *Dispatcher) Revoked(ctx context.Context, id int32) {
	d.mu.Lock()
	p := d.partitions[id]
	d.mu.Unlock()
	if p == nil {
		return
	}
	p.drain(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.partitions[id] == p { // not assigned again meanwhile
		delete(d.partitions, id)
	}
}

// Handle implements streams.Handler.
func (d *Dispatcher) Handle(_ context.Context, r streams.Record, ack streams.Ack) {
	d.mu.Lock()
	p := d.partitions[r.Partition]
	d.mu.Unlock()
	if p == nil || !p.enter() {
		ack(errNotOurs)
		return
	}
	defer p.work.Done()
	switch r.Topic {
	case event.TopicReply:
		reply, err := event.Decode[event.Reply](r.Value)
		if err != nil {
			ack(err)
			return
		}
		d.reply(p, reply, ack)
	case event.TopicRoomEvent:
		e, err := event.Decode[event.RoomEvent](r.Value)
		if err == nil && r.Offset >= p.eventsFrom {
			loggedMs := d.deps.Clock.Room(r.AppendTime).UnixMilli()
			event.Stamp(&e, loggedMs)
			d.roomEvent(p, &e, loggedMs)
		}
		ack(err)
	case event.TopicOutcome:
		d.outcome(p, r.Value, ack)
	default:
		ack(fault.Errorf(fault.Internal, "dispatcher: unexpected topic %s", r.Topic))
	}
}

func (d *Dispatcher) reply(p *partition, reply event.Reply, ack streams.Ack) {
	var j *job
	j = newJob(reply, func(err error) {
		p.endJob(j)
		ack(err)
	})
	p.addJob(j)
	rm := p.room(reply.RoomID)
	if p.begun(rm, &reply) {
		d.fenceOff(rm)
	}
	rm.mu.Lock()
	pl := rm.take(j, d.deps.Clock.NowMs())
	rm.mu.Unlock()
	d.carryOut(rm, pl)
	j.release()
}

// fenceOff makes this process the room's owner before it judges what an earlier one
// began: that one, if it still lives, tells no other end then. Without the ledger the log
// alone decides.
func (d *Dispatcher) fenceOff(rm *room) {
	ctx, cancel := clock.WithWallTimeout(rm.p.ctx, detached)
	defer cancel()
	if _, err := rm.owner(ctx); err != nil && rm.p.ctx.Err() == nil {
		d.deps.Log.Warn("the ledger is away, an earlier owner of the room is not fenced off", "err", err)
	}
}

func (d *Dispatcher) roomEvent(p *partition, e *event.RoomEvent, loggedMs int64) {
	rm := p.room(e.RoomID)
	rm.mu.Lock()
	pl := rm.event(e, loggedMs, d.deps.Clock.NowMs())
	rm.mu.Unlock()
	d.carryOut(rm, pl)
}

func (d *Dispatcher) voice() string { return d.deps.Outlets.Voice.Name() }

// carryOut does what the room decided, without waiting for it: a room's next record
// never waits for the log. It must be called without the room's lock and within work
// that the partition counts.
func (d *Dispatcher) carryOut(rm *room, pl plan) {
	if pl.speak {
		rm.p.work.Go(func() { d.runVoice(rm) })
	}
	for _, s := range pl.sends {
		rm.p.work.Go(func() { d.send(rm, s) })
	}
	if len(pl.deliveries)+len(pl.hits)+len(pl.endings)+len(pl.release) > 0 {
		rm.p.work.Go(func() { _ = d.record(rm.p.ctx, rm, pl, func() {}) }) // an error has reached the replies' acknowledgements
	}
}

// record publishes deliveries and hits, calls logged, publishes outcomes, and settles
// the danmaku. When the log refuses, their replies stay unacknowledged.
func (d *Dispatcher) record(ctx context.Context, rm *room, pl plan, logged func()) error {
	var first, outcomes []event.Event
	nowMs := d.deps.Clock.NowMs()
	for _, dl := range pl.deliveries {
		first = append(first, dl)
	}
	for _, h := range pl.hits {
		first = append(first, h)
	}
	for _, e := range pl.endings {
		if e.state != "" && !e.o.ended {
			outcomes = append(outcomes, e.outcome(nowMs))
		}
	}
	err := d.publish(ctx, first...)
	logged()
	if err == nil {
		err = d.publish(ctx, outcomes...)
	}
	rm.mu.Lock()
	for _, e := range pl.endings {
		if rm.pending[e.o.member.DanmakuID] == e.o {
			delete(rm.pending, e.o.member.DanmakuID)
		}
		if err == nil {
			rm.p.settle(e, nowMs)
		}
	}
	rm.mu.Unlock()
	jobs := pl.release
	for _, e := range pl.endings {
		jobs = append(append(jobs, e.o.job), e.o.also...)
	}
	for _, j := range jobs {
		if err != nil {
			j.end(err)
		}
		j.release()
	}
	return err
}

// publish retries while the log is away; ctx's end ends it. The streams write nothing for
// partitions that are another's: ctx is made from the one of Assigned.
func (d *Dispatcher) publish(ctx context.Context, events ...event.Event) error {
	if len(events) == 0 {
		return nil
	}
	return d.retry(ctx, "publish", func() error { return d.deps.Publisher.Publish(ctx, events...) })
}

// retry repeats do while a dependency is away, backing off from 20 ms to 1 s of
// wall time, until ctx ends. Other errors come back at once.
func (d *Dispatcher) retry(ctx context.Context, what string, do func() error) error {
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := do()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if kind := fault.KindOf(err); kind != fault.Unavailable && kind != fault.Exhausted {
			return err
		}
		d.deps.Log.Warn("a dependency is away, retrying", "doing", what, "err", err)
		t := time.NewTimer(max(wait, fault.RetryAfter(err)))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return err
		}
	}
}
