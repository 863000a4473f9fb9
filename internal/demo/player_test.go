package demo_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"livehost/internal/clock"
	"livehost/internal/demo"
	"livehost/internal/fault"
	"livehost/streams/event"
	"livehost/streams/source"
	"livehost/streams/streamstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var epoch = time.UnixMilli(1_700_000_000_000)

func danmaku(at time.Duration, id string) source.Item {
	return source.Item{At: at, Event: event.Danmaku{
		Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: "r-1", Text: "x", PlatformTimeMs: epoch.Add(at).UnixMilli(),
	}}
}

func outage(at, long time.Duration) source.Item {
	return source.Item{At: at, Control: &source.Control{Kind: source.Outage, Target: "commerce", For: long}}
}

// room is a player over a log in memory, in room time.
type room struct {
	log      *streamstest.Log
	clock    *clock.Clock
	controls []string
}

func newRoom(t *testing.T, start time.Duration, speed float64) *room {
	t.Helper()
	c, err := clock.New(epoch.Add(start), speed)
	if err != nil {
		t.Fatal(err)
	}
	return &room{log: &streamstest.Log{}, clock: c}
}

func (r *room) player(items []source.Item) *demo.Player {
	return demo.NewPlayer(epoch, items, demo.PlayerDeps{
		Publisher: r.log, Reader: r.log, Clock: r.clock, Log: slog.New(slog.DiscardHandler),
		Control: func(c source.Control) {
			r.controls = append(r.controls, fmt.Sprintf("%v %s %s %v", r.clock.Now().Sub(epoch), c.Kind, c.Target, c.For))
		},
	})
}

// published renders what is in the log: when it came, in room time, and what it is.
func (r *room) published() []string {
	var out []string
	for _, rec := range r.log.Records() {
		d, err := event.Decode[event.Danmaku](rec.Value)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		out = append(out, fmt.Sprintf("%v %s", r.clock.Room(rec.AppendTime).Sub(epoch), d.DanmakuID))
	}
	return out
}

func TestPlayerKeepsRoomTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 0, 20)
		p := r.player([]source.Item{danmaku(0, "a"), danmaku(2*time.Second, "b"), danmaku(2*time.Second, "c"), outage(3*time.Second, 10*time.Second), danmaku(20*time.Second, "d")})
		wall := time.Now()
		if err := p.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(wall); got != time.Second {
			t.Errorf("20 s at speed 20 took %v", got)
		}
		if d := cmp.Diff([]string{"0s a", "2s b", "2s c", "20s d"}, r.published()); d != "" {
			t.Errorf("published (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"3s outage commerce 10s"}, r.controls); d != "" {
			t.Errorf("controls (-want +got):\n%s", d)
		}
	})
}

func TestPlayerAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 0, 1)
		items := []source.Item{
			danmaku(0, "a"), danmaku(time.Second, "twice"), outage(time.Second, 2*time.Second), danmaku(2*time.Second, "b"), danmaku(3*time.Second, "twice"),
			outage(4*time.Second, 20*time.Second), danmaku(5*time.Second, "c"), danmaku(12*time.Second, "d"),
		}
		ctx, kill := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer kill()
		if err := r.player(items).Run(ctx); err != nil {
			t.Fatalf("a killed run: %v", err)
		}
		r.controls = nil
		if err := r.clock.Sleep(t.Context(), 8500*time.Millisecond); err != nil { // down until 10 s
			t.Fatal(err)
		}
		p := r.player(items)
		if err := p.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"0s a", "1s twice", "10s b", "10s twice", "10s c", "12s d"}, r.published()); d != "" {
			t.Errorf("published (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"10s outage commerce 14s"}, r.controls); d != "" {
			t.Errorf("controls: the one that is over is gone, the other one is shortened (-want +got):\n%s", d)
		}
	})
}

func TestPlayerAndABadLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 0, 1)
		calls := 0
		r.log.Fail = func([]event.Event) error {
			if calls++; calls <= 3 {
				return fault.Wrap(fault.Unavailable, errors.New("away"))
			}
			return nil
		}
		p := r.player([]source.Item{danmaku(0, "a"), danmaku(10*time.Millisecond, "b")})
		if err := p.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"350ms a", "350ms b"}, r.published()); d != "" {
			t.Errorf("published (-want +got):\n%s", d)
		}
		r.log.Fail = func([]event.Event) error { return fault.Wrap(fault.Invalid, errors.New("too large")) }
		p = r.player([]source.Item{danmaku(0, "z")})
		if err := p.Run(t.Context()); err == nil {
			t.Error("a refused event is no error")
		}
	})
}

func TestPlayerBatchesABurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 0, 1)
		var items []source.Item
		for i := range 1000 {
			items = append(items, danmaku(0, fmt.Sprint(i)))
		}
		most, calls := 0, 0
		r.log.Fail = func(events []event.Event) error {
			most, calls = max(most, len(events)), calls+1
			return nil
		}
		if err := r.player(items).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if most > 256 || calls > 5 || len(r.log.Records()) != 1000 {
			t.Errorf("%d calls, the largest of %d events, %d records", calls, most, len(r.log.Records()))
		}
	})
}
