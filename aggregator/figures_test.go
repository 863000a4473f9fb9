package aggregator_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"livehost/aggregator"
	"livehost/internal/benchfile"
	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/source"
	"livehost/streams/streamstest"
	"livehost/streams/topic"
)

// figures is the aggregator key of bench.json.
type figures struct {
	CPUMicros    float64 `json:"cpu_us_per_danmaku"`       // its whole work: decoding, filters, windows with large snapshots, encoding
	WindowP99Ms  float64 `json:"window_p99_ms"`            // consumed to window.v1, 2,000 rooms at 1/s
	KBPerRoom    float64 `json:"kb_per_room"`              // with the ids of 900 danmaku
	ManyRooms    float64 `json:"cost_10k_vs_10_rooms"`     // CPU per danmaku
	RestoreS1000 float64 `json:"restore_s_per_1000_rooms"` // with 15 minutes at 1/s to read back
}

// BenchmarkAggregator measures everything once and writes bench.json; its own ns/op
// means nothing. It counts time, so it is for a machine that does little else.
func BenchmarkAggregator(b *testing.B) {
	var f figures
	for b.Loop() {
		f.CPUMicros = newLoad(b, 200).cpu(40_000)
		few := newLoad(b, 10).cpu(40_000)
		f.ManyRooms = newLoad(b, 10_000).cpu(40_000) / few
		f.WindowP99Ms = windowLatency(b)
		f.KBPerRoom = kbPerRoom(b)
		f.RestoreS1000 = restoreSeconds(b)
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

// benchTexts are the recordings' when they are there, else ours.
func benchTexts(b *testing.B) []string {
	b.Helper()
	texts := []string{"这个面膜敏感肌能用吗", "多少钱[玫瑰]", "洗面奶洗面奶洗面奶", "What size would you recommend", "太好看了👍👍", "加微信", "23号链接还有货吗", "哈哈哈哈", "@<USER>没了", "晚上好"}
	files, _ := filepath.Glob("../../shared/data/rooms/*/*.jsonl")
	for _, name := range files[:min(len(files), 8)] {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		rec, _, err := source.ReadRecording(name, f)
		f.Close()
		if err != nil {
			b.Fatal(err)
		}
		for _, l := range rec.Lines {
			texts = append(texts, l.Text)
		}
	}
	return texts
}

// load drives one partition of the stage. Windows are answered at
// once; what that costs the benchmark itself is not counted.
type load struct {
	b     *testing.B
	clock *clock.Clock
	agg   *aggregator.Aggregator
	pub   *encoding
	rooms []event.RoomID
	texts []string
	off   int64
	n     int
	own   time.Duration // of the benchmark's own encoding
}

func newLoad(b *testing.B, rooms int) *load { return newLoadAt(b, clock.Real(), rooms) }

func newLoadAt(b *testing.B, clk *clock.Clock, rooms int) *load {
	b.Helper()
	l := &load{b: b, clock: clk, pub: &encoding{t: b}, texts: benchTexts(b)}
	l.agg = stageAt(b, clk, l.pub, emptyLog{})
	if err := l.agg.Assigned(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
	for i := range rooms {
		l.rooms = append(l.rooms, event.RoomID(fmt.Sprint("room", i)))
	}
	for _, room := range l.rooms {
		for u := range 3 {
			l.handle(event.RoomEvent{
				Schema: 1, EventID: fmt.Sprint(u), RoomID: room, Kind: event.HostUtterance, TimeMs: time.Now().UnixMilli(), Text: strings.Repeat("今天这款真的很划算", 10),
			})
		}
	}
	return l
}

func stageFor(b *testing.B, pub streams.Publisher, log streams.Reader) *aggregator.Aggregator {
	b.Helper()
	return stageAt(b, clock.Real(), pub, log)
}

func stageAt(b *testing.B, clk *clock.Clock, pub streams.Publisher, log streams.Reader) *aggregator.Aggregator {
	b.Helper()
	agg, err := aggregator.New(aggregator.DefaultConfig(), aggregator.Deps{
		Clock: clk, Publisher: pub, Reader: log, Assigner: halves{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		b.Fatal(err)
	}
	return agg
}

func (l *load) handle(e event.Event) {
	start := time.Now()
	v, err := event.Encode(e)
	if err != nil {
		l.b.Fatal(err)
	}
	l.own += time.Since(start)
	l.off++
	l.agg.Handle(l.b.Context(), streams.Record{Topic: e.Topic(), Offset: l.off, Key: e.Key(), Value: v, AppendTime: time.Now()}, func(error) {})
}

// say hands over one more danmaku and answers the windows that came of it.
func (l *load) say() {
	l.n++
	l.handle(event.Danmaku{
		Schema: 1, DanmakuID: event.DanmakuID(fmt.Sprint("d", l.n)), RoomID: l.rooms[l.n%len(l.rooms)], ViewerID: event.ViewerID(fmt.Sprint("a", l.n)),
		Text: l.texts[l.n*7%len(l.texts)], PlatformTimeMs: l.clock.NowMs(),
	})
	for len(l.pub.closed) > 0 {
		e := l.pub.closed[0]
		l.pub.closed = l.pub.closed[1:]
		l.handle(e)
	}
}

// cpu is the processor's microseconds a danmaku.
func (l *load) cpu(danmaku int) float64 {
	defer l.agg.Revoked(context.Background(), 0)
	for range 2000 {
		l.say()
	}
	l.own = 0
	before := cpuTime(l.b)
	for range danmaku {
		l.say()
	}
	return float64((cpuTime(l.b) - before - l.own).Nanoseconds()) / 1000 / float64(danmaku)
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// answering is a publisher that answers each window from another goroutine.
type answering struct {
	agg     *aggregator.Aggregator
	mu      sync.Mutex
	waits   []float64
	answers chan event.Window
}

func (p *answering) Publish(_ context.Context, events ...event.Event) error {
	for _, e := range events {
		if _, err := event.Encode(e); err != nil {
			return err
		}
		if w, ok := e.(event.Window); ok {
			p.mu.Lock()
			p.waits = append(p.waits, float64(w.Members[0].WaitWallUs)/1000)
			p.mu.Unlock()
			p.answers <- w
		}
	}
	return nil
}

// windowLatency plays 2,000 rooms at one danmaku a second for five seconds.
func windowLatency(b *testing.B) float64 {
	const rooms, seconds = 2000, 5
	p := &answering{answers: make(chan event.Window, 64*rooms)}
	p.agg = stageFor(b, p, emptyLog{})
	if err := p.agg.Assigned(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
	defer p.agg.Revoked(context.Background(), 0)
	var offset int64
	handle := func(e event.Event) {
		v, err := event.Encode(e)
		if err != nil {
			b.Error(err)
			return
		}
		p.agg.Handle(context.Background(), streams.Record{Topic: e.Topic(), Key: e.Key(), Value: v, AppendTime: time.Now()}, func(error) {})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for w := range p.answers {
			for _, e := range answered(w) {
				handle(e)
			}
		}
	}()
	texts, start := benchTexts(b), time.Now()
	for n := range rooms * seconds {
		if ahead := time.Duration(n)*time.Second/rooms - time.Since(start); ahead > time.Millisecond {
			<-time.After(ahead)
		}
		offset++
		handle(event.Danmaku{
			Schema: 1, DanmakuID: event.DanmakuID(fmt.Sprint("d", n)), RoomID: event.RoomID(fmt.Sprint("room", n%rooms)), ViewerID: event.ViewerID(fmt.Sprint("a", n)),
			Text: texts[n*7%len(texts)], PlatformTimeMs: time.Now().UnixMilli(),
		})
	}
	close(p.answers)
	<-done
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.Sort(p.waits)
	return p.waits[len(p.waits)*99/100]
}

// kbPerRoom is what rooms hold that had a danmaku a second, each of another viewer,
// for 15 minutes.
func kbPerRoom(b *testing.B) float64 {
	const rooms, danmaku, speed = 100, 900, 100
	clk, err := clock.New(time.Now(), speed)
	if err != nil {
		b.Fatal(err)
	}
	texts := benchTexts(b)
	before := heap()
	l := newLoadAt(b, clk, rooms)
	l.texts = texts
	start := clk.Now()
	for n := range rooms * danmaku {
		if ahead := time.Duration(n/rooms)*time.Second - clk.Since(start); ahead > 100*time.Millisecond {
			<-time.After(clk.Wall(ahead))
		}
		l.say()
	}
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

// restoreSeconds is how long the restore of a partition takes, for 1,000 rooms.
func restoreSeconds(b *testing.B) float64 {
	const rooms, danmaku = 20, 900
	log := &streamstest.Log{}
	l := &load{b: b, clock: clock.Real(), pub: &encoding{t: b}, texts: benchTexts(b)}
	number := int32(-1)
	for i := 0; len(l.rooms) < rooms; i++ {
		room := event.RoomID(fmt.Sprint("room", i))
		if n := topic.PartitionOf(room, streamstest.Partitions); number < 0 || n == number {
			number, l.rooms = n, append(l.rooms, room)
		}
	}
	for n := range rooms * danmaku {
		room := l.rooms[n%rooms]
		w := event.Window{
			Schema: 1, WindowID: event.WindowID(fmt.Sprint("w", n)), RoomID: room, Kind: event.DanmakuWindow, Mode: event.Single, Variant: "control", Class: 1,
			AnswerByMs: 1, SpeakByMs: 1, EarliestMs: 1, OpenedMs: 1, Context: event.ContextSnapshot{HostUtterances: []string{strings.Repeat("今天这款真的很划算", 60)}},
			Members: []event.Member{{DanmakuID: event.DanmakuID(fmt.Sprint("d", n)), ViewerID: "a1", Text: l.texts[n%len(l.texts)], Question: l.texts[n%len(l.texts)], Language: "zh", PlatformMs: 1}},
		}
		if err := log.Publish(b.Context(), append([]event.Event{w}, answered(w)...)...); err != nil {
			b.Fatal(err)
		}
	}
	agg := stageFor(b, l.pub, log)
	start := time.Now()
	if err := agg.Assigned(b.Context(), number); err != nil {
		b.Fatal(err)
	}
	took := time.Since(start)
	agg.Revoked(context.Background(), number)
	return took.Seconds() * 1000 / rooms
}
