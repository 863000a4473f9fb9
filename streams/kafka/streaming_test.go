package kafka_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"livehost/internal/fault"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// client is a client of the broker that the package under test knows nothing of.
func (f faulty) client(opts ...kgo.Opt) *kgo.Client {
	f.Helper()
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(f.cfg.Brokers...))...)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(cl.Close)
	return cl
}

// logged is a logger and what it has written.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logged) has(s string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.b.String(), s)
}

// consume runs a member with cfg until the test ends, and gives it and its log.
func (f faulty) consume(cfg kafka.Config, h handlerFunc) (*kafka.Consumer, *logged) {
	f.Helper()
	out := &logged{}
	log := slog.New(slog.NewTextHandler(out, nil))
	pub, err := kafka.NewPublisher(cfg, log)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(pub.Close)
	c, err := kafka.NewConsumer(cfg, streams.Binding{Group: faultGroup, Topics: []string{event.TopicDanmaku}, Handler: h}, pub, log)
	if err != nil {
		f.Fatal(err)
	}
	f.run(c)
	return c, out
}

// Case 19: a record that its dead-letter topic does not take leaves a stub there,
// and the partition goes on.
func TestStreamingCase19OversizedRecordLeavesAStub(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	cl := f.client(kgo.ProducerBatchMaxBytes(8 << 20))
	adm := kadm.NewClient(cl)
	if _, err := adm.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "max.message.bytes", Value: kadm.StringPtr("8388608")}}, event.TopicDanmaku); err != nil {
		t.Fatal(err)
	}
	big := &kgo.Record{Topic: event.TopicDanmaku, Key: []byte(faultRoom), Value: bytes.Repeat([]byte("x"), 2<<20)}
	if err := cl.ProduceSync(t.Context(), big).FirstErr(); err != nil {
		t.Fatal(err)
	}
	f.publish(1)
	var sizes []int
	f.join(func(_ context.Context, r streams.Record, ack streams.Ack) {
		sizes = append(sizes, len(r.Value)) // one room: one after another
		if _, err := event.Decode[event.Danmaku](r.Value); err != nil {
			ack(err)
			return
		}
		ack(nil)
	})
	f.eventually("both are finished", func() bool { return f.committed() == 2 })
	letters := f.deadLetters()
	if len(letters) != 1 || len(sizes) != 2 || sizes[0] != 2<<20 {
		t.Fatalf("%d dead letters, records of %v bytes; want one and %d first", len(letters), sizes, 2<<20)
	}
	h := letters[0].Headers
	if len(letters[0].Value) != 0 || h[kafka.HeaderBytes] != strconv.Itoa(2<<20) || h[kafka.HeaderOffset] != "0" || h[kafka.HeaderReason] == "" {
		t.Errorf("the stub has %d bytes and the headers %v", len(letters[0].Value), h)
	}
	huge := event.Danmaku{Schema: 1, DanmakuID: "x", RoomID: faultRoom, PlatformTimeMs: 1, Text: strings.Repeat("x", 300<<10)}
	if err := f.sys.Publisher.Publish(t.Context(), huge); fault.KindOf(err) != fault.Invalid {
		t.Errorf("publishing more than the topic takes: %v, want invalid", err)
	}
}

// Case 28: a record that fails again and again is given up in the end, and is a
// dead letter then.
func TestStreamingCase28RetriesAreBounded(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	cfg := f.cfg
	cfg.RetryMin, cfg.RetryMax, cfg.RetryFor = 5*time.Millisecond, 10*time.Millisecond, 100*time.Millisecond
	var attempts atomic.Int32
	f.consume(cfg, func(_ context.Context, r streams.Record, ack streams.Ack) {
		if r.Offset == 0 {
			attempts.Add(1)
			ack(fault.Errorf(fault.Unavailable, "never there"))
			return
		}
		ack(nil)
	})
	f.publish(3)
	f.eventually("the partition goes on", func() bool { return f.committed() == 3 })
	letters := f.deadLetters()
	if len(letters) != 1 || attempts.Load() < 3 || !strings.Contains(letters[0].Headers[kafka.HeaderReason], "never there") {
		t.Errorf("%d attempts, dead letters %v", attempts.Load(), letters)
	}
}

// Case 28, 31: the age of the oldest unfinished record and the lag to the last
// stable offset are known.
func TestStreamingCase28Case31ProgressIsKnown(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	release := make(chan struct{})
	c, _ := f.consume(f.cfg, func(_ context.Context, r streams.Record, ack streams.Ack) {
		if r.Offset == 2 {
			go func() { <-release; ack(nil) }()
			return
		}
		ack(nil)
	})
	f.publish(10)
	mine := func() (p kafka.Progress) {
		for _, p = range c.Progress() {
			if p.Partition == faultPartition() {
				return p
			}
		}
		return kafka.Progress{}
	}
	f.eventually("one is unfinished", func() bool { p := mine(); return p.Unfinished == 1 && p.End == 10 })
	if p := mine(); p.Committed != 2 || p.Lag() != 8 || time.Since(p.Oldest) > time.Minute || p.Oldest.IsZero() {
		t.Errorf("progress %+v, want 2 finished of 10 and the age of the third", p)
	}
	close(release)
	f.eventually("all is finished", func() bool { p := mine(); return p.Lag() == 0 && p.Oldest.IsZero() })
}

// A gap between the committed offset and the first retained record is a loss that
// is told of.
func TestStreamingRetentionPastTheCommitIsALoss(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.publish(10)
	stop := f.join(func(_ context.Context, r streams.Record, ack streams.Ack) {
		if r.Offset < 4 {
			ack(nil)
		}
	})
	f.eventually("four are committed", func() bool { return f.committed() == 4 })
	stop()
	var cut kadm.Offsets
	cut.Add(kadm.Offset{Topic: event.TopicDanmaku, Partition: faultPartition(), At: 7})
	if _, err := kadm.NewClient(f.client()).DeleteRecords(t.Context(), cut); err != nil {
		t.Fatal(err)
	}
	c, log := f.consume(f.cfg, func(_ context.Context, _ streams.Record, ack streams.Ack) { ack(nil) })
	f.eventually("the rest is committed", func() bool { return f.committed() == 10 })
	var lost int64
	for _, p := range c.Progress() {
		lost += p.Lost
	}
	if lost != 3 || !log.has("records are lost") || !log.has("lost=3") {
		t.Errorf("%d records count as lost, want 3 and a word of it", lost)
	}
}

// A producer with another partitioner is told of: its rooms are spread over
// partitions, and would lose their order.
func TestStreamingForeignPartitionerAlarms(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	_, log := f.consume(f.cfg, func(_ context.Context, _ streams.Record, ack streams.Ack) { ack(nil) })
	f.publish(200)
	f.eventually("our own records are handled", func() bool { return f.committed() == 200 })
	if log.has("another partitioner") {
		t.Error("our own producer alarms")
	}
	cl := f.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	other := (faultPartition() + 1) % topic.DefaultPartitions
	var records []*kgo.Record
	for range 200 {
		records = append(records, &kgo.Record{Topic: event.TopicDanmaku, Partition: other, Key: []byte(faultRoom), Value: []byte("{}")})
	}
	if err := cl.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	f.eventually("an alarm", func() bool { return log.has("another partitioner") })
}

// Case 25: members that come and go lose nothing and commit nothing unfinished.
func TestStreamingCase25Case06Case24Churn(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	var mu sync.Mutex
	done := map[string]bool{}
	h := func(_ context.Context, r streams.Record, ack streams.Ack) {
		time.AfterFunc(2*time.Millisecond, func() {
			mu.Lock()
			done[fmt.Sprintf("%d/%d", r.Partition, r.Offset)] = true
			mu.Unlock()
			ack(nil)
		})
	}
	f.join(h)
	const n = 600
	go func() {
		for i := range n {
			e := event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(strconv.Itoa(i)), RoomID: event.RoomID(strconv.Itoa(i % 40)), PlatformTimeMs: 1}
			if err := f.sys.Publisher.Publish(t.Context(), e); err != nil {
				return
			}
		}
	}()
	for range 4 {
		stop := f.join(h)
		<-time.After(150 * time.Millisecond)
		stop()
	}
	f.eventually("every record is handled", func() bool { mu.Lock(); defer mu.Unlock(); return len(done) == n })
	f.eventually("all is committed", func() bool {
		offsets, err := f.sys.Committed(t.Context(), faultGroup, event.TopicDanmaku)
		var sum int64
		for _, o := range offsets {
			sum += max(o, 0)
		}
		return err == nil && sum == n
	})
}

// A replayed dead letter is as old as it was: whoever judges by age finds it late.
func TestStreamingReplayedDeadLetterKeepsItsAge(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	var mu sync.Mutex
	var seen []streams.Record
	f.join(func(_ context.Context, r streams.Record, ack streams.Ack) {
		mu.Lock()
		defer mu.Unlock()
		if seen = append(seen, r); len(seen) == 1 {
			ack(fault.Errorf(fault.Invalid, "poison"))
			return
		}
		ack(nil)
	})
	f.publish(1)
	f.eventually("it is a dead letter", func() bool { return f.committed() == 1 })
	letter := f.deadLetters()[0]
	pub := f.sys.Publisher.(*kafka.Publisher)
	<-time.After(20 * time.Millisecond)
	if err := pub.Replay(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	f.eventually("it is handled again", func() bool { return f.committed() == 2 })
	mu.Lock()
	defer mu.Unlock()
	if !seen[1].AppendTime.Equal(seen[0].AppendTime) || string(seen[1].Value) != string(seen[0].Value) || seen[1].Headers[kafka.HeaderReplayed] == "" {
		t.Errorf("replayed %+v, was %+v", seen[1], seen[0])
	}
	stub := letter
	stub.Headers = map[string]string{kafka.HeaderTopic: event.TopicDanmaku, kafka.HeaderBytes: "9"}
	for _, r := range []streams.Record{stub, {Topic: "x", Key: "r"}, {Headers: map[string]string{kafka.HeaderTopic: event.TopicDanmaku}}} {
		if err := pub.Replay(t.Context(), r); fault.KindOf(err) != fault.Invalid {
			t.Errorf("replaying %+v: %v, want invalid", r, err)
		}
	}
}

func TestTopicsApplyAndCheck(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	all := topic.All(topic.DefaultPartitions)
	adm := kadm.NewClient(f.client())
	if _, err := adm.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "retention.ms", Value: kadm.StringPtr("1000")}}, event.TopicDanmaku); err != nil {
		t.Fatal(err)
	}
	if _, err := adm.DeleteTopic(t.Context(), event.TopicOrder); err != nil {
		t.Fatal(err)
	}
	found, err := kafka.Check(t.Context(), f.cfg, all)
	if err != nil || len(found.Missing) != 1 || found.Missing[0] != event.TopicOrder || len(found.Differs) != 1 || !strings.Contains(found.Differs[0], "retention.ms=1000") {
		t.Fatalf("check: %+v, %v", found, err)
	}
	done, err := kafka.Apply(t.Context(), f.cfg, all)
	if err != nil || len(done.Created) != 1 || len(done.Changed) != 1 || len(done.Differs) != 0 {
		t.Fatalf("apply: %+v, %v", done, err)
	}
	if found, err := kafka.Check(t.Context(), f.cfg, all); err != nil || len(found.Missing)+len(found.Differs) != 0 {
		t.Errorf("check after apply: %+v, %v", found, err)
	}
}

func TestLags(t *testing.T) {
	t.Parallel()
	f := newFaulty(t)
	f.publish(5)
	hung := event.RoomID("hung")
	for ; f.partition(hung) == faultPartition(); hung += "+" {
	}
	if err := f.sys.Publisher.Publish(t.Context(), event.Danmaku{Schema: 1, DanmakuID: "first", RoomID: hung, PlatformTimeMs: 1}); err != nil {
		t.Fatal(err)
	}
	f.join(func(_ context.Context, r streams.Record, ack streams.Ack) {
		if r.Key == faultRoom && r.Offset < 3 {
			ack(nil)
		}
	})
	f.eventually("three are committed", func() bool { return f.committed() == 3 })
	lags, err := f.sys.Reader.(*kafka.Reader).Lags(t.Context())
	if err != nil || len(lags) != int(f.partitions()) {
		t.Fatalf("%+v, %v; want every partition", lags, err)
	}
	want := map[int32]int64{faultPartition(): 2, f.partition(hung): 1} // never committed in: not begun
	for _, l := range lags {
		if l.Group != faultGroup || l.Lag() != want[l.Partition] || l.Lost() != 0 || (l.Lag() > 0) != (time.Since(l.Oldest) < time.Minute) {
			t.Errorf("lag %+v, want %d", l, want[l.Partition])
		}
	}
}
