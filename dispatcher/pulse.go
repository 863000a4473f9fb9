package dispatcher

import (
	"context"
	"sync/atomic"
	"time"
)

// A process that was stopped for a while (SIGSTOP, a frozen machine) wakes up in the
// middle of what it did and believes that the rooms are still its own. The streams keep it
// from writing about them; but it would take the fence of a room in which it had none yet,
// and shut the room's true owner out. Its pulse tells it that it was away; then it takes no
// fence until its consumer group had the time to say that the partitions are somebody else's.

const (
	pulseEvery = 250 * time.Millisecond // wall
	awayFrom   = 2 * time.Second        // without a beat; no group gives partitions away so soon
	heardOfIt  = 2 * time.Second        // in which a woken member hears that it was put out of its group
)

// pulse knows since when the process has run without a stop. The zero value, before the
// first beat, knows of none. It is safe for concurrent use.
type pulse struct {
	last atomic.Pointer[time.Time] // beat
	woke atomic.Pointer[time.Time] // from the last stop
}

func (p *pulse) run(ctx context.Context) {
	tick := time.NewTicker(pulseEvery)
	defer tick.Stop()
	defer p.last.Store(nil) // nobody beats from here on
	for {
		p.beat(time.Now())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (p *pulse) beat(now time.Time) {
	if last := p.last.Swap(&now); last != nil && now.Sub(*last) > awayFrom {
		p.woke.Store(&now)
	}
}

// doubt is how long what this process believes of its rooms is in doubt.
func (p *pulse) doubt(now time.Time) time.Duration {
	if last := p.last.Load(); last != nil && now.Sub(*last) > awayFrom {
		return heardOfIt // woken, and the pulse has not noticed yet
	}
	if woke := p.woke.Load(); woke != nil {
		return max(heardOfIt-now.Sub(*woke), 0)
	}
	return 0
}

// sure returns when nothing is in doubt, or with ctx's error: the partition's, when it is
// lost.
func (p *pulse) sure(ctx context.Context) error {
	for {
		d := p.doubt(time.Now())
		if d <= 0 {
			return nil
		}
		t := time.NewTimer(d)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
}
