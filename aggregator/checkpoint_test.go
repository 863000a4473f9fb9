package aggregator_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"livehost/aggregator"
	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/streamstest"
)

// states keeps the room-state.v1 events as they are handed to the publisher.
type states struct {
	streamstest.Log

	mu  sync.Mutex
	got []event.RoomState
}

func (s *states) Publish(ctx context.Context, events ...event.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		if st, ok := e.(event.RoomState); ok {
			s.got = append(s.got, st)
		}
	}
	return s.Log.Publish(ctx, events...)
}

// A state is written while its room goes on: the room's further events do not reach
// into it.
func TestStateIsOfItsMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &states{}
		agg, err := aggregator.New(aggregator.DefaultConfig(), aggregator.Deps{
			Clock: clock.Real(), Publisher: log, Reader: &log.Log, Assigner: halves{}, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := agg.Assigned(t.Context(), number); err != nil {
			t.Fatal(err)
		}
		defer agg.Revoked(t.Context(), number)
		list := func(link event.LinkID) {
			e := event.RoomEvent{Schema: 1, EventID: string(link), RoomID: roomID, Kind: event.ProductListed, LinkID: link, ProductID: "p", TimeMs: time.Now().UnixMilli()}
			value, err := event.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			agg.Handle(t.Context(), streams.Record{Topic: event.TopicRoomEvent, Partition: number, Key: roomID, Value: value, AppendTime: time.Now()}, func(err error) {
				if err != nil {
					t.Error(err)
				}
			})
		}
		list("1")
		<-time.After(6 * time.Second) // a checkpoint
		synctest.Wait()
		list("2")
		log.mu.Lock()
		defer log.mu.Unlock()
		if len(log.got) != 1 || len(log.got[0].Links) != 1 {
			t.Errorf("states %+v, want one with one link", log.got)
		}
	})
}
