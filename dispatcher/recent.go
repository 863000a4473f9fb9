package dispatcher

import "time"

// recent is a map that forgets what is older than span, in two generations: an
// entry lives between one and two spans after it was put. Time is whatever
// millisecond clock the caller puts with.
type recent[K comparable, V any] struct {
	spanMs   int64
	turnedMs int64
	young    map[K]V
	old      map[K]V
}

func newRecent[K comparable, V any](span time.Duration) *recent[K, V] {
	return &recent[K, V]{spanMs: span.Milliseconds(), young: map[K]V{}}
}

func (r *recent[K, V]) put(k K, v V, nowMs int64) {
	if nowMs-r.turnedMs >= r.spanMs {
		r.old, r.young, r.turnedMs = r.young, map[K]V{}, nowMs
	}
	r.young[k] = v
}

func (r *recent[K, V]) get(k K) (V, bool) {
	if v, ok := r.young[k]; ok {
		return v, true
	}
	v, ok := r.old[k]
	return v, ok
}

func (r *recent[K, V]) has(k K) bool {
	_, ok := r.get(k)
	return ok
}
