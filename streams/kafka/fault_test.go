package kafka_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"livehost/internal/fault"
	"livehost/internal/testkit"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/streamstest"
	"livehost/streams/topic"
)

// faulty is a broker whose answers a test can change, with one member.
type faulty struct {
	*testing.T
	cluster *kfake.Cluster
	cfg     kafka.Config
	sys     streamstest.System
}

func newFaulty(t *testing.T) faulty {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	cfg := testConfig(cluster.ListenAddrs())
	return faulty{T: t, cluster: cluster, cfg: cfg, sys: openSystem(t, cfg)}
}

const (
	faultRoom  event.RoomID = "room"
	faultGroup string       = "group"
)

func faultPartition() int32 { return topic.PartitionOf(faultRoom, topic.DefaultPartitions) }

func (f faulty) publish(n int) {
	f.Helper()
	for i := range n {
		if err := f.sys.Publisher.Publish(f.Context(), event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(strconv.Itoa(i)), RoomID: faultRoom, PlatformTimeMs: 1}); err != nil {
			f.Fatal(err)
		}
	}
}

// join runs a member until the test ends or stop is called.
func (f faulty) join(h handlerFunc) (stop func()) {
	f.Helper()
	m, err := f.sys.Join(streams.Binding{Group: faultGroup, Topics: []string{event.TopicDanmaku}, Handler: h})
	if err != nil {
		f.Fatal(err)
	}
	return f.run(m)
}

// run runs a member until the test ends or stop is called.
func (f faulty) run(m streamstest.Member) (stop func()) {
	f.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			f.Errorf("Run: %v", err)
		}
	})
	f.Cleanup(stop)
	return stop
}

func (f faulty) partitions() int32 {
	f.Helper()
	n, err := f.sys.Reader.Partitions(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return n
}

func (f faulty) partition(room event.RoomID) int32 { return topic.PartitionOf(room, f.partitions()) }

// lag is the whole group's.
func (f faulty) lag() (sum int64) {
	f.Helper()
	lags, err := f.sys.Reader.(*kafka.Reader).Lags(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	for _, l := range lags {
		sum += l.Lag()
	}
	return sum
}

func (f faulty) committed() int64 {
	f.Helper()
	offsets, err := f.sys.Committed(f.Context(), faultGroup, event.TopicDanmaku)
	if err != nil {
		f.Fatal(err)
	}
	return offsets[faultPartition()]
}

func (f faulty) eventually(what string, cond func() bool) {
	f.Helper()
	testkit.Eventually(f, what, cond)
}

func (f faulty) deadLetters() (out []streams.Record) {
	f.Helper()
	_, err := f.sys.Reader.Read(f.Context(), topic.DLQ(event.TopicDanmaku), 0, 0, func(r streams.Record) error {
		out = append(out, r)
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	return out
}

// Case 4: the first commit is slow; no later one overtakes it.
func TestStreamingCase04DelayedCommitIsNotOvertaken(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	var mu sync.Mutex
	var asked []int64
	release := make(chan struct{})
	var slept atomic.Bool
	f.cluster.ControlKey(int16(kmsg.OffsetCommit), func(req kmsg.Request) (kmsg.Response, error, bool) {
		for _, t := range req.(*kmsg.OffsetCommitRequest).Topics {
			for _, p := range t.Partitions {
				if p.Partition == faultPartition() {
					mu.Lock()
					asked = append(asked, p.Offset)
					mu.Unlock()
				}
			}
		}
		if !slept.Swap(true) {
			f.cluster.SleepControl(func() { <-release })
		}
		return nil, nil, false
	})
	var handled atomic.Int32
	f.join(func(_ context.Context, _ streams.Record, ack streams.Ack) { handled.Add(1); ack(nil) })
	f.publish(1)
	f.eventually("the first commit is on its way", slept.Load)
	f.publish(50)
	f.eventually("all are handled", func() bool { return handled.Load() == 51 })
	<-time.After(5 * f.cfg.CommitInterval) // time for other commits to overtake
	mu.Lock()
	if len(asked) != 1 {
		t.Errorf("commits %v were sent while one was under way", asked)
	}
	mu.Unlock()
	close(release)
	f.eventually("all is committed", func() bool { return f.committed() == 51 })
	if !slices.IsSorted(asked) {
		t.Errorf("commits went back: %v", asked)
	}
}

// Case 21: a record is finished only when its dead letter is in the log.
func TestStreamingCase21RefusedDeadLetterIsRetriedBeforeFinishing(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	refusal := f.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: topic.DLQ(event.TopicDanmaku), Err: kerr.InvalidRecord, Count: -1,
	})
	f.join(func(_ context.Context, _ streams.Record, ack streams.Ack) { ack(fault.Errorf(fault.Invalid, "poison")) })
	f.publish(1)
	if err := refusal.Wait(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if got := f.committed(); got > 0 {
		t.Errorf("committed %d although the dead letter is refused", got)
	}
	refusal.Remove()
	f.eventually("the record is finished", func() bool { return f.committed() == 1 })
	if got := f.deadLetters(); len(got) != 1 || got[0].Headers[kafka.HeaderReason] != "poison" {
		t.Errorf("dead letters %v, want one with its reason", got)
	}
}

func TestKeyThatIsNoRoomIsADeadLetter(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	cl, err := kgo.NewClient(kgo.SeedBrokers(f.cfg.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for _, key := range [][]byte{nil, {}, {0xff, 0xfe}} {
		r := &kgo.Record{Topic: event.TopicDanmaku, Partition: faultPartition(), Key: key, Value: []byte("{}"), Headers: []kgo.RecordHeader{{Key: "from", Value: []byte("platform")}}}
		if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	f.publish(1)
	var handled atomic.Int32
	f.join(func(_ context.Context, _ streams.Record, ack streams.Ack) { handled.Add(1); ack(nil) })
	f.eventually("all are finished", func() bool { return f.committed() == 4 })
	letters := f.deadLetters()
	if handled.Load() != 1 || len(letters) != 3 {
		t.Fatalf("%d handled, %d dead letters, want 1 and 3", handled.Load(), len(letters))
	}
	// They are sent side by side.
	slices.SortFunc(letters, func(a, b streams.Record) int {
		return strings.Compare(a.Headers[kafka.HeaderOffset], b.Headers[kafka.HeaderOffset])
	})
	if letters[2].Key != "\xff\xfe" || letters[2].Headers["from"] != "platform" || string(letters[2].Value) != "{}" {
		t.Errorf("dead letter %+v is not the record as it was", letters[2])
	}
}

// Case 18: a member that was thrown out comes back at the committed offset.
func TestStreamingCase18MemberThatWasThrownOutGoesOn(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	var mu sync.Mutex
	seen := map[int64]int{}
	f.join(func(_ context.Context, r streams.Record, ack streams.Ack) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.Offset]++
		ack(nil)
	})
	f.publish(20)
	f.eventually("all are committed", func() bool { return f.committed() == 20 })
	out := f.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.UnknownMemberID, TopLevel: true, Count: 1})
	if err := out.Wait(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	f.publish(20)
	f.eventually("the rest is committed", func() bool { return f.committed() == 40 })
	mu.Lock()
	defer mu.Unlock()
	for offset := range int64(40) {
		if seen[offset] == 0 {
			t.Errorf("offset %d was never handed over", offset)
		}
		if offset < 20 && seen[offset] > 1 {
			t.Errorf("offset %d was handed over again although it was committed", offset)
		}
	}
}

// A reason that quotes most of the record does not cost the record its place among the
// dead letters.
func TestLongReasonLeavesTheRecordWhole(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	text := `{"schema":1,"danmaku_id":"1","room_id":"room","platform_time_ms":` + strings.Repeat("9", 200<<10) + `}`
	record := &kgo.Record{Topic: event.TopicDanmaku, Key: []byte(faultRoom), Value: []byte(text)}
	if err := f.client().ProduceSync(t.Context(), record).FirstErr(); err != nil {
		t.Fatal(err)
	}
	f.join(func(_ context.Context, r streams.Record, ack streams.Ack) {
		_, err := event.Decode[event.Danmaku](r.Value)
		ack(err)
	})
	f.eventually("it is finished", func() bool { return f.committed() == 1 })
	letters := f.deadLetters()
	if len(letters) != 1 || string(letters[0].Value) != text {
		t.Fatalf("%d dead letters, want one with the record's %d bytes: %v", len(letters), len(text), letters)
	}
	if why := letters[0].Headers[kafka.HeaderReason]; len(why) > 4096 || !strings.Contains(why, "platform_time_ms is a JSON number") {
		t.Errorf("a reason of %d bytes: %.200s", len(why), why)
	}
}

func TestMissingTopicIsAnErrorThatSaysSo(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	m, err := f.sys.Join(streams.Binding{Group: "g", Topics: []string{"nowhere.v1"}, Handler: handlerFunc(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "topic nowhere.v1 does not exist") {
		t.Errorf("Run: %v, want an error that names the topic", err)
	}
}

func TestBrokerAway(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	var handled atomic.Int32
	stop := f.join(func(_ context.Context, _ streams.Record, ack streams.Ack) { handled.Add(1); ack(nil) })
	f.publish(1)
	f.eventually("the record is handled", func() bool { return handled.Load() == 1 })
	f.cluster.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := f.sys.Publisher.Publish(ctx, event.Danmaku{Schema: 1, DanmakuID: "x", RoomID: faultRoom, PlatformTimeMs: 1})
	if err == nil || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Publish: %v, want unavailable", err)
	}
	begin := time.Now()
	stop()
	if took := time.Since(begin); took > testkit.Patience {
		t.Errorf("the member took %v to stop without a broker", took)
	}
}
