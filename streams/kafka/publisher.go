package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/topic"
)

// Publisher puts events into the log with an idempotent producer that waits for
// all in-sync replicas. Safe for concurrent use.
type Publisher struct {
	client *kgo.Client
	log    *slog.Logger
	every  time.Duration // between two looks for topics that were created again
	end    context.CancelFunc
	ended  chan struct{}
	unseen chan struct{} // tells the watch of a topic in used it does not know

	used  sync.Map  // topics published to: string -> nothing
	spare sync.Pool // of *outgoing
}

// outgoing is a record on its way to the broker. The next one uses its memory, which
// is nearly all that publishing takes, when the client has told what became of it.
type outgoing struct {
	p       *Publisher
	record  kgo.Record
	buf     event.Buffer
	done    func(error)
	promise func(*kgo.Record, error) // finish
}

var _ streams.Publisher = (*Publisher)(nil)

// What may wait for the broker at once. Beyond either, Send waits: whoever publishes
// slows down with the broker, and memory stays bounded when it is away.
const (
	maxBuffered      = 10_000
	maxBufferedBytes = 64 << 20
)

// NewPublisher makes a Publisher; it connects on first use.
func NewPublisher(cfg Config, log *slog.Logger) (*Publisher, error) {
	limits := make(map[string]int32)
	for _, t := range topic.All(topic.DefaultPartitions) {
		limits[t.Name] = int32(t.MaxRecordBytes)
	}
	cl, err := newClient(cfg, log,
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.MaxBufferedRecords(maxBuffered),
		kgo.MaxBufferedBytes(maxBufferedBytes),
		kgo.ProducerLinger(0),                                // a viewer is waiting; load makes batches by itself
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)), // murmur2, see topic.PartitionOf
		kgo.ProducerBatchMaxBytesFn(func(name string) int32 {
			if limit, ok := limits[name]; ok {
				return limit
			}
			return 1 << 20
		}),
	)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Publisher{
		client: cl, log: log, every: cfg.WatchInterval, end: cancel,
		ended: make(chan struct{}), unseen: make(chan struct{}, 1),
	}
	go p.watch(ctx)
	return p, nil
}

// watch forgets topics that were deleted and created again: until then the client
// waits for the former one, and what is published is not acknowledged. Partitions that were
// added are used at once, as consumers expect rooms there; the client would learn of them
// minutes later.
func (p *Publisher) watch(ctx context.Context) {
	defer close(p.ended)
	admin := kadm.NewClient(p.client)
	known := make(map[string]topicInfo)
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.unseen:
		}
		again, more, err := changes(ctx, admin, known)
		if err == nil && len(again) > 0 {
			p.log.Error("topics were deleted and created again; what was being published to them is refused", "topics", again)
			p.client.PurgeTopicsFromClient(again...)
			for _, name := range again {
				delete(known, name)
			}
		}
		if len(more) > 0 {
			p.client.ForceMetadataRefresh()
			maps.Copy(known, more)
		}
		for _, name := range p.unknown(known) {
			if info, err := describe(ctx, admin, []string{name}); err == nil {
				known[name] = info[name]
			}
		}
	}
}

// unknown lists the used topics that are not in known.
func (p *Publisher) unknown(known map[string]topicInfo) []string {
	var out []string
	p.used.Range(func(name, _ any) bool {
		if _, ok := known[name.(string)]; !ok {
			out = append(out, name.(string))
		}
		return true
	})
	return out
}

// use notes the topic for the watch.
func (p *Publisher) use(name string) {
	if _, ok := p.used.Load(name); ok {
		return
	}
	p.used.Store(name, nil)
	select {
	case p.unseen <- struct{}{}:
	default:
	}
}

// Publish encodes all events, then writes them and returns when the broker has
// acknowledged all of them, or with the first error. An event that cannot be
// encoded means that none is written. When ctx ends first, Publish returns its
// error at once, and events already on their way may still be written: the
// client cannot take them back. With a context of Assigned, Handle or Revoked nothing is
// written for a partition that the process does not have any more.
func (p *Publisher) Publish(ctx context.Context, events ...event.Event) error {
	result := make(chan error, 1)
	p.Send(ctx, func(err error) { result <- err }, events...)
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return fmt.Errorf("publish: %w", ctx.Err())
	}
}

// Send is Publish without the wait: done is called once, with Publish's result,
// from any goroutine; it must not block. Events of one room keep the order of the
// Send calls. Send itself waits only while the client's buffer is full, or while the
// membership behind ctx is in doubt.
func (p *Publisher) Send(ctx context.Context, done func(error), events ...event.Event) {
	if err := owned(ctx); err != nil {
		done(err)
		return
	}
	switch len(events) {
	case 0:
		done(nil)
	case 1: // the usual case needs no counting
		o, err := p.encode(events[0])
		if err != nil {
			done(err)
			return
		}
		p.send(ctx, o, done)
	default:
		out := make([]*outgoing, len(events))
		for i, e := range events {
			var err error
			if out[i], err = p.encode(e); err != nil {
				done(err)
				return
			}
		}
		p.sendAll(ctx, out, done)
	}
}

// Close waits briefly for what is on its way and disconnects.
func (p *Publisher) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = p.client.Flush(ctx) // the callers of Publish know what was acknowledged
	p.end()
	<-p.ended
	p.client.Close()
}

func (p *Publisher) encode(e event.Event) (*outgoing, error) {
	o, ok := p.spare.Get().(*outgoing)
	if !ok {
		o = &outgoing{p: p}
		o.promise = o.finish
	}
	value, err := o.buf.Encode(e)
	if err != nil {
		return nil, err
	}
	if e.Key() == "" {
		return nil, fault.Errorf(fault.Internal, "%s: publish: no room", e.Topic())
	}
	p.use(e.Topic())
	o.record = kgo.Record{Topic: e.Topic(), Key: append(o.record.Key[:0], e.Key()...), Value: value}
	return o, nil
}

func (p *Publisher) send(ctx context.Context, o *outgoing, done func(error)) {
	o.done = done
	p.client.Produce(ctx, &o.record, o.promise)
}

// sendAll calls done when all records are acknowledged or failed, with the first
// error.
func (p *Publisher) sendAll(ctx context.Context, out []*outgoing, done func(error)) {
	var mu sync.Mutex
	var first error
	left := len(out)
	one := func(err error) {
		mu.Lock()
		if first == nil {
			first = err
		}
		left--
		last := left == 0
		mu.Unlock()
		if last {
			done(first)
		}
	}
	for _, o := range out {
		p.send(ctx, o, one)
	}
}

// finish is what the client calls when the record is in the log or given up: it does
// not look at it again.
func (o *outgoing) finish(r *kgo.Record, err error) {
	const largest = 64 << 10
	err = publishError(r, err)
	done := o.done
	if o.done = nil; o.buf.Cap() <= largest {
		o.p.spare.Put(o)
	}
	done(err)
}

func publishError(r *kgo.Record, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("publish to %s: %w", r.Topic, classify(err))
}
