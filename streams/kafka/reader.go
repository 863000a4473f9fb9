package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/topic"
)

const (
	// readIdle is how long Read waits for a broker that sends nothing although the
	// log goes on.
	readIdle = 10 * time.Second
	// readLook is after how much silence it looks whether the rest is still retained.
	readLook = 2 * fetchMaxWait
	// fetchEmptyBytes is how much is looked at for batches without records, batchHeader
	// what each of them is.
	fetchEmptyBytes = 64 << 10
	batchHeader     = 61
)

// errSilent is the end of a poll that brought nothing.
var errSilent = errors.New("the broker sent nothing")

// Reader reads the log by partition and offset, outside any group. Safe for
// concurrent use; each Read and Follow has its own connection.
type Reader struct {
	cfg   Config
	log   *slog.Logger
	admin *kadm.Client
}

var (
	_ streams.Reader = (*Reader)(nil)
	_ streams.Seeker = (*Reader)(nil)
)

// NewReader makes a Reader; it connects on first use.
func NewReader(cfg Config, log *slog.Logger) (*Reader, error) {
	cl, err := newClient(cfg, log)
	if err != nil {
		return nil, err
	}
	return &Reader{cfg: cfg, log: log, admin: kadm.NewClient(cl)}, nil
}

// Close disconnects.
func (r *Reader) Close() { r.admin.Close() }

// Partitions is the number of partitions of the keyed topics that exist; an
// error when they differ, since then rooms are not co-partitioned.
func (r *Reader) Partitions(ctx context.Context) (int32, error) {
	have, err := r.admin.ListTopics(ctx)
	if err != nil {
		return 0, fmt.Errorf("kafka: list topics: %w", classify(err))
	}
	var n int32
	var first string
	for _, t := range topic.All(topic.DefaultPartitions) {
		detail, ok := have[t.Name]
		switch count := int32(len(detail.Partitions)); {
		case !ok || t.Payload == nil:
		case n == 0:
			n, first = count, t.Name
		case n != count:
			return 0, fault.Errorf(fault.Internal, "kafka: topic %s has %d partitions and %s has %d; all must have the same", first, n, t.Name, count)
		}
	}
	if n == 0 {
		return 0, fault.Errorf(fault.Unavailable, "kafka: no topic of the catalogue exists; provision first")
	}
	return n, nil
}

// Read implements streams.Reader.
func (r *Reader) Read(ctx context.Context, topicName string, partition int32, from int64, fn func(streams.Record) error) (int64, error) {
	start, end, err := r.bounds(ctx, topicName, partition)
	if err != nil {
		return from, err
	}
	next := max(from, start)
	if next >= end { // from may be beyond it: a broker that has lost records writes others there
		return end, nil
	}
	cl, err := newClient(r.cfg, r.log,
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topicName: {partition: kgo.NewOffset().At(next)}}),
		kgo.KeepControlRecords()) // they have offsets, too: the end may be one
	if err != nil {
		return next, err
	}
	defer cl.Close()
	heard := time.Now()
	for next < end {
		fetches, err := poll(ctx, cl, readLook)
		if errors.Is(err, errSilent) && time.Since(heard) < readIdle {
			// Retention may have passed us by: what it took is not to be waited for. A look
			// that fails shows nothing.
			if start, _, err = r.bounds(ctx, topicName, partition); err == nil {
				if to, err := r.pastEmpty(ctx, cl, topicName, partition, max(next, start)); err == nil && to > next {
					next, heard = to, time.Now()
				}
				continue
			}
		}
		if err != nil {
			return next, fmt.Errorf("kafka: read %s partition %d at %d: %w", topicName, partition, next, err)
		}
		for _, rec := range fetches.Records() {
			if rec.Offset >= end {
				return end, nil
			}
			if !rec.Attrs.IsControl() {
				if err := fn(recordOf(rec, event.RoomID(rec.Key))); err != nil {
					return rec.Offset, err
				}
			}
			next = rec.Offset + 1
		}
		heard = time.Now()
	}
	return next, nil
}

// Follow implements streams.Reader. The start or the end of the log is that at
// the call.
func (r *Reader) Follow(ctx context.Context, topics []string, fromEnd bool, fn func(streams.Record)) error {
	offsets, known, err := r.followFrom(ctx, topics, fromEnd)
	if err != nil {
		return ended(ctx, err)
	}
	cl, err := newClient(r.cfg, r.log, kgo.ConsumePartitions(offsets.KOffsets()))
	if err != nil {
		return err
	}
	defer cl.Close()
	for looked := time.Now(); ; {
		fetches, err := poll(ctx, cl, r.cfg.WatchInterval)
		fetches.EachRecord(func(rec *kgo.Record) { fn(recordOf(rec, event.RoomID(rec.Key))) })
		if err == nil && time.Since(looked) < r.cfg.WatchInterval {
			continue
		}
		looked = time.Now()
		lost := lostByBroker(err)
		if lost {
			r.log.Error("the broker has lost records; goes on with what it has", "err", err)
		}
		if ctx.Err() != nil || (err != nil && !lost && !errors.Is(err, errSilent) && !errors.Is(err, kerr.UnknownTopicID)) {
			return ended(ctx, fmt.Errorf("kafka: follow %v: %w", topics, err))
		}
		if err := r.refollow(ctx, cl, known); err != nil {
			r.log.Warn("kafka is away", "err", err)
		}
	}
}

// OffsetAt implements streams.Seeker.
func (r *Reader) OffsetAt(ctx context.Context, topicName string, partition int32, at time.Time) (int64, error) {
	listed, err := r.admin.ListOffsetsAfterMilli(ctx, at.UnixMilli(), topicName)
	if err == nil {
		o, ok := listed.Lookup(topicName, partition)
		if !ok {
			return 0, fault.Errorf(fault.Internal, "kafka: %s has no partition %d", topicName, partition)
		}
		if err = o.Err; err == nil {
			return o.Offset, nil
		}
	}
	return 0, fmt.Errorf("kafka: offset of %s partition %d at %v: %w", topicName, partition, at, classify(err))
}

// followFrom are the offsets to begin at. It waits for a broker that is away.
func (r *Reader) followFrom(ctx context.Context, topics []string, fromEnd bool) (kadm.ListedOffsets, map[string]topicInfo, error) {
	list := r.admin.ListStartOffsets
	if fromEnd {
		list = r.admin.ListEndOffsets
	}
	for attempt := 0; ; attempt++ {
		known, err := describe(ctx, r.admin, topics)
		var offsets kadm.ListedOffsets
		if err == nil {
			if offsets, err = list(ctx, topics...); err == nil {
				err = offsets.Error()
			}
			err = classify(err)
		}
		if err == nil {
			return offsets, known, nil
		}
		err = fmt.Errorf("kafka: follow %v: %w", topics, err)
		if !retriable(err) || clock.WallSleep(ctx, r.cfg.backoff(attempt)) != nil {
			return nil, nil, err
		}
		r.log.Warn("kafka is away", "err", err)
	}
}

// refollow makes the client read topics that were created again, from their start.
func (r *Reader) refollow(ctx context.Context, cl *kgo.Client, known map[string]topicInfo) error {
	again, more, err := changes(ctx, r.admin, known)
	if err != nil {
		return err
	}
	if len(more) > 0 {
		cl.AddConsumePartitions(added(known, more))
		maps.Copy(known, more)
	}
	if len(again) == 0 {
		return nil
	}
	now, err := describe(ctx, r.admin, again)
	if err != nil {
		return err
	}
	r.log.Error("topics were deleted and created again; they are followed from their start", "topics", again)
	cl.PurgeTopicsFromClient(again...)
	cl.AddConsumePartitions(added(nil, now))
	maps.Copy(known, now)
	return nil
}

// added are the partitions that more has beyond known, from their start.
func added(known, more map[string]topicInfo) map[string]map[int32]kgo.Offset {
	starts := make(map[string]map[int32]kgo.Offset)
	for name, info := range more {
		starts[name] = make(map[int32]kgo.Offset)
		for p := known[name].partitions; p < info.partitions; p++ {
			starts[name][p] = kgo.NewOffset().AtStart()
		}
	}
	return starts
}

// bounds are the first retained offset and the offset after the last stable record.
func (r *Reader) bounds(ctx context.Context, topicName string, partition int32) (start, end int64, err error) {
	at := func(list func(context.Context, ...string) (kadm.ListedOffsets, error)) (int64, error) {
		listed, err := list(ctx, topicName)
		if err != nil {
			return 0, err
		}
		o, ok := listed.Lookup(topicName, partition)
		if !ok {
			return 0, fault.Errorf(fault.Internal, "there is no such partition")
		}
		return o.Offset, o.Err
	}
	if start, err = at(r.admin.ListStartOffsets); err == nil {
		end, err = at(r.admin.ListCommittedOffsets)
	}
	if err != nil {
		err = fmt.Errorf("kafka: offsets of %s partition %d: %w", topicName, partition, classify(err))
	}
	return start, end, err
}

// pastEmpty is from, or the offset after the batches there that have no records: what
// compaction leaves at the end of a log whose last record was a tombstone. The client goes
// past them and says nothing.
func (r *Reader) pastEmpty(ctx context.Context, cl *kgo.Client, topicName string, partition int32, from int64) (int64, error) {
	have, err := r.admin.ListTopics(ctx, topicName)
	if err != nil {
		return from, classify(err)
	}
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = partition, from, fetchEmptyBytes
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.TopicID, t.Partitions = topicName, have[topicName].ID, []kmsg.FetchRequestTopicPartition{p}
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes, req.SessionEpoch, req.IsolationLevel, req.Topics = fetchEmptyBytes, -1, 1, []kmsg.FetchRequestTopic{t}
	resp, err := req.RequestWith(ctx, cl.Broker(int(have[topicName].Partitions[partition].Leader)))
	if err != nil {
		return from, classify(err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			for b := p.RecordBatches; len(b) >= batchHeader; {
				first, size := int64(binary.BigEndian.Uint64(b)), 12+int(binary.BigEndian.Uint32(b[8:]))
				last, records := first+int64(binary.BigEndian.Uint32(b[23:])), binary.BigEndian.Uint32(b[57:])
				if records > 0 || size < batchHeader || size > len(b) {
					break
				}
				from, b = max(from, last+1), b[size:]
			}
		}
	}
	return from, nil
}

// poll waits for records; with idle > 0 no longer than that. A partition's error
// ends it: outside a group nobody else can make progress on the partition.
func poll(ctx context.Context, cl *kgo.Client, idle time.Duration) (kgo.Fetches, error) {
	wait := ctx
	if idle > 0 {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, idle)
		defer cancel()
	}
	fetches := cl.PollFetches(wait)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if wait.Err() != nil && fetches.NumRecords() == 0 {
		return nil, fault.Wrap(fault.Unavailable, errSilent)
	}
	if errs := fetches.Errors(); len(errs) > 0 {
		return fetches, fmt.Errorf("%s partition %d: %w", errs[0].Topic, errs[0].Partition, classify(errs[0].Err))
	}
	return fetches, nil
}

// ended is nil when err is only ctx's end.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || fault.KindOf(err) == fault.Canceled) {
		return nil
	}
	return err
}
