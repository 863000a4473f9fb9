package streamstest

import (
	"context"
	"slices"
	"sync"
	"time"

	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/topic"
)

// Partitions is the number of partitions of every topic of a Log.
const Partitions = 3

// Log is the log. The zero value is empty and ready. Safe for concurrent use.
type Log struct {
	// Now gives append times, time.Now when nil.
	Now func() time.Time
	// Fail, when not nil, is asked before each Publish.
	Fail func(events []event.Event) error

	mu      sync.Mutex
	records []streams.Record // in the order appended
	next    map[string]int64 // by topic and partition
	changed chan struct{}
}

var (
	_ streams.Publisher = (*Log)(nil)
	_ streams.Reader    = (*Log)(nil)
	_ streams.Seeker    = (*Log)(nil)
)

// Publish implements streams.Publisher.
func (l *Log) Publish(_ context.Context, events ...event.Event) error {
	if l.Fail != nil {
		if err := l.Fail(events); err != nil {
			return err
		}
	}
	values := make([][]byte, len(events))
	for i, e := range events {
		b, err := event.Encode(e)
		if err != nil {
			return err
		}
		values[i] = b
	}
	for i, e := range events {
		l.Append(e.Topic(), e.Key(), values[i])
	}
	return nil
}

// Append adds one record of any bytes.
func (l *Log) Append(name string, key event.RoomID, value []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next, l.changed = map[string]int64{}, make(chan struct{})
	}
	now := time.Now
	if l.Now != nil {
		now = l.Now
	}
	p := topic.PartitionOf(key, Partitions)
	slot := name + string(rune('0'+p))
	l.records = append(l.records, streams.Record{Topic: name, Partition: p, Offset: l.next[slot], Key: key, Value: value, AppendTime: now()})
	l.next[slot]++
	close(l.changed)
	l.changed = make(chan struct{})
}

// Records are all records so far, in the order appended.
func (l *Log) Records() []streams.Record { return l.RecordsFrom(0) }

// RecordsFrom are the records after the first n.
func (l *Log) RecordsFrom(n int) []streams.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.records[min(n, len(l.records)):])
}

// Partitions implements streams.Reader.
func (l *Log) Partitions(context.Context) (int32, error) { return Partitions, nil }

// Read implements streams.Reader.
func (l *Log) Read(_ context.Context, name string, partition int32, from int64, fn func(streams.Record) error) (int64, error) {
	for _, r := range l.Records() {
		if r.Topic != name || r.Partition != partition || r.Offset < from {
			continue
		}
		if err := fn(r); err != nil {
			return r.Offset, err
		}
		from = r.Offset + 1
	}
	return from, nil
}

// OffsetAt implements streams.Seeker.
func (l *Log) OffsetAt(_ context.Context, name string, partition int32, at time.Time) (int64, error) {
	var end int64
	for _, r := range l.Records() {
		if r.Topic != name || r.Partition != partition {
			continue
		}
		if !r.AppendTime.Before(at) {
			return r.Offset, nil
		}
		end = r.Offset + 1
	}
	return end, nil
}

// Follow implements streams.Reader.
func (l *Log) Follow(ctx context.Context, topics []string, fromEnd bool, fn func(streams.Record)) error {
	at := 0
	if fromEnd {
		at = len(l.Records())
	}
	for {
		l.mu.Lock()
		if l.changed == nil {
			l.next, l.changed = map[string]int64{}, make(chan struct{})
		}
		fresh, changed := slices.Clone(l.records[at:]), l.changed
		l.mu.Unlock()
		at += len(fresh)
		for _, r := range fresh {
			if slices.Contains(topics, r.Topic) {
				fn(r)
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
