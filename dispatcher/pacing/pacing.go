package pacing

import (
	"slices"
	"time"
	"unicode"

	"livehost/streams/event"
)

// Gap is the silence between two utterances.
const Gap = 300 * time.Millisecond

// The speaking rates.
const (
	zhRunesPerSecond = 4.5
	enCharsPerSecond = 14
)

// Length is how long text takes to say: Chinese (and other full-width) runes at
// 4.5 a second, everything else at 14 characters a second, so mixed text adds up.
func Length(text string) time.Duration {
	var seconds float64
	for _, r := range text {
		if wide(r) {
			seconds += 1 / zhRunesPerSecond
		} else {
			seconds += 1.0 / enCharsPerSecond
		}
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond)
}

func wide(r rune) bool {
	return r >= 0x2E80 && (unicode.Is(unicode.Han, r) || unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF)
}

// Item is speech that waits for the voice.
type Item[T any] struct {
	Class     event.Class
	OnlyAloud bool // somebody who waits for it cannot be answered in any other way
	SpeakByMs int64
	Length    time.Duration
	Value     T
}

// Queue is one room's waiting speech in the order it will be said. The zero
// Queue is empty. It is not safe for concurrent use.
type Queue[T any] struct{ items []Item[T] }

// Push puts the item where it belongs.
func (q *Queue[T]) Push(it Item[T]) {
	at := q.position(it)
	q.items = slices.Insert(q.items, at, it)
}

// position is the index at which it would be said: after its equals.
func (q *Queue[T]) position(it Item[T]) int {
	for i, have := range q.items {
		if before(it, have) {
			return i
		}
	}
	return len(q.items)
}

func before[T any](a, b Item[T]) bool {
	switch {
	case a.Class != b.Class:
		return a.Class < b.Class
	case a.OnlyAloud != b.OnlyAloud:
		return a.OnlyAloud
	}
	return a.SpeakByMs < b.SpeakByMs
}

// Pop takes what is said next.
func (q *Queue[T]) Pop() (Item[T], bool) {
	if len(q.items) == 0 {
		return Item[T]{}, false
	}
	it := q.items[0]
	q.items = slices.Delete(q.items, 0, 1)
	return it, true
}

// Len is the number of waiting items.
func (q *Queue[T]) Len() int { return len(q.items) }

// Waiting is how long the voice needs for everything that waits.
func (q *Queue[T]) Waiting() time.Duration { return span(q.items) }

// Ahead is how long the voice needs for what would be said before it.
func (q *Queue[T]) Ahead(it Item[T]) time.Duration { return span(q.items[:q.position(it)]) }

func span[T any](items []Item[T]) (d time.Duration) {
	for _, it := range items {
		d += it.Length + Gap
	}
	return d
}

// Find is the first value for which match is true.
func (q *Queue[T]) Find(match func(T) bool) (v T, ok bool) {
	for _, it := range q.items {
		if match(it.Value) {
			return it.Value, true
		}
	}
	return v, false
}

// Take removes and returns the values for which match is true, in order.
func (q *Queue[T]) Take(match func(Item[T]) bool) []T {
	var taken []T
	q.items = slices.DeleteFunc(q.items, func(it Item[T]) bool {
		if match(it) {
			taken = append(taken, it.Value)
			return true
		}
		return false
	})
	return taken
}
