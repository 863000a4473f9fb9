package exposure

import (
	"container/list"
	"fmt"
	"sync"

	"livehost/abtest"
	"livehost/streams/event"
)

// Activity is one thing a unit did in scope of the experiment.
type Activity struct {
	RoomID    event.RoomID
	DanmakuID event.DanmakuID    // when it was a danmaku
	Kind      event.ExposureKind // Exposed for an eligible danmaku, else Bucketed
	TimeMs    int64
}

// Log remembers which units were logged. It is safe for concurrent use.
type Log struct {
	capacity int
	mu       sync.Mutex
	recent   *list.List            // of *entry, most recently seen first
	entries  map[key]*list.Element // every key in recent
}

type key struct {
	experiment string
	version    int
	variant    event.Variant
	unit       string
}

type entry struct {
	key
	exposed bool // bucketed too
}

// New remembers at most capacity units (at least 1).
func New(capacity int) *Log {
	return &Log{capacity: max(capacity, 1), recent: list.New(), entries: map[key]*list.Element{}}
}

// Observe returns the records the activity causes, in order: none when the unit
// is not enrolled or was logged before.
func (l *Log) Observe(a abtest.Assignment, act Activity) []event.Exposure {
	if !a.Enrolled {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := key{a.Experiment, a.Version, a.Variant, a.Unit}
	var out []event.Exposure
	at, known := l.entries[k]
	if !known {
		at = l.add(k)
		out = append(out, record(a, act, event.Bucketed))
	}
	l.recent.MoveToFront(at)
	if e := at.Value.(*entry); act.Kind == event.Exposed && !e.exposed {
		e.exposed = true
		out = append(out, record(a, act, event.Exposed))
	}
	return out
}

func (l *Log) add(k key) *list.Element {
	if l.recent.Len() >= l.capacity {
		oldest := l.recent.Back()
		delete(l.entries, oldest.Value.(*entry).key)
		l.recent.Remove(oldest)
	}
	at := l.recent.PushFront(&entry{key: k})
	l.entries[k] = at
	return at
}

func record(a abtest.Assignment, act Activity, kind event.ExposureKind) event.Exposure {
	return event.Exposure{
		Schema: event.SchemaVersion,
		// The unit comes last: ids may contain the separator. The variant is part
		// of the id so that a unit seen in two variants stays visible.
		ExposureID: fmt.Sprintf("%s:%d:%s:%s:%s", a.Experiment, a.Version, a.Variant, kind, a.Unit),
		Experiment: a.Experiment, ExperimentVersion: a.Version, Unit: a.Unit, Variant: a.Variant,
		Kind: kind, RoomID: act.RoomID, DanmakuID: act.DanmakuID, Degraded: a.Degraded, TimeMs: act.TimeMs,
	}
}
