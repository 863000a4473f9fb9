package streams

import (
	"errors"
	"fmt"
	"sort"
)

// The mistakes a Tracker finds in its caller.
var (
	ErrOffsetOrder      = errors.New("offset is not above the last started one")
	ErrOffsetNotStarted = errors.New("offset was not started")
	ErrOffsetFinished   = errors.New("offset was finished before")
)

// Tracker knows which offsets of one partition are unfinished, and up to where
// every started one is finished: the contiguous prefix, all that may be
// committed. Offsets may have gaps (compaction). It keeps 8 bytes for each
// offset since the oldest unfinished one. The zero value is ready; it is not
// safe for concurrent use.
type Tracker struct {
	marks      []int64 // offset<<1 | finished, ascending; marks[head:] is live
	head       int
	unfinished int
	last       int64 // offset after the last started one
	commit     int64 // offset after the prefix, 0 while nothing is finished
}

// Start notes that offset is handed over. Offsets are started in log order.
func (t *Tracker) Start(offset int64) error {
	if offset < t.last {
		return fmt.Errorf("%w: %d, next is %d", ErrOffsetOrder, offset, t.last)
	}
	t.last = offset + 1
	t.marks = append(t.marks, offset<<1)
	t.unfinished++
	return nil
}

// Finish notes that offset is done, in any order, once each.
func (t *Tracker) Finish(offset int64) error {
	live := t.marks[t.head:]
	i := 0
	if len(live) > 0 {
		// Without gaps the place is known; the search is for compacted logs.
		i = int(offset - live[0]>>1)
		if i < 0 || i >= len(live) || live[i]>>1 != offset {
			i = sort.Search(len(live), func(i int) bool { return live[i]>>1 >= offset })
		}
	}
	switch {
	case i < len(live) && live[i] == offset<<1:
		live[i] |= 1
	case i < len(live) && live[i] == offset<<1|1, offset < t.commit:
		return fmt.Errorf("%w: %d", ErrOffsetFinished, offset)
	default:
		return fmt.Errorf("%w: %d", ErrOffsetNotStarted, offset)
	}
	t.unfinished--
	t.advance()
	return nil
}

// advance moves the prefix over finished offsets and gives the memory back.
func (t *Tracker) advance() {
	for t.head < len(t.marks) && t.marks[t.head]&1 == 1 {
		t.commit = t.marks[t.head]>>1 + 1
		t.head++
	}
	switch {
	case t.head == len(t.marks):
		t.marks, t.head = t.marks[:0], 0
	case t.head > 1024 && t.head > len(t.marks)/2:
		t.marks, t.head = append([]int64(nil), t.marks[t.head:]...), 0
	}
}

// Commit is the offset to commit: every started offset below it is finished.
// It never goes back; ok is false while nothing is finished.
func (t *Tracker) Commit() (offset int64, ok bool) { return t.commit, t.commit > 0 }

// Oldest is the oldest unfinished offset; ok is false when there is none.
func (t *Tracker) Oldest() (offset int64, ok bool) {
	if t.unfinished == 0 {
		return 0, false
	}
	return t.marks[t.head] >> 1, true // the prefix ends before it
}

// Unfinished is how many started offsets are not finished.
func (t *Tracker) Unfinished() int { return t.unfinished }

// Kept is how many started offsets lie from the oldest unfinished one on, finished
// or not: what would be handed over again after a crash.
func (t *Tracker) Kept() int { return len(t.marks) - t.head }
