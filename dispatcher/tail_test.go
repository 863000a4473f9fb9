package dispatcher

import (
	"context"
	"slices"
	"testing"
	"time"

	"livehost/streams"
)

// aged is a log of records of these ages, the oldest first.
type aged struct {
	streams.Reader
	now  time.Time
	ages []time.Duration
}

func (l aged) OffsetAt(_ context.Context, _ string, _ int32, at time.Time) (int64, error) {
	i := slices.IndexFunc(l.ages, func(age time.Duration) bool { return !l.now.Add(-age).Before(at) })
	if i < 0 {
		i = len(l.ages)
	}
	return int64(i), nil
}

func TestTail(t *testing.T) {
	t.Parallel()
	const span = 20 * time.Minute
	hours := func(hs ...float64) (out []time.Duration) {
		for _, h := range hs {
			out = append(out, time.Duration(h*float64(time.Hour)))
		}
		return out
	}
	tests := map[string]struct {
		ages []time.Duration
		most int64 // the first offset that must be read
	}{
		"empty":                           {nil, 0},
		"all recent":                      {hours(0.3, 0.2, 0.1), 0},
		"days before":                     {hours(190, 100, 50, 0.3, 0.1), 3},
		"the last record is hours old":    {hours(190, 30.2, 30.1, 30), 1},
		"the last record is weeks old":    {hours(900, 500.2, 500.1, 500), 1},
		"older than any log keeps":        {hours(24 * 90), 0},
		"stopped just within, then quiet": {hours(40, 1.2, 1.1), 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := aged{now: time.Now(), ages: tt.ages}
			from, err := tail(t.Context(), l, "t", 0, span, l.now)
			if err != nil || from > tt.most {
				t.Errorf("from %d, %v; must not be after %d", from, err, tt.most)
			}
			if tt.most > 0 && from == 0 {
				t.Error("the whole log would be read")
			}
		})
	}
	if from, err := tail(t.Context(), struct{ streams.Reader }{}, "t", 0, span, time.Now()); from != 0 || err != nil {
		t.Errorf("without a seeker: %d, %v", from, err)
	}
}
