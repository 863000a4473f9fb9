package dispatcher

import (
	"context"
	"maps"
	"slices"
	"sync"

	"livehost/streams/event"
)

// partition is the rooms and the remembered log of one partition while it is ours.
type partition struct {
	id         int32
	d          *Dispatcher
	ctx        context.Context // ends when the drain's time is up: speech and sends stop at once
	cancel     context.CancelFunc
	open       context.Context // ends when the drain begins: nothing is begun after that
	shut       context.CancelFunc
	eventsFrom int64 // room-event.v1 before this offset was applied by restore
	work       sync.WaitGroup
	once       sync.Once // of drain: Run's end and the group's revocation may both ask

	mu    sync.Mutex // shut is called under it
	rooms map[event.RoomID]*room
	past  *past
	jobs  map[*job]struct{} // not acknowledged
}

func newPartition(ctx context.Context, d *Dispatcher, id int32) *partition {
	// It outlives the call that assigns it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	open, shut := context.WithCancel(ctx)
	return &partition{
		id: id, d: d, ctx: ctx, cancel: cancel, open: open, shut: shut,
		rooms: map[event.RoomID]*room{}, past: newPast(d.cfg), jobs: map[*job]struct{}{},
	}
}

// enter counts a piece of work in, unless the partition is being given up.
func (p *partition) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isDraining() {
		return false
	}
	p.work.Add(1)
	return true
}

func (p *partition) isDraining() bool { return p.open.Err() != nil }

// retry is the dispatcher's until the drain begins: a call that is under way then is not
// cut off, and not made again.
func (p *partition) retry(ctx context.Context, what string, do func() error) error {
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(p.open, stop)()
	return p.d.retry(waiting, what, do)
}

// drain starts nothing new, lets the present sentences end within ctx, and leaves
// every unfinished reply to the next owner. A second caller waits for the first; what is
// under way is cut off when the time of either is up.
func (p *partition) drain(ctx context.Context) {
	defer context.AfterFunc(ctx, p.cancel)()
	p.once.Do(p.drainOnce)
}

func (p *partition) drainOnce() {
	p.mu.Lock()
	p.shut()
	p.mu.Unlock()
	p.work.Wait()
	p.cancel()
	p.mu.Lock()
	left := slices.Collect(maps.Keys(p.jobs))
	p.mu.Unlock()
	for _, j := range left {
		j.end(errNotOurs)
	}
}

func (p *partition) room(id event.RoomID) *room {
	p.mu.Lock()
	defer p.mu.Unlock()
	rm := p.rooms[id]
	if rm == nil {
		rm = &room{id: id, d: p.d, p: p, settings: p.d.cfg.Defaults}
		p.rooms[id] = rm
	}
	return rm
}

func (p *partition) addJob(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[j] = struct{}{}
}

func (p *partition) endJob(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.jobs, j)
}

// known is what happened to a danmaku before its reply came here.
type known struct {
	ended    bool            // has its outcome, or is the aggregator's again
	delivery *event.Delivery // of an earlier process; nil when none
}

func (p *partition) before(o *owed) known {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := o.key()
	dl, _ := p.past.delivered.get(key)
	return known{
		ended:    p.past.outcomes.has(key) || p.past.returned.has(returnKey{key, o.job.reply.ReplyID}),
		delivery: dl,
	}
}

// begun reports whether an earlier process began to speak for the reply, or for one of
// its danmaku, and did not say how it ended.
func (p *partition) begun(rm *room, reply *event.Reply) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if dl, ok := p.past.states.get(deliveryKey{rm.id, deliveryID(reply, p.d.voice(), "")}); ok && dl.State == event.DeliveryStarted {
		return true
	}
	return reply.Public != nil && slices.ContainsFunc(reply.Public.Covers, func(id event.DanmakuID) bool {
		dl, ok := p.past.delivered.get(danmakuKey{rm.id, id})
		return ok && dl.State == event.DeliveryStarted
	})
}

func (p *partition) delivery(room event.RoomID, id event.DeliveryID) *event.Delivery {
	p.mu.Lock()
	defer p.mu.Unlock()
	dl, _ := p.past.states.get(deliveryKey{room, id})
	return dl
}

// remember replaces what the log said of a delivery of an earlier process.
func (p *partition) remember(dl *event.Delivery) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.past.remember(dl)
}

// settle remembers danmaku that need nothing more.
func (p *partition) settle(e ending, nowMs int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.state == "" {
		p.past.returned.put(returnKey{e.o.key(), e.o.job.reply.ReplyID}, struct{}{}, nowMs)
		return
	}
	p.past.outcomes.put(e.o.key(), struct{}{}, nowMs)
}

func (p *partition) retract(key danmakuKey, nowMs int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.past.retracted.put(key, struct{}{}, nowMs)
}

func (p *partition) isRetracted(key danmakuKey) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.past.retracted.has(key)
}
