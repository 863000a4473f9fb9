package kafka_test

import (
	"context"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
)

// twoBrokers has danmaku on one broker and room events on another, which may be held
// until the first was asked again for more.
type twoBrokers struct {
	faulty
	asked atomic.Int32 // fetches of danmaku
	until atomic.Int32 // fetches of room events wait for that many
}

func newTwoBrokers(t *testing.T) *twoBrokers {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	cfg := testConfig(cluster.ListenAddrs())
	b := &twoBrokers{faulty: faulty{T: t, cluster: cluster, cfg: cfg, sys: openSystem(t, cfg)}}
	for n := range b.partitions() {
		for node, name := range []string{event.TopicDanmaku, event.TopicRoomEvent} {
			if err := cluster.MoveTopicPartition(name, n, int32(node)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cluster.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if cluster.CurrentNode() == 0 {
			b.asked.Add(1)
			return nil, nil, false
		}
		cluster.SleepControl(func() {
			for b.asked.Load() < b.until.Load() && t.Context().Err() == nil {
				<-time.After(time.Millisecond)
			}
		})
		return nil, nil, false
	})
	return b
}

// hold lets the fetches of room events that come now wait for those of danmaku.
func (b *twoBrokers) hold() { b.until.Store(b.asked.Load() + 3) }

// evening publishes n room events, each with a danmaku after it.
func (b *twoBrokers) evening(room event.RoomID, n int) {
	b.Helper()
	for i := range n {
		for _, e := range []event.Event{
			event.RoomEvent{Schema: 1, EventID: strconv.Itoa(i), RoomID: room, Kind: event.Enter, TimeMs: 1},
			event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(strconv.Itoa(i)), RoomID: room, PlatformTimeMs: 1},
		} {
			if err := b.sys.Publisher.Publish(b.Context(), e); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// evenings is a stateful handler that wants its records in the order of their appends.
type evenings struct {
	t       *testing.T
	stalled chan struct{} // closed when the handler hangs
	goOn    chan struct{}

	mu     sync.Mutex
	seen   int
	latest map[event.RoomID]streams.Record
}

func (*evenings) Assigned(context.Context, int32) error { return nil }
func (*evenings) Revoked(context.Context, int32)        {}

func (e *evenings) Handle(_ context.Context, r streams.Record, ack streams.Ack) {
	defer ack(nil)
	if r.Key == stallRoom {
		close(e.stalled)
		<-e.goOn
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if last := e.latest[r.Key]; r.AppendTime.Before(last.AppendTime) {
		e.t.Errorf("%s offset %d comes after %s offset %d, appended %v later", r.Topic, r.Offset, last.Topic, last.Offset, last.AppendTime.Sub(r.AppendTime))
	}
	e.latest[r.Key] = r
	e.seen++
}

func (e *evenings) handled() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seen
}

const (
	stallRoom event.RoomID = "stall"
	nextRoom  event.RoomID = "next"
)

// A partition's topics are on two brokers, of which one answers late: at the start of a
// member, and after its loop has stalled, what the other brought waits.
func TestOrderAcrossBrokers(t *testing.T) {
	t.Parallel()
	const n = 30
	b := newTwoBrokers(t)
	h := &evenings{t: t, stalled: make(chan struct{}), goOn: make(chan struct{}), latest: map[event.RoomID]streams.Record{}}
	b.evening(faultRoom, n)
	b.hold()
	m, err := b.sys.Join(streams.Binding{Group: faultGroup, Topics: []string{event.TopicRoomEvent, event.TopicDanmaku}, Handler: h, Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	b.run(m)
	testkit.Eventually(t, "the backlog is handled", func() bool { return h.handled() == 2*n })

	say := func(room event.RoomID) {
		if err := b.sys.Publisher.Publish(t.Context(), event.Danmaku{Schema: 1, DanmakuID: "1", RoomID: room, PlatformTimeMs: 1}); err != nil {
			t.Fatal(err)
		}
	}
	say(stallRoom)
	<-h.stalled
	say(nextRoom) // waits for the only lane, and the loop for it
	<-time.After(1500 * time.Millisecond)
	b.evening(faultRoom, n)
	b.hold()
	close(h.goOn)
	testkit.Eventually(t, "what came meanwhile is handled", func() bool { return h.handled() == 4*n+1 })
}

// A broker that does not answer holds up what the others have only for a while.
func TestOrderHasPatience(t *testing.T) {
	t.Parallel()
	const n = 5
	b := newTwoBrokers(t)
	b.evening(faultRoom, n)
	b.until.Store(math.MaxInt32)
	var danmaku, events atomic.Int32
	m, err := b.sys.Join(streams.Binding{
		Group: faultGroup, Topics: []string{event.TopicRoomEvent, event.TopicDanmaku}, Handler: stateless(func(r streams.Record) {
			if r.Topic == event.TopicDanmaku {
				danmaku.Add(1)
			} else {
				events.Add(1)
			}
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	b.run(m)
	testkit.Eventually(t, "danmaku are handled", func() bool { return danmaku.Load() == n })
	if got := events.Load(); got > 0 {
		t.Fatalf("%d room events came from a silent broker", got)
	}
	b.until.Store(0)
	testkit.Eventually(t, "room events are handled", func() bool { return events.Load() == n })
}

// A topic of which retention has left nothing has no records to wait for, whatever was
// committed of it.
func TestOrderAfterRetention(t *testing.T) {
	t.Parallel()
	const n = 5
	for name, committed := range map[string]int64{"nothing is committed": -1, "the commit is older": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTwoBrokers(t)
			b.evening(faultRoom, n)
			b.empty(event.TopicRoomEvent)
			if committed >= 0 {
				b.commit(event.TopicRoomEvent, committed)
			}
			var danmaku atomic.Int32
			m, err := b.sys.Join(streams.Binding{
				Group: faultGroup, Topics: []string{event.TopicRoomEvent, event.TopicDanmaku}, Handler: stateless(func(r streams.Record) {
					if r.Topic == event.TopicDanmaku {
						danmaku.Add(1)
					}
				}),
			})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			b.run(m)
			testkit.Eventually(t, "danmaku are handled", func() bool { return danmaku.Load() == n })
			if took := time.Since(began); took > 1500*time.Millisecond { // all patience is two seconds
				t.Errorf("danmaku were handled after %v", took)
			}
		})
	}
}

// admin is a client beside the system's own.
func (b *twoBrokers) admin() *kadm.Client {
	b.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.cfg.Brokers...))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(cl.Close)
	return kadm.NewClient(cl)
}

// empty removes all of a topic, as retention does.
func (b *twoBrokers) empty(topic string) {
	b.Helper()
	admin := b.admin()
	ends, err := admin.ListEndOffsets(b.Context(), topic)
	if err != nil {
		b.Fatal(err)
	}
	removed, err := admin.DeleteRecords(b.Context(), ends.Offsets())
	if err == nil {
		err = removed.Error()
	}
	if err != nil {
		b.Fatal(err)
	}
}

// commit commits the offset for the group in each partition of the topic that reached it.
func (b *twoBrokers) commit(topic string, offset int64) {
	b.Helper()
	admin := b.admin()
	ends, err := admin.ListEndOffsets(b.Context(), topic)
	if err != nil {
		b.Fatal(err)
	}
	var offsets kadm.Offsets
	ends.Each(func(o kadm.ListedOffset) { offsets.AddOffset(topic, o.Partition, min(offset, o.Offset), -1) })
	if err := admin.CommitAllOffsets(b.Context(), faultGroup, offsets); err != nil {
		b.Fatal(err)
	}
}

// stateless is a handler whose partitions come together, with nothing to restore.
type stateless func(streams.Record)

func (stateless) Assigned(context.Context, int32) error { return nil }
func (stateless) Revoked(context.Context, int32)        {}

func (fn stateless) Handle(_ context.Context, r streams.Record, ack streams.Ack) {
	fn(r)
	ack(nil)
}
