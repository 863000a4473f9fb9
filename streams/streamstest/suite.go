package streamstest

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/topic"
)

// Member is a member of a consumer group.
type Member interface {
	Run(ctx context.Context) error
}

// System is an implementation under test, with all topics of the catalogue. Its
// drain budget must be about half a second, its first retry at most 50 ms away.
type System struct {
	Publisher streams.Publisher
	Reader    streams.Reader
	// Join makes a new member of the binding's group.
	Join func(streams.Binding) (Member, error)
	// Committed are the group's committed offsets of a topic, by partition.
	Committed func(ctx context.Context, group, topic string) (map[int32]int64, error)
}

// Run runs the suite; open is called once a case.
func Run(t *testing.T, open func(t *testing.T) System) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, fixture)
	}{
		{"read to the end of the log at the call", readToEnd},
		{"follow from the end", followFromEnd},
		{"offsets by append time", offsetAt},
		{"a cancelled publish returns", publishCancelled},
		{"case 3: the committed offset is a contiguous prefix", contiguousPrefix},
		{"case 4: commits are monotonic", monotonicCommits},
		{"case 6: a revoke never commits past unfinished records", revokeNeverPasses},
		{"case 7: a lane per key", lanePerKey},
		{"case 21: a dead letter after the retries, with its reason", deadLetter},
		{"case 22: shutdown is never poison", shutdownIsNotPoison},
		{"case 27: a crash before any commit restarts at the earliest record", restartsAtEarliest},
		{"case 28: a stuck key does not stop others", stuckKey},
		{"a retry keeps the order of its key", retryKeepsOrder},
		{"a conflict is done", conflictIsDone},
		{"an internal error stops and names the record", internalStops},
		{"state is restored before records and dropped after them", stateFollowsPartition},
		{"topics of one partition in the order of their appends", appendOrder},
		{"acknowledgements of a paused topic depend on another topic", acksAcrossTopics},
		{"case 24: acknowledgements during a revocation are committed", revokedAcksCommit},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			id := strings.ToLower(rand.Text()[:10])
			c.run(t, fixture{T: t, System: open(t), id: id})
		})
	}
}

// fixture is one case's system, with names of its own.
type fixture struct {
	*testing.T
	System
	id string
}

// room is the n'th room of the case.
func (f fixture) room(n int) event.RoomID { return event.RoomID(fmt.Sprintf("%s-room-%d", f.id, n)) }

func (f fixture) group() string { return "group-" + f.id }

func (f fixture) own(r streams.Record) bool { return strings.HasPrefix(string(r.Key), f.id+"-") }

func (f fixture) partition(room event.RoomID) int32 {
	n, err := f.Reader.Partitions(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return topic.PartitionOf(room, n)
}

// publish writes one danmaku a text to the room, in order.
func (f fixture) publish(room event.RoomID, texts ...string) {
	f.Helper()
	events := make([]event.Event, len(texts))
	for i, text := range texts {
		events[i] = event.Danmaku{Schema: event.SchemaVersion, DanmakuID: event.DanmakuID(text), RoomID: room, Text: text, PlatformTimeMs: 1}
	}
	if err := f.Publisher.Publish(f.Context(), events...); err != nil {
		f.Fatal(err)
	}
}

// text is the text of a danmaku record.
func (f fixture) text(r streams.Record) string {
	d, err := event.Decode[event.Danmaku](r.Value)
	if err != nil {
		f.Errorf("%s partition %d offset %d: %v", r.Topic, r.Partition, r.Offset, err)
	}
	return d.Text
}

// end is the offset after the last record of the room's danmaku partition.
func (f fixture) end(room event.RoomID) int64 {
	f.Helper()
	end, err := f.Reader.Read(f.Context(), event.TopicDanmaku, f.partition(room), 0, func(streams.Record) error { return nil })
	if err != nil {
		f.Fatal(err)
	}
	return end
}

// offsets are those of the room's danmaku; other cases' records may lie between.
func (f fixture) offsets(room event.RoomID) (out []int64) {
	f.Helper()
	_, err := f.Reader.Read(f.Context(), event.TopicDanmaku, f.partition(room), 0, func(r streams.Record) error {
		if r.Key == room {
			out = append(out, r.Offset)
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	return out
}

func (f fixture) committed(room event.RoomID) int64 {
	f.Helper()
	offsets, err := f.Committed(f.Context(), f.group(), event.TopicDanmaku)
	if err != nil {
		f.Fatal(err)
	}
	return offsets[f.partition(room)]
}

// binding reads danmaku with h, foreign records aside.
func (f fixture) binding(h streams.Handler) streams.Binding {
	return streams.Binding{Group: f.group(), Topics: []string{event.TopicDanmaku}, Handler: h}
}

// handler handles the case's own records with fn and acknowledges others.
func (f fixture) handler(fn func(context.Context, streams.Record, streams.Ack)) streams.Handler {
	return handlerFunc(func(ctx context.Context, r streams.Record, ack streams.Ack) {
		if !f.own(r) {
			ack(nil)
			return
		}
		fn(ctx, r, ack)
	})
}

type handlerFunc func(context.Context, streams.Record, streams.Ack)

func (fn handlerFunc) Handle(ctx context.Context, r streams.Record, ack streams.Ack) { fn(ctx, r, ack) }

// join starts a member; stop ends it and returns what Run returned.
func (f fixture) join(b streams.Binding) (stop func() error) {
	f.Helper()
	m, err := f.Join(b)
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = m.Run(ctx)
	}()
	stop = func() error {
		cancel()
		select {
		case <-done:
			return err
		case <-time.After(testkit.Patience):
			return fmt.Errorf("the member did not stop within %v", testkit.Patience)
		}
	}
	f.Cleanup(func() { _ = stop() })
	return stop
}

// eventually waits until cond is true.
func (f fixture) eventually(what string, cond func() bool) {
	f.Helper()
	testkit.Eventually(f, what, cond)
}

// pause waits between two looks at a broker, which cannot be waited for otherwise.
func pause(d time.Duration) { <-time.After(d) }

// journal is what members have seen, safe for concurrent use.
type journal struct {
	mu   sync.Mutex
	seen []string
}

func (j *journal) add(s string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seen = append(j.seen, s)
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.seen)
}

func (j *journal) len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.seen)
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(i)
	}
	return out
}
