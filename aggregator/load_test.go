package aggregator_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-json"
	"golang.org/x/sys/unix"

	"livehost/aggregator"
	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/source"
)

// load drives one partition of the stage with one danmaku a second in each of its
// rooms, in a room time so fast that loadRate danmaku come in a second of the wall.
// Every window is answered at once: a reply, a delivery and the outcomes of its
// members go back into the stage, as the log hands them over.
type load struct {
	b     *testing.B
	clock *clock.Clock
	agg   *aggregator.Aggregator
	pub   *encoding
	rooms []event.RoomID
	texts []string
	rng   *rand.Rand
	start time.Time // room time
	off   int64
	n     int
	fresh bool // every danmaku is of a viewer of its own

	// What the other stages say, in memory that is used again: it is garbage that is
	// not the aggregator's.
	wire     bytes.Buffer
	said     event.Danmaku
	reply    event.Reply
	delivery event.Delivery
	outcome  event.Outcome
}

// loadRate is near what the stage can take on one core: with pauses between a few
// danmaku, the cost of waking up, and of finding the caches cold then, would be most of
// what is measured besides.
const loadRate = 36_000

func newLoad(b *testing.B, rooms int, log streams.Reader) *load {
	b.Helper()
	clk, err := clock.New(time.Now(), loadRate/float64(rooms))
	if err != nil {
		b.Fatal(err)
	}
	l := &load{b: b, clock: clk, pub: &encoding{t: b}, texts: benchTexts(b), rng: rand.New(rand.NewPCG(1, 2)), start: clk.Now()}
	l.agg = stageAt(b, clk, l.pub, log)
	if err := l.agg.Assigned(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
	for i := range rooms {
		l.rooms = append(l.rooms, event.RoomID(fmt.Sprint("room", i)))
	}
	l.open()
	return l
}

// open lets the host say what fills the rooms' snapshots.
func (l *load) open() {
	for _, room := range l.rooms {
		for u := range 3 {
			l.handle(event.RoomEvent{
				Schema: 1, EventID: fmt.Sprint(u), RoomID: room, Kind: event.HostUtterance, TimeMs: l.clock.NowMs(), Text: strings.Repeat("今天这款真的很划算", 10),
			})
		}
	}
}

func stageAt(b *testing.B, clk *clock.Clock, pub streams.Publisher, log streams.Reader) *aggregator.Aggregator {
	b.Helper()
	agg, err := aggregator.New(aggregator.DefaultConfig(), aggregator.Deps{
		Clock: clk, Publisher: pub, Reader: log, Assigner: halves{}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	return agg
}

func (l *load) handle(e event.Event) {
	l.agg.Handle(l.b.Context(), l.record(e), func(error) {})
}

// record is the event as the log has it, until the next one.
func (l *load) record(e event.Event) streams.Record {
	l.wire.Reset()
	if err := json.NewEncoder(&l.wire).Encode(e); err != nil {
		l.b.Fatal(err)
	}
	l.off++
	return streams.Record{Topic: e.Topic(), Offset: l.off, Key: e.Key(), Value: l.wire.Bytes(), AppendTime: time.Now()}
}

// play hands over the danmaku of that many seconds of room time, each when it is due.
func (l *load) play(seconds int) {
	for range seconds * len(l.rooms) {
		due := l.start.Add(time.Duration(l.n) * time.Second / time.Duration(len(l.rooms)))
		if early := l.clock.Wall(due.Sub(l.clock.Now())); early > 2*time.Millisecond {
			<-time.After(early)
		}
		l.say()
	}
}

// say hands over one more danmaku and the answers to the windows that came of it.
func (l *load) say() {
	l.n++
	l.handle(l.danmaku())
	for i := 0; i < len(l.pub.opened); i++ {
		l.answer(&l.pub.opened[i], l.handle)
	}
	l.pub.opened = l.pub.opened[:0]
}

func (l *load) danmaku() *event.Danmaku {
	l.said = event.Danmaku{
		Schema: 1, DanmakuID: event.DanmakuID("d" + strconv.Itoa(l.n)), RoomID: l.rooms[l.n%len(l.rooms)], ViewerID: l.viewer(),
		ViewerName: "小雨", Text: l.texts[l.rng.IntN(len(l.texts))], PlatformTimeMs: l.clock.NowMs(),
	}
	return &l.said
}

// answer says what answeredAtOnce does.
func (l *load) answer(w *event.Window, say func(event.Event)) {
	ids := l.delivery.DanmakuIDs[:0]
	for i := range w.Members {
		ids = append(ids, w.Members[i].DanmakuID)
	}
	l.delivery, l.reply = spoken(*w, ids), reply(*w)
	l.reply.CreatedMs = w.OpenedMs
	say(&l.delivery)
	say(&l.reply)
	for _, id := range ids {
		l.outcome = outcomeOf(*w, id, event.Answered, event.Public)
		l.outcome.ReplyMs, l.outcome.TimeMs = w.OpenedMs, w.OpenedMs
		say(&l.outcome)
	}
}

// viewer is one of the room's eight regulars three times of four, so that windows
// carry dialogue, else somebody new, who is exposed.
func (l *load) viewer() event.ViewerID {
	round := l.n / len(l.rooms)
	if l.fresh || round%4 == 3 {
		return event.ViewerID("a" + strconv.Itoa(l.n))
	}
	return event.ViewerID("a" + strconv.Itoa(l.n%len(l.rooms)) + "-" + strconv.Itoa(round%8))
}

// cpu is one core's microseconds a danmaku, everything the runtime does included, once
// the rooms have run for a minute. There is one core, because the collector marks on
// others while they are idle, which a danmaku does not cost. What else the machine does
// makes it more, never less.
func (l *load) cpu(seconds int) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer l.agg.Revoked(context.Background(), 0)
	l.play(60)
	*l.pub = encoding{t: l.b}
	before := cpuTime(l.b)
	l.play(seconds)
	used := cpuTime(l.b) - before
	if late := l.clock.Since(l.start) - time.Duration(l.n)*time.Second/time.Duration(len(l.rooms)); l.clock.Wall(late) > time.Second {
		l.b.Logf("%d rooms: the load fell %v behind", len(l.rooms), l.clock.Wall(late))
	}
	danmaku := seconds * len(l.rooms)
	l.b.Logf("%d rooms: %d danmaku, %.2f windows a danmaku of %d bytes", len(l.rooms), danmaku, float64(l.pub.windows)/float64(danmaku), l.pub.bytes/max(l.pub.windows, 1))
	perDanmaku, perWindow := l.own()
	return float64(used.Nanoseconds())/1000/float64(danmaku) - perDanmaku - perWindow*float64(l.pub.windows)/float64(danmaku)
}

// own is what the benchmark itself spends on a danmaku and on answering a window,
// in microseconds.
func (l *load) own() (perDanmaku, perWindow float64) {
	const times = 40_000
	spent := func(fn func(i int)) float64 {
		before := cpuTime(l.b)
		for i := range times {
			fn(i)
		}
		return float64((cpuTime(l.b) - before).Nanoseconds()) / 1000 / times
	}
	record := func(e event.Event) { l.record(e) }
	perDanmaku = spent(func(int) { record(l.danmaku()) })
	perWindow = spent(func(i int) { l.answer(&l.pub.sample[i%len(l.pub.sample)], record) })
	return perDanmaku, perWindow
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// encoding is a publisher that only encodes, as the one of streams/kafka does, and
// keeps the windows.
type encoding struct {
	t       testing.TB
	buf     event.Buffer
	windows int
	bytes   int            // of windows
	opened  []event.Window // without an answer
	sample  []event.Window
}

func (p *encoding) Publish(_ context.Context, events ...event.Event) error {
	for _, e := range events {
		v, err := p.buf.Encode(e)
		if err != nil {
			p.t.Fatal(err)
		}
		if w, ok := e.(*event.Window); ok {
			p.windows++
			p.bytes += len(v)
			p.keep(w)
		}
	}
	return nil
}

// keep copies what is needed to answer the window, which is the stage's.
func (p *encoding) keep(w *event.Window) {
	n := len(p.opened)
	p.opened = slices.Grow(p.opened, 1)[:n+1]
	members := append(p.opened[n].Members[:0], w.Members...)
	p.opened[n] = *w
	p.opened[n].Members, p.opened[n].Context = members, event.ContextSnapshot{}
	if len(p.sample) < 1000 {
		sample := p.opened[n]
		sample.Members = slices.Clone(members)
		p.sample = append(p.sample, sample)
	}
}

// answeredAtOnce is what the other stages say when they answer a window aloud the
// moment it is there, by the room's clock.
func answeredAtOnce(w event.Window) []event.Event {
	var ids []event.DanmakuID
	for _, m := range w.Members {
		ids = append(ids, m.DanmakuID)
	}
	rep := reply(w)
	rep.CreatedMs = w.OpenedMs
	events := []event.Event{spoken(w, ids), rep}
	for _, id := range ids {
		o := outcomeOf(w, id, event.Answered, event.Public)
		o.ReplyMs, o.TimeMs = w.OpenedMs, w.OpenedMs
		events = append(events, o)
	}
	return events
}

func spoken(w event.Window, ids []event.DanmakuID) event.Delivery {
	return event.Delivery{
		Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RunID: event.NewRunID(w.WindowID, 1), RoomID: w.RoomID, Variant: w.Variant,
		Channel: event.Public, State: event.DeliveryEnded, Text: spokenText, DanmakuIDs: ids, TimeMs: w.OpenedMs,
	}
}

var spokenText = strings.Repeat("这款今天八十九元", 8)

type emptyLog struct{}

func (emptyLog) Partitions(context.Context) (int32, error) { return 1, nil }
func (emptyLog) Read(context.Context, string, int32, int64, func(streams.Record) error) (int64, error) {
	return 0, nil
}
func (emptyLog) Follow(context.Context, []string, bool, func(streams.Record)) error { return nil }

// benchTexts is every fifth text of the recordings when they are there, else ours.
func benchTexts(b *testing.B) []string {
	b.Helper()
	files, _ := filepath.Glob("../../shared/data/rooms/*/*.jsonl")
	if len(files) == 0 {
		return []string{"这个面膜敏感肌能用吗", "多少钱[玫瑰]", "洗面奶洗面奶洗面奶", "What size would you recommend", "太好看了👍👍", "加微信", "23号链接还有货吗", "哈哈哈哈", "@<USER>没了", "晚上好"}
	}
	var all strings.Builder // one text to the garbage collector
	var ends []int
	for _, name := range files {
		rec, _, err := source.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		for i, l := range rec.Lines {
			if i%5 == 0 {
				all.WriteString(l.Text)
				ends = append(ends, all.Len())
			}
		}
	}
	texts, from := make([]string, len(ends)), 0
	for i, to := range ends {
		texts[i], from = all.String()[from:to], to
	}
	return texts
}
