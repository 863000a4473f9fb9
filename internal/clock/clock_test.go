package clock_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"livehost/internal/clock"
)

func TestSpeedAndTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		epoch := time.UnixMilli(1_700_000_000_000)
		c, err := clock.New(epoch, 20)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Sleep(t.Context(), 10*time.Second); err != nil {
			t.Fatal(err)
		}
		if got := c.Now().Sub(epoch); got != 10*time.Second {
			t.Errorf("after 10 s of room time the clock moved %v", got)
		}
		ctx, cancel := c.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		<-ctx.Done()
		if got := time.Since(start); got != 100*time.Millisecond {
			t.Errorf("a 2 s room timeout took %v of wall time at speed 20, want 100ms", got)
		}
		done, cancel2 := context.WithCancel(t.Context())
		cancel2()
		if err := c.Sleep(done, time.Hour); err == nil {
			t.Error("Sleep ignored a cancelled context")
		}
	})
}

func TestOutlasting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		ctx, end := context.WithCancel(context.WithValue(t.Context(), key{}, "kept"))
		later, cancel := clock.Outlasting(ctx, 5*time.Second)
		defer cancel()
		stopped, stop := clock.Outlasting(ctx, 5*time.Second)
		time.Sleep(time.Hour)
		if later.Err() != nil || later.Value(key{}) != "kept" {
			t.Errorf("before its context ends: %v, value %v", later.Err(), later.Value(key{}))
		}
		if stop(); stopped.Err() == nil {
			t.Error("cancelled, and goes on")
		}
		ended := time.Now()
		end()
		<-later.Done()
		if took := time.Since(ended); took != 5*time.Second {
			t.Errorf("ended %v after its context, want 5s", took)
		}
	})
}

func TestRoomMapsThePast(t *testing.T) {
	t.Parallel()
	c, err := clock.FromSegments([]clock.Segment{
		{WallMs: 1_000, RoomMs: 100_000, Speed: 20},
		{WallMs: 2_000, RoomMs: 120_000, Speed: 1},  // killed here: downtime at speed 1
		{WallMs: 5_000, RoomMs: 123_000, Speed: 20}, // restarted
	})
	if err != nil {
		t.Fatal(err)
	}
	for wall, want := range map[int64]int64{500: 90_000, 1_500: 110_000, 2_000: 120_000, 3_000: 121_000, 5_500: 133_000} {
		if got := c.Room(time.UnixMilli(wall)).UnixMilli(); got != want {
			t.Errorf("Room(%d) = %d, want %d", wall, got, want)
		}
	}
}

func TestBadSegments(t *testing.T) {
	t.Parallel()
	for name, s := range map[string][]clock.Segment{
		"none":      nil,
		"stopped":   {{Speed: 0}},
		"backwards": {{WallMs: 5, Speed: 1}, {WallMs: 4, Speed: 1}},
	} {
		if _, err := clock.FromSegments(s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
