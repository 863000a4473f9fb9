package main

import (
	"context"
	"strings"
	"sync"

	"livehost/eval/audit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/topic"
)

// journal is the log as it grows, followed from its start.
type journal struct {
	mu      sync.Mutex
	records []streams.Record
	started chan event.Delivery // deliveries that begin; the newest only
}

func newJournal() *journal { return &journal{started: make(chan event.Delivery, 1)} }

// run follows every topic until ctx ends.
func (j *journal) run(ctx context.Context, reader streams.Reader) error {
	var names []string
	for _, t := range topic.All(topic.DefaultPartitions) {
		if t.Payload != nil {
			names = append(names, t.Name)
		}
	}
	return reader.Follow(ctx, names, false, j.take)
}

func (j *journal) take(r streams.Record) {
	j.mu.Lock()
	j.records = append(j.records, r)
	j.mu.Unlock()
	if r.Topic != event.TopicDelivery {
		return
	}
	d, err := event.Decode[event.Delivery](r.Value)
	if err != nil || d.State != event.DeliveryStarted || d.Channel != event.Public {
		return
	}
	select {
	case <-j.started: // nobody took it
	default:
	}
	select {
	case j.started <- d:
	default:
	}
}

// nextStarted returns when a public delivery begins.
func (j *journal) nextStarted(ctx context.Context) error {
	select {
	case <-j.started: // an old one
	default:
	}
	select {
	case <-j.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// log is what the journal holds of the rooms whose names begin with prefix.
func (j *journal) log(prefix string) *audit.Log {
	j.mu.Lock()
	defer j.mu.Unlock()
	l := &audit.Log{}
	for _, r := range j.records {
		if strings.HasPrefix(string(r.Key), prefix+"-") {
			l.Add(r)
		}
	}
	l.Sort()
	return l
}
