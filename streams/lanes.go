package streams

import (
	"sort"
	"sync"
	"time"
)

// Job is one value waiting in, or taken from, the lane of its key.
type Job[K comparable, V any] struct {
	Key   K
	Value V
	seq   uint64 // order of Put over all lanes
}

// Lanes runs jobs: those of one key one after another in the order they were
// put, those of different keys at once, up to a limit. Keys take turns, so that
// a long lane does not hold up a short one. Goroutines exist only while there is
// work. Safe for concurrent use.
type Lanes[K comparable, V any] struct {
	limit int
	run   func(*Job[K, V])

	mu     sync.Mutex
	lanes  map[K]*lane[K, V] // those that are not empty and idle
	ready  []*lane[K, V]     // FIFO; ready[head:] is live
	head   int
	active int // goroutines
	// starting: one of them has not run yet. No other one is made meanwhile: quick
	// jobs need as many goroutines as there are processors, and only jobs that
	// block leave a processor to the one that starts.
	starting bool
	seq      uint64
	slab     []Job[K, V]   // for the next jobs
	room     chan struct{} // not nil while somebody waits for room; closed when there is
}

// slabJobs is how many jobs are allocated at once.
const slabJobs = 32

type lane[K comparable, V any] struct {
	key     K
	jobs    []*Job[K, V] // ascending seq
	running bool
	queued  bool // in ready
	holds   int  // retries whose time has not come
}

// NewLanes makes lanes that call run for at most limit jobs at once (at least one).
func NewLanes[K comparable, V any](limit int, run func(*Job[K, V])) *Lanes[K, V] {
	return &Lanes[K, V]{limit: max(limit, 1), run: run, lanes: make(map[K]*lane[K, V])}
}

// Put appends value to the lane of key. It never blocks.
func (l *Lanes[K, V]) Put(key K, value V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(key, value)
}

// PutAll appends the values to the lanes of their keys, in order.
func (l *Lanes[K, V]) PutAll(values []V, key func(*V) K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range values {
		l.put(key(&values[i]), values[i])
	}
}

// put is Put. The caller holds mu.
func (l *Lanes[K, V]) put(key K, value V) {
	l.seq++
	ln := l.lane(key)
	if len(l.slab) == 0 {
		l.slab = make([]Job[K, V], slabJobs)
	}
	job := &l.slab[0]
	l.slab = l.slab[1:]
	job.Key, job.Value, job.seq = key, value, l.seq
	ln.jobs = append(ln.jobs, job)
	l.wake(ln)
}

// Retry puts a job that has run back where it was in its lane, before all that
// were put later, and holds the lane for the given wall time.
func (l *Lanes[K, V]) Retry(job *Job[K, V], after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ln := l.lane(job.Key)
	at := sort.Search(len(ln.jobs), func(i int) bool { return ln.jobs[i].seq > job.seq })
	ln.jobs = append(ln.jobs, nil)
	copy(ln.jobs[at+1:], ln.jobs[at:])
	ln.jobs[at] = job
	ln.holds++
	time.AfterFunc(after, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		ln.holds--
		l.wake(ln)
	})
}

// Wait returns when fewer lanes than the limit wait for a goroutine, or when done
// is closed. Whoever puts more, faster than the jobs run, should call it now and
// then. A lane that is busy, or held by a retry, does not count: one stuck key
// makes nobody wait.
func (l *Lanes[K, V]) Wait(done <-chan struct{}) {
	l.mu.Lock()
	if len(l.ready)-l.head < l.limit {
		l.mu.Unlock()
		return
	}
	if l.room == nil {
		l.room = make(chan struct{})
	}
	room := l.room
	l.mu.Unlock()
	select {
	case <-room:
	case <-done:
	}
}

func (l *Lanes[K, V]) lane(key K) *lane[K, V] {
	ln := l.lanes[key]
	if ln == nil {
		ln = &lane[K, V]{key: key}
		l.lanes[key] = ln
	}
	return ln
}

// wake schedules ln and sees that a goroutine will come to it. The caller holds mu.
func (l *Lanes[K, V]) wake(ln *lane[K, V]) {
	if l.schedule(ln) {
		l.grow()
	}
}

// grow starts one more goroutine when it is allowed and none is starting. The
// caller holds mu.
func (l *Lanes[K, V]) grow() {
	if !l.starting && l.active < l.limit {
		l.starting = true
		l.active++
		go l.work()
	}
}

// schedule makes ln ready when it has become able to run, and forgets it when it
// is empty. The caller holds mu.
func (l *Lanes[K, V]) schedule(ln *lane[K, V]) bool {
	switch {
	case ln.running || ln.queued || ln.holds > 0:
		return false
	case len(ln.jobs) == 0:
		delete(l.lanes, ln.key)
		return false
	}
	ln.queued = true
	if l.head > 1024 && l.head > len(l.ready)/2 {
		l.ready, l.head = append([]*lane[K, V](nil), l.ready[l.head:]...), 0
	}
	l.ready = append(l.ready, ln)
	return true
}

// work runs the head of one ready lane after another until none is ready.
func (l *Lanes[K, V]) work() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.starting = false
	for l.head < len(l.ready) {
		ln := l.ready[l.head]
		l.ready[l.head] = nil
		if l.head++; l.head == len(l.ready) {
			l.ready, l.head = l.ready[:0], 0
		}
		ln.queued = false
		if l.room != nil && len(l.ready)-l.head < l.limit {
			close(l.room)
			l.room = nil
		}
		if ln.holds > 0 { // a retry came in while it was ready
			continue
		}
		job := ln.jobs[0]
		ln.jobs[0] = nil
		ln.jobs = ln.jobs[1:]
		ln.running = true
		if l.head < len(l.ready) {
			l.grow()
		}
		l.mu.Unlock()
		l.run(job)
		l.mu.Lock()
		ln.running = false
		l.schedule(ln)
	}
	l.active--
}
