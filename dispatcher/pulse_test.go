package dispatcher

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestPulse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p pulse
		took := func() time.Duration {
			begun := time.Now()
			if err := p.sure(t.Context()); err != nil {
				t.Error(err)
			}
			return time.Since(begun)
		}
		if d := took(); d != 0 {
			t.Errorf("before the first beat: waited %v", d)
		}
		p.beat(time.Now())
		<-time.After(awayFrom)
		p.beat(time.Now())
		if d := took(); d != 0 {
			t.Errorf("in step: waited %v", d)
		}
		<-time.After(10 * time.Second) // stopped
		if d := p.doubt(time.Now()); d != heardOfIt {
			t.Errorf("woken before the pulse: in doubt for %v", d)
		}
		p.beat(time.Now())
		if d := took(); d != heardOfIt {
			t.Errorf("woken: waited %v", d)
		}
		<-time.After(10 * time.Second)
		lost, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := p.sure(lost); err == nil {
			t.Error("the partition was lost, and it is sure")
		}
	})
}

// A working pulse is never in doubt, and one that has ended leaves none.
func TestPulseRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p pulse
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go p.run(ctx)
		for range 100 {
			<-time.After(time.Second)
			if d := p.doubt(time.Now()); d != 0 {
				t.Fatalf("in doubt for %v", d)
			}
		}
	})
}
