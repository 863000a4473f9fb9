package dispatcher_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strconv"
	"testing"
	"time"

	"livehost/dispatcher"
	"livehost/dispatcher/ledgertest"
	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/event"
)

// instant is an outlet that says so on a channel and is done.
type instant struct {
	clock *clock.Clock
	told  chan struct{}
}

func (instant) Name() string { return "instant" }
func (o instant) Speak(context.Context, dispatcher.Utterance) (dispatcher.Spoken, error) {
	o.told <- struct{}{}
	nowMs := o.clock.NowMs()
	return dispatcher.Spoken{FirstAudioMs: nowMs, EndMs: nowMs}, nil
}
func (o instant) Send(context.Context, dispatcher.PrivateText) error {
	o.told <- struct{}{}
	return nil
}

// sink is a log that takes everything and keeps nothing.
type sink struct{ *logbook }

func (sink) Publish(_ context.Context, events ...event.Event) error {
	for _, e := range events {
		if _, err := event.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

func benchRig(b testing.TB) (*dispatcher.Dispatcher, instant) {
	c := clock.Real()
	out := instant{clock: c, told: make(chan struct{}, 1)}
	log := sink{newLogbook(b)}
	d, err := dispatcher.New(dispatcher.DefaultConfig(), dispatcher.Deps{
		Clock: c, Publisher: log, Reader: log, Ledger: ledgertest.NewMemory(),
		Outlets: dispatcher.Outlets{Voice: out, Private: out}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Assigned(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { d.Revoked(context.WithoutCancel(b.Context()), 0) })
	return d, out
}

func handOver(b testing.TB, d *dispatcher.Dispatcher, e event.Event) {
	value, err := event.Encode(e)
	if err != nil {
		b.Fatal(err)
	}
	d.Handle(b.Context(), streams.Record{Topic: e.Topic(), Key: e.Key(), Value: value, Offset: 1}, func(err error) {
		if err != nil {
			b.Error(err)
		}
	})
}

// BenchmarkReplyToOutlet is the dispatcher's own time from a reply's record to the
// outlet: no broker, no Redis.
func BenchmarkReplyToOutlet(b *testing.B) {
	for _, private := range []bool{false, true} {
		b.Run(map[bool]string{false: "speech", true: "private"}[private], func(b *testing.B) {
			d, out := benchRig(b)
			r := &rig{clock: out.clock}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				// A room each: in one room the next sentence waits for its gap.
				id := strconv.Itoa(i)
				room := event.RoomID("r" + id)
				handOver(b, d, event.RoomEvent{Schema: 1, EventID: "o", RoomID: room, Kind: event.RoomOpened, TimeMs: 1, Settings: &event.RoomSettings{PrivateText: true}})
				e := r.reply("w"+id, "三号链接今天89元，满300减50", []string{"d" + id}, func(e *event.Reply) { e.RoomID = room })
				if private {
					e.Public, e.Private = nil, []event.PrivateReply{{DanmakuID: e.Members[0].DanmakuID, ViewerID: "u", Text: "您的订单已发货"}}
				}
				handOver(b, d, e)
				<-out.told
			}
		})
	}
}

// TestIdleRoomsAreCheap: at most 20 kB for a room that has spoken and is idle.
func TestIdleRoomsAreCheap(t *testing.T) {
	perRoom := bytesPerIdleRoom(t)
	if perRoom > 20_000 {
		t.Errorf("%d bytes an idle room, want at most 20 kB", perRoom)
	}
	t.Logf("%d bytes an idle room", perRoom)
}

func bytesPerIdleRoom(t testing.TB) int64 {
	d, out := benchRig(t)
	const rooms = 2000
	r := &rig{clock: out.clock}
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := heap()
	for i := range rooms {
		room := event.RoomID(fmt.Sprint("room", i))
		handOver(t, d, r.reply(fmt.Sprint("w", i), "你好", []string{fmt.Sprint("d", i)}, func(e *event.Reply) { e.RoomID = room }))
		<-out.told
	}
	<-time.After(500 * time.Millisecond) // the gap after the last sentence
	perRoom := (int64(heap()) - int64(before)) / rooms
	runtime.KeepAlive(d)
	return perRoom
}
