package streamstest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"livehost/streams"
	"livehost/streams/event"
)

// stateful checks that calls for a partition come in the order of its life.
type stateful struct {
	f       fixture
	name    string
	owners  *owners
	restore chan struct{} // Assigned waits for it
	handle  func(streams.Record, streams.Ack)
	revoke  func(partition int32)
}

// owners says which member has which partition.
type owners struct {
	mu   sync.Mutex
	have map[int32]string
}

func (s *stateful) Assigned(ctx context.Context, partition int32) error {
	select {
	case <-s.restore:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.owners.mu.Lock()
	defer s.owners.mu.Unlock()
	if other := s.owners.have[partition]; other != "" {
		s.f.Errorf("partition %d assigned to %s while %s has it", partition, s.name, other)
	}
	s.owners.have[partition] = s.name
	return nil
}

func (s *stateful) Revoked(_ context.Context, partition int32) {
	if s.revoke != nil {
		s.revoke(partition)
	}
	s.owners.mu.Lock()
	defer s.owners.mu.Unlock()
	if s.owners.have[partition] != s.name {
		s.f.Errorf("partition %d revoked from %s, which does not have it", partition, s.name)
	}
	delete(s.owners.have, partition)
}

func (s *stateful) Handle(_ context.Context, r streams.Record, ack streams.Ack) {
	s.owners.mu.Lock()
	if s.owners.have[r.Partition] != s.name {
		s.f.Errorf("%s gets %s partition %d without having it", s.name, r.Topic, r.Partition)
	}
	s.owners.mu.Unlock()
	if !s.f.own(r) {
		ack(nil)
		return
	}
	s.handle(r, ack)
}

func (f fixture) stateBinding(h streams.Handler) streams.Binding {
	b := f.binding(h)
	b.Topics = []string{event.TopicDanmaku, event.TopicRoomEvent}
	return b
}

func stateFollowsPartition(_ *testing.T, f fixture) {
	const rooms, each = 24, 20
	own := &owners{have: map[int32]string{}}
	var seen journal
	member := func(name string) *stateful {
		ready := make(chan struct{})
		close(ready)
		return &stateful{f: f, name: name, owners: own, restore: ready, handle: func(r streams.Record, ack streams.Ack) {
			seen.add(r.Topic + "/" + string(r.Key))
			ack(nil)
		}}
	}
	first := member("first")
	first.restore = make(chan struct{})
	f.join(f.stateBinding(first))
	for i := range rooms {
		f.publish(f.room(i), numbered(each)...)
	}
	pause(300 * time.Millisecond) // long enough for records to come, were they not held back
	if seen.len() > 0 {
		f.Error("records were handed over before the state was restored")
	}
	close(first.restore)
	f.eventually("all are handled", func() bool { return seen.len() >= rooms*each })
	stopSecond := f.join(f.stateBinding(member("second")))
	f.eventually("the second member has partitions", func() bool {
		own.mu.Lock()
		defer own.mu.Unlock()
		for _, name := range own.have {
			if name == "second" {
				return true
			}
		}
		return false
	})
	before := seen.len()
	for i := range rooms {
		ev := event.RoomEvent{Schema: event.SchemaVersion, EventID: fmt.Sprint(i), RoomID: f.room(i), Kind: event.RoomOpened, TimeMs: 1}
		if err := f.Publisher.Publish(f.Context(), ev); err != nil {
			f.Fatal(err)
		}
	}
	f.eventually("both members go on", func() bool { return seen.len() >= before+rooms })
	if err := stopSecond(); err != nil {
		f.Error(err)
	}
}

func revokedAcksCommit(_ *testing.T, f fixture) {
	room := f.room(0)
	f.publish(room, "a", "b")
	end := f.end(room)
	ready := make(chan struct{})
	close(ready)
	var mu sync.Mutex
	var acks []streams.Ack
	h := &stateful{f: f, name: "only", owners: &owners{have: map[int32]string{}}, restore: ready}
	h.handle = func(_ streams.Record, ack streams.Ack) {
		mu.Lock()
		defer mu.Unlock()
		acks = append(acks, ack)
	}
	h.revoke = func(partition int32) {
		if partition != f.partition(room) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, ack := range acks {
			ack(nil)
		}
	}
	stop := f.join(f.stateBinding(h))
	f.eventually("both are handed over", func() bool { mu.Lock(); defer mu.Unlock(); return len(acks) == 2 })
	if err := stop(); err != nil {
		f.Fatal(err)
	}
	if got := f.committed(room); got < end {
		f.Errorf("committed %d, want %d", got, end)
	}
}
