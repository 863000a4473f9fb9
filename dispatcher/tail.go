package dispatcher

import (
	"context"
	"fmt"
	"time"

	"livehost/streams"
)

// longestLog is more than any topic keeps.
const longestLog = 60 * 24 * time.Hour

// tail is where to begin to read a partition of weeks, so that what was appended
// within span (wall time) before its last record is read. Counted from the last
// record, not from now: after a long stop it is the time before the stop that
// matters.
func tail(ctx context.Context, r streams.Reader, topic string, partition int32, span time.Duration, now time.Time) (int64, error) {
	s, ok := r.(streams.Seeker)
	if !ok {
		return 0, nil
	}
	at := func(back time.Duration) (int64, error) {
		offset, err := s.OffsetAt(ctx, topic, partition, now.Add(-back))
		if err != nil {
			return 0, fmt.Errorf("dispatcher: tail of %s partition %d: %w", topic, partition, err)
		}
		return offset, nil
	}
	end, err := at(-time.Hour) // from the future: there is none
	if err != nil {
		return 0, err
	}
	for back := span; back < longestLog; back *= 2 {
		from, err := at(back)
		if err != nil {
			return 0, err
		}
		if from < end { // the last record is at most so old
			return at(back + span)
		}
	}
	return 0, nil
}
