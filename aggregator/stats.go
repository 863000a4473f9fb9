package aggregator

import "sync/atomic"

// Stats counts what leaves no event of its own, since the start.
type Stats struct {
	Danmaku     int64 // records handled
	Duplicates  int64 // platform ids seen before; they get no outcome
	SkewedClock int64 // times taken from the log because the source's clock was off or missing
	Windows     int64 // published
	Restored    int64 // danmaku found in flight on assignment
	Rooms       int64 // in which something happens now
	Quiet       int64 // of them, whose viewers talked a lot and have said nothing for a while
	Parked      int64 // in which nothing does
}

type counters struct {
	danmaku, duplicates, skewed, windows, restored atomic.Int64
}

// Stats is the present counts.
func (a *Aggregator) Stats() Stats {
	s := Stats{
		Danmaku: a.stats.danmaku.Load(), Duplicates: a.stats.duplicates.Load(), SkewedClock: a.stats.skewed.Load(),
		Windows: a.stats.windows.Load(), Restored: a.stats.restored.Load(),
	}
	now := a.deps.Clock.NowMs()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.partitions {
		p.mu.Lock()
		s.Rooms += int64(len(p.rooms))
		for _, r := range p.rooms {
			if r.pulse.quiet(now, a.cfg.Memory.Milliseconds()) {
				s.Quiet++
			}
		}
		s.Parked += int64(len(p.parked))
		p.mu.Unlock()
	}
	return s
}
