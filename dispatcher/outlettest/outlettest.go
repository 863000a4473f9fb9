package outlettest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"livehost/dispatcher"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// Run tests the outlet that open makes. Outlets may be real: the suite speaks a few
// short sentences at the clock's speed.
func Run(t *testing.T, open func(t *testing.T, c *clock.Clock) dispatcher.Outlet) {
	c, err := clock.New(time.UnixMilli(1_700_000_000_000), 20)
	if err != nil {
		t.Fatal(err)
	}
	utterance := func(room string, text string, length time.Duration) dispatcher.Utterance {
		return dispatcher.Utterance{
			DeliveryID: event.DeliveryID("w/" + room), RoomID: event.RoomID(room), Text: text, Spoken: text, Language: "zh",
			Length: length, SpeakByMs: c.NowMs() + 3_600_000,
		}
	}
	t.Run("name", func(t *testing.T) {
		if a, b := open(t, c).Name(), open(t, c).Name(); a == "" || a != b {
			t.Errorf("names %q and %q, want one stable name", a, b)
		}
	})
	t.Run("speaks", func(t *testing.T) {
		before := c.NowMs()
		got, err := open(t, c).Speak(t.Context(), utterance("r", "今天八十九元", 1333*time.Millisecond))
		if err != nil || got.FirstAudioMs < before || got.EndMs <= got.FirstAudioMs || got.EndMs > c.NowMs() {
			t.Errorf("Speak = %+v, %v; spoken between %d and %d", got, err, before, c.NowMs())
		}
	})
	t.Run("late is never spoken", func(t *testing.T) {
		u := utterance("r", "晚了", time.Second)
		u.SpeakByMs = c.NowMs() - 1
		if got, err := open(t, c).Speak(t.Context(), u); !errors.Is(err, dispatcher.ErrLate) || got.FirstAudioMs != 0 {
			t.Errorf("Speak = %+v, %v, want ErrLate and nothing heard", got, err)
		}
	})
	t.Run("stops when told", func(t *testing.T) { stops(t, open(t, c), utterance("r", long, 30*time.Second)) })
	t.Run("cancelled before it begins", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := open(t, c).Speak(ctx, utterance("r", "不说", time.Second)); err == nil || got.FirstAudioMs != 0 {
			t.Errorf("Speak = %+v, %v, want an error and nothing heard", got, err)
		}
	})
	t.Run("rooms do not wait for each other", func(t *testing.T) {
		o := open(t, c)
		var all sync.WaitGroup
		heard := make([]dispatcher.Spoken, 4)
		for i := range heard {
			all.Go(func() {
				heard[i], _ = o.Speak(t.Context(), utterance(string(rune('a'+i)), strings.Repeat("同时说话的四个房间互不等待，", 10), 30*time.Second))
			})
		}
		all.Wait()
		for i := range heard {
			if heard[i].FirstAudioMs >= heard[(i+1)%4].EndMs {
				t.Errorf("room %d began at %d, after another ended: %+v", i, heard[i].FirstAudioMs, heard)
			}
		}
	})
}

const long = "今天的直播间里所有的商品都可以看一看，喜欢的朋友们可以慢慢挑选，不着急"

func stops(t *testing.T, o dispatcher.Outlet, u dispatcher.Utterance) {
	ctx, cancel := context.WithCancel(t.Context())
	stop := time.AfterFunc(100*time.Millisecond, cancel)
	defer stop.Stop()
	begun := time.Now()
	got, err := o.Speak(ctx, u)
	if err == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Speak = %+v, %v, want the context's error", got, err)
	}
	if took := time.Since(begun); took > 10*time.Second { // of 30 s; how soon is BenchmarkDispatch's
		t.Errorf("fell silent %v after the start, told after 100ms", took)
	}
	if got.FirstAudioMs != 0 && got.EndMs < got.FirstAudioMs {
		t.Errorf("Spoken = %+v", got)
	}
}
