package aggregator

import "sync/atomic"

// Stats counts what leaves no event of its own, since the start.
type Stats struct {
	Danmaku     int64 // records handled
	Duplicates  int64 // platform ids seen before; they get no outcome
	SkewedClock int64 // times taken from the log because the source's clock was off
	Windows     int64 // published
	Restored    int64 // danmaku found in flight on assignment
}

type counters struct {
	danmaku, duplicates, skewed, windows, restored atomic.Int64
}

// Stats is the present counts.
func (a *Aggregator) Stats() Stats {
	return Stats{
		Danmaku: a.stats.danmaku.Load(), Duplicates: a.stats.duplicates.Load(), SkewedClock: a.stats.skewed.Load(),
		Windows: a.stats.windows.Load(), Restored: a.stats.restored.Load(),
	}
}
