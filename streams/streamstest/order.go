package streamstest

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"

	"livehost/streams"
	"livehost/streams/event"
)

// noise is a text that does not compress.
func noise() string {
	var b strings.Builder
	for b.Len() < 2000 {
		b.WriteString(rand.Text())
	}
	return b.String()
}

// appendOrder: a member that comes to a backlog of two topics sees a room as it went
// on. Utterances are long and danmaku short, so that one fetch brings more of the
// evening's danmaku than of what was said and shown meanwhile.
func appendOrder(_ *testing.T, f fixture) {
	const turns, each = 60, 20
	room := f.room(0)
	for i := range turns {
		f.speak(room, fmt.Sprint(i), each)
		f.publish(room, numbered(each)...)
	}
	var mu sync.Mutex
	seen := 0
	var latest streams.Record
	f.join(f.stateBinding(f.alone(func(r streams.Record, ack streams.Ack) {
		mu.Lock()
		defer mu.Unlock()
		if r.AppendTime.Before(latest.AppendTime) {
			f.Errorf("%s offset %d is handed over after %s offset %d, appended %v later",
				r.Topic, r.Offset, latest.Topic, latest.Offset, latest.AppendTime.Sub(r.AppendTime))
		}
		latest = r
		seen++
		ack(nil)
	})))
	f.eventually("all are handled", func() bool { mu.Lock(); defer mu.Unlock(); return seen == 2*turns*each })
}

// acksAcrossTopics: a topic is paused, and goes on only after a record of another one
// that was appended after all of its own.
func acksAcrossTopics(_ *testing.T, f fixture) {
	const utterances = 1200 // more than a fetch brings
	room := f.room(0)
	f.speak(room, "", utterances)
	f.publish(room, "that is all")
	var mu sync.Mutex
	var acks []streams.Ack
	seen, over := 0, false
	b := f.stateBinding(f.alone(func(r streams.Record, ack streams.Ack) {
		mu.Lock()
		defer mu.Unlock()
		seen++
		over = over || r.Topic == event.TopicDanmaku
		if acks = append(acks, ack); !over {
			return
		}
		for _, ack := range acks {
			ack(nil)
		}
		acks = nil
	}))
	b.MaxUnfinished = 10
	f.join(b)
	f.eventually("all are handled", func() bool { mu.Lock(); defer mu.Unlock(); return seen == utterances+1 })
}

// speak publishes n long utterances to the room.
func (f fixture) speak(room event.RoomID, id string, n int) {
	f.Helper()
	events := make([]event.Event, n)
	for i := range events {
		events[i] = event.RoomEvent{
			Schema: event.SchemaVersion, EventID: fmt.Sprintf("%s-%d", id, i), RoomID: room, Kind: event.HostUtterance, Text: noise(), TimeMs: 1,
		}
	}
	if err := f.Publisher.Publish(f.Context(), events...); err != nil {
		f.Fatal(err)
	}
}

// alone is the handler of a single member with nothing to restore.
func (f fixture) alone(handle func(streams.Record, streams.Ack)) *stateful {
	ready := make(chan struct{})
	close(ready)
	return &stateful{f: f, name: "only", owners: &owners{have: map[int32]string{}}, restore: ready, handle: handle}
}
