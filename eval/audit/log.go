package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"livehost/streams"
	"livehost/streams/event"
)

// Entry is one decoded record with its place in the log.
type Entry[T event.Event] struct {
	V         T
	Wall      time.Time // append time
	Partition int32
	Offset    int64
}

// Undecodable is a record that is not what its topic says.
type Undecodable struct {
	Topic     string
	Partition int32
	Offset    int64
	Reason    string
}

// Log is the log of a run, decoded, each topic in order of append time.
type Log struct {
	Danmaku    []Entry[event.Danmaku]
	RoomEvents []Entry[event.RoomEvent]
	Orders     []Entry[event.Order]
	Windows    []Entry[event.Window]
	Exposures  []Entry[event.Exposure]
	Replies    []Entry[event.Reply]
	Steps      []Entry[event.Step]
	Hits       []Entry[event.GuardrailHit]
	Deliveries []Entry[event.Delivery]
	Outcomes   []Entry[event.Outcome]
	Bad        []Undecodable
}

// topics says where the records of each topic go.
var topics = map[string]func(*Log, streams.Record) error{
	event.TopicDanmaku:      func(l *Log, r streams.Record) error { return add(&l.Danmaku, r) },
	event.TopicRoomEvent:    func(l *Log, r streams.Record) error { return add(&l.RoomEvents, r) },
	event.TopicOrder:        func(l *Log, r streams.Record) error { return add(&l.Orders, r) },
	event.TopicWindow:       func(l *Log, r streams.Record) error { return add(&l.Windows, r) },
	event.TopicExposure:     func(l *Log, r streams.Record) error { return add(&l.Exposures, r) },
	event.TopicReply:        func(l *Log, r streams.Record) error { return add(&l.Replies, r) },
	event.TopicTrajectory:   func(l *Log, r streams.Record) error { return add(&l.Steps, r) },
	event.TopicGuardrailHit: func(l *Log, r streams.Record) error { return add(&l.Hits, r) },
	event.TopicDelivery:     func(l *Log, r streams.Record) error { return add(&l.Deliveries, r) },
	event.TopicOutcome:      func(l *Log, r streams.Record) error { return add(&l.Outcomes, r) },
}

func add[T event.Event](to *[]Entry[T], r streams.Record) error {
	v, err := event.Decode[T](r.Value)
	if err == nil {
		event.Stamp(&v, r.AppendTime.UnixMilli())
		*to = append(*to, Entry[T]{V: v, Wall: r.AppendTime, Partition: r.Partition, Offset: r.Offset})
	}
	return err
}

// Add decodes one record into the log; Sort is due after the last. Topics that
// the audit does not read are ignored.
func (l *Log) Add(r streams.Record) {
	into, ok := topics[r.Topic]
	if !ok {
		return
	}
	if err := into(l, r); err != nil {
		l.Bad = append(l.Bad, Undecodable{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Reason: err.Error()})
	}
}

// Sort orders every topic by append time; equal times keep their order.
func (l *Log) Sort() {
	byTime(l.Danmaku)
	byTime(l.RoomEvents)
	byTime(l.Orders)
	byTime(l.Windows)
	byTime(l.Exposures)
	byTime(l.Replies)
	byTime(l.Steps)
	byTime(l.Hits)
	byTime(l.Deliveries)
	byTime(l.Outcomes)
}

func byTime[T event.Event](entries []Entry[T]) {
	slices.SortStableFunc(entries, func(a, b Entry[T]) int { return a.Wall.Compare(b.Wall) })
}

// Read reads the whole log.
func Read(ctx context.Context, reader streams.Reader) (*Log, error) {
	return read(ctx, reader, slices.Sorted(maps.Keys(topics)), func(string, int32) (int64, error) { return 0, nil })
}

// ReadSince reads what was appended to the named topics at or after a wall instant.
func ReadSince(ctx context.Context, reader interface {
	streams.Reader
	streams.Seeker
}, since time.Time, names ...string,
) (*Log, error) {
	return read(ctx, reader, names, func(topic string, p int32) (int64, error) { return reader.OffsetAt(ctx, topic, p, since) })
}

func read(ctx context.Context, reader streams.Reader, names []string, from func(topic string, partition int32) (int64, error)) (*Log, error) {
	partitions, err := reader.Partitions(ctx)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	l := &Log{}
	for _, topic := range names {
		for p := range partitions {
			first, err := from(topic, p)
			if err != nil {
				return nil, fmt.Errorf("audit: %s partition %d: %w", topic, p, err)
			}
			_, err = reader.Read(ctx, topic, p, first, func(r streams.Record) error {
				l.Add(r)
				return nil
			})
			if err != nil {
				return nil, fmt.Errorf("audit: read %s partition %d: %w", topic, p, err)
			}
		}
	}
	l.Sort()
	return l, nil
}
