package aggregator_test

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"livehost/aggregator"
	"livehost/internal/benchfile"
	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/streamstest"
	"livehost/streams/topic"
)

// figures is the aggregator key of bench.json.
type figures struct {
	CPUMicros    float64 `json:"cpu_us_per_danmaku"`       // of the process: decoding, filters, windows with full snapshots, what comes back, encoding, garbage; the least of five runs, see cpu
	WindowP99Ms  float64 `json:"window_p99_ms"`            // consumed to window.v1 in the broker and read, 2,000 rooms at 1/s
	KBPerRoom    float64 `json:"kb_per_room"`              // with the ids of 900 danmaku
	ManyRooms    float64 `json:"cost_10k_vs_10_rooms"`     // CPU per danmaku, the least of three runs each
	RestoreS1000 float64 `json:"restore_s_per_1000_rooms"` // after 15 minutes at 1/s
	DayPeakMB    float64 `json:"streamed_day_peak_mb"`     // resident, the largest of the recorded days; 0 without them
	DayReached   float64 `json:"streamed_day_reached"`     // of the questions put in at their peaks, in a window in time
}

// BenchmarkAggregator measures everything once and writes bench.json; its own ns/op
// means nothing. It counts time, so it is for a machine that does little else.
func BenchmarkAggregator(b *testing.B) {
	var f figures
	for b.Loop() {
		f.KBPerRoom = kbPerRoom(b) // first: nothing else is on the heap yet
		f.CPUMicros = leastCPU(b, 5, 200, 500)
		f.ManyRooms = leastCPU(b, 3, 10_000, 10) / leastCPU(b, 3, 10, 10_000)
		f.WindowP99Ms = windowLatency(b)
		f.RestoreS1000 = restoreSeconds(b)
		asked, reached := 0, 0
		for _, files := range streamedDays() {
			d := playInChild(b, files)
			asked, reached, f.DayPeakMB = asked+d.Asked, reached+d.Reached, max(f.DayPeakMB, d.PeakMB)
		}
		f.DayReached = float64(reached) / float64(max(asked, 1))
	}
	b.ReportMetric(f.CPUMicros, "cpu_us/danmaku")
	b.ReportMetric(f.WindowP99Ms, "window_p99_ms")
	b.ReportMetric(f.KBPerRoom, "kB/room")
	b.ReportMetric(f.ManyRooms, "10k/10_rooms")
	b.ReportMetric(f.RestoreS1000, "restore_s/1000_rooms")
	path, err := benchfile.Path()
	if err != nil {
		b.Fatal(err)
	}
	if err := benchfile.Merge(path, "aggregator", f); err != nil {
		b.Fatal(err)
	}
}

// leastCPU is the least of several runs, in µs a danmaku, of so many seconds in each of the rooms.
func leastCPU(b *testing.B, runs, rooms, seconds int) (micros float64) {
	micros = newLoad(b, rooms, emptyLog{}).cpu(seconds)
	for range runs - 1 {
		micros = min(micros, newLoad(b, rooms, emptyLog{}).cpu(seconds))
	}
	return micros
}

// noting is the stage, with the time at which each danmaku came to it.
type noting struct {
	streams.Handler
	streams.Assignee
	consumed sync.Map // event.DanmakuID -> time.Time
}

func (n *noting) Handle(ctx context.Context, rec streams.Record, ack streams.Ack) {
	if rec.Topic == event.TopicDanmaku {
		at := time.Now()
		if d, err := event.Decode[event.Danmaku](rec.Value); err == nil {
			n.consumed.Store(d.DanmakuID, at)
		}
	}
	n.Handler.Handle(ctx, rec, ack)
}

// windowLatency plays 2,000 rooms at one danmaku a second through the embedded
// broker: from the moment the stage is handed a danmaku until somebody else has
// read its window.v1, who answers it at once.
func windowLatency(b *testing.B) float64 {
	const rooms, seconds, warmUp = 2000, 10, 2
	k := newBroker(b)
	var n noting
	stop := k.runAs(func(h streams.Handler) streams.Handler {
		n.Handler, n.Assignee = h, h.(streams.Assignee)
		return &n
	})
	answers, err := kafka.NewPublisher(k.Config, k.Quiet)
	if err != nil {
		b.Fatal(err)
	}
	defer answers.Close()
	ctx, cancel := context.WithCancel(b.Context())
	var waits []float64
	var answering, following sync.WaitGroup
	following.Go(func() {
		err := k.Reader.Follow(ctx, []string{event.TopicWindow}, false, func(rec streams.Record) {
			now := time.Now()
			w, err := event.Decode[event.Window](rec.Value)
			if err != nil {
				b.Error(err)
				return
			}
			for _, m := range w.Members {
				if at, ok := n.consumed.Load(m.DanmakuID); ok && m.DanmakuID > "x" {
					waits = append(waits, float64(now.Sub(at.(time.Time)).Microseconds())/1000)
				}
			}
			answering.Go(func() {
				if err := answers.Publish(context.Background(), answeredAtOnce(w)...); err != nil {
					b.Error(err)
				}
			})
		})
		if err != nil {
			b.Error(err)
		}
	})
	texts, start := benchTexts(b), time.Now()
	for i := 0; i < rooms*(warmUp+seconds); {
		due := int(time.Since(start) * rooms / time.Second)
		var batch []event.Event
		for ; i < due; i++ {
			id := fmt.Sprint("warm", i)
			if i >= rooms*warmUp {
				id = fmt.Sprint("x", i)
			}
			batch = append(batch, event.Danmaku{
				Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: event.RoomID(fmt.Sprint("room", i%rooms)), ViewerID: event.ViewerID(fmt.Sprint("a", i)),
				Text: texts[i*7%len(texts)], PlatformTimeMs: time.Now().UnixMilli(),
			})
		}
		answering.Go(func() { k.put(batch...) })
		<-time.After(time.Millisecond)
	}
	<-time.After(time.Second)
	cancel()
	following.Wait()
	answering.Wait()
	stop()
	slices.Sort(waits)
	b.Logf("%d danmaku, %d in windows, p50 %.2f ms, p99.9 %.2f ms", rooms*seconds, len(waits), waits[len(waits)/2], waits[len(waits)*999/1000])
	return waits[len(waits)*99/100]
}

// kbPerRoom is what rooms hold that had a danmaku a second, each of another viewer,
// for 15 minutes.
func kbPerRoom(b *testing.B) float64 {
	const rooms = 200
	texts := benchTexts(b)
	warm := newLoad(b, 1, emptyLog{}) // what codecs keep is no room's
	warm.texts = texts
	warm.play(60)
	warm.agg.Revoked(context.Background(), 0)
	warm = nil
	before := heap()
	l := newLoad(b, rooms, emptyLog{})
	l.texts, l.fresh = texts, true
	l.play(900)
	*l.pub = encoding{t: b}
	kb := float64(heap()-before) / 1000 / rooms
	runtime.KeepAlive(texts)
	l.agg.Revoked(context.Background(), 0)
	return kb
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// history is a log that was written, and can be read fast.
type history struct {
	emptyLog
	topics map[string][]streams.Record
}

func (h history) Read(_ context.Context, name string, _ int32, from int64, fn func(streams.Record) error) (int64, error) {
	records := h.topics[name]
	for _, rec := range records[min(from, int64(len(records))):] {
		if err := fn(rec); err != nil {
			return rec.Offset, err
		}
	}
	return int64(len(records)), nil
}

// restoreSeconds is how long the restore of a partition takes, for 1,000 rooms, that
// had a danmaku a second for 15 minutes; the stage itself has written what it reads.
func restoreSeconds(b *testing.B) float64 {
	const rooms, seconds = 20, 920
	clk, err := clock.New(time.Now(), loadRate/rooms/4)
	if err != nil {
		b.Fatal(err)
	}
	log := &streamstest.Log{}
	number, ids := roomsOfOnePartition(rooms)
	agg := stageAt(b, clk, log, log)
	if err := agg.Assigned(b.Context(), number); err != nil {
		b.Fatal(err)
	}
	texts, start, next := benchTexts(b), clk.Now(), 0
	for n := range rooms * seconds {
		if early := clk.Wall(start.Add(time.Duration(n) * time.Second / rooms).Sub(clk.Now())); early > 2*time.Millisecond {
			<-time.After(early)
		}
		say := event.Event(event.Danmaku{
			Schema: 1, DanmakuID: event.DanmakuID(fmt.Sprint("d", n)), RoomID: ids[n%rooms], ViewerID: event.ViewerID(fmt.Sprint("a", n%rooms, "-", n/rooms%8)),
			Text: texts[n*7%len(texts)], PlatformTimeMs: clk.NowMs(),
		})
		if n/rooms%10 == 9 && n%2 == 0 {
			say = event.RoomEvent{Schema: 1, EventID: fmt.Sprint(n), RoomID: ids[n%rooms], Kind: event.HostUtterance, TimeMs: clk.NowMs(), Text: texts[n%len(texts)]}
		}
		next = carry(b, agg, log, say, next)
	}
	agg.Revoked(b.Context(), number)
	h := history{topics: map[string][]streams.Record{}}
	for _, rec := range log.Records() {
		h.topics[rec.Topic] = append(h.topics[rec.Topic], rec)
	}
	slow, err := clock.FromSegments(append(clk.Segments(), clock.Segment{WallMs: time.Now().UnixMilli(), RoomMs: clk.NowMs(), Speed: 1}))
	if err != nil {
		b.Fatal(err)
	}
	var took []float64
	for range 5 {
		again := stageAt(b, slow, log, h)
		begin := time.Now()
		if err := again.Assigned(b.Context(), number); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin).Seconds()*1000/rooms)
		again.Revoked(context.Background(), number)
	}
	slices.SortFunc(took, cmp.Compare[float64])
	return took[len(took)/2]
}

// carry publishes say and hands over what is new in the log, with answers to the
// windows; it returns how much of the log was handed over.
func carry(b *testing.B, agg *aggregator.Aggregator, log *streamstest.Log, say event.Event, next int) int {
	b.Helper()
	if err := log.Publish(b.Context(), say); err != nil {
		b.Fatal(err)
	}
	for {
		records := log.RecordsFrom(next)
		if len(records) == 0 {
			return next
		}
		next += len(records)
		for _, rec := range records {
			switch rec.Topic {
			case event.TopicRoomState, event.TopicExposure, event.TopicGuardrailHit:
				continue
			case event.TopicWindow:
				w, err := event.Decode[event.Window](rec.Value)
				if err != nil {
					b.Fatal(err)
				}
				if err := log.Publish(b.Context(), answeredAtOnce(w)...); err != nil {
					b.Fatal(err)
				}
			}
			agg.Handle(b.Context(), rec, func(error) {})
		}
	}
}

func roomsOfOnePartition(n int) (number int32, rooms []event.RoomID) {
	number = -1
	for i := 0; len(rooms) < n; i++ {
		room := event.RoomID(fmt.Sprint("room", i))
		if p := topic.PartitionOf(room, streamstest.Partitions); number < 0 || p == number {
			number, rooms = p, append(rooms, room)
		}
	}
	return number, rooms
}
