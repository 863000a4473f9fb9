package streams_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"livehost/streams"
)

func TestTracker(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		start, finish []int64
		want          int64 // commit; 0: nothing
		unfinished    int
	}{
		{"nothing finished", []int64{0, 1, 2}, nil, 0, 3},
		{"third before first", []int64{0, 1, 2}, []int64{2, 1}, 0, 1},
		{"hole closed", []int64{0, 1, 2}, []int64{2, 1, 0}, 3, 0},
		{"prefix", []int64{5, 6, 7}, []int64{5, 7}, 6, 1},
		{"gaps of a compacted log", []int64{3, 10, 11, 90}, []int64{90, 3, 10}, 11, 1},
		{"all of a compacted log", []int64{3, 10, 90}, []int64{90, 3, 10}, 91, 0},
	} {
		var tr streams.Tracker
		for _, o := range tt.start {
			if err := tr.Start(o); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
		}
		for _, o := range tt.finish {
			if err := tr.Finish(o); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
		}
		got, _ := tr.Commit()
		if got != tt.want || tr.Unfinished() != tt.unfinished {
			t.Errorf("%s: commit %d unfinished %d, want %d and %d", tt.name, got, tr.Unfinished(), tt.want, tt.unfinished)
		}
	}
}

func TestTrackerMisuse(t *testing.T) {
	t.Parallel()
	var tr streams.Tracker
	check := func(what string, got, want error) {
		t.Helper()
		if !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("first start", tr.Start(4), nil)
	check("start again", tr.Start(4), streams.ErrOffsetOrder)
	check("start below", tr.Start(1), streams.ErrOffsetOrder)
	check("start above", tr.Start(8), nil)
	check("finish a gap", tr.Finish(5), streams.ErrOffsetNotStarted)
	check("finish below", tr.Finish(3), streams.ErrOffsetNotStarted)
	check("finish above", tr.Finish(9), streams.ErrOffsetNotStarted)
	check("finish", tr.Finish(8), nil)
	check("finish again, in the middle", tr.Finish(8), streams.ErrOffsetFinished)
	check("finish", tr.Finish(4), nil)
	check("finish again, in the prefix", tr.Finish(4), streams.ErrOffsetFinished)
}

// The tracker agrees with the obvious model whatever the order of calls.
func TestTrackerProperty(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var tr streams.Tracker
		var open []int64
		var next, want int64
		finished := map[int64]bool{}
		var order []int64
		for range 3000 {
			if len(open) == 0 || rng.IntN(5) < 2 {
				next += 1 + int64(rng.IntN(3))/2
				if err := tr.Start(next); err != nil {
					t.Fatal(err)
				}
				open, order = append(open, next), append(order, next)
				next++
				continue
			}
			i := rng.IntN(min(len(open), 1+rng.IntN(50)))
			o := open[i]
			open = append(open[:i], open[i+1:]...)
			if err := tr.Finish(o); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			finished[o] = true
			for len(order) > 0 && finished[order[0]] {
				want, order = order[0]+1, order[1:]
			}
			if got, _ := tr.Commit(); got != want || tr.Unfinished() != len(open) || tr.Kept() != len(order) {
				t.Fatalf("seed %d: commit %d unfinished %d kept %d, want %d, %d and %d", seed, got, tr.Unfinished(), tr.Kept(), want, len(open), len(order))
			}
		}
	}
}

func BenchmarkTracker(b *testing.B) {
	var tr streams.Tracker
	const window = 1000
	for i := range b.N {
		if err := tr.Start(int64(i)); err != nil {
			b.Fatal(err)
		}
		if i >= window {
			if err := tr.Finish(int64(i - window)); err != nil {
				b.Fatal(err)
			}
		}
	}
}
