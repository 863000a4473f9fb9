package streams_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"livehost/streams"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type intJob = streams.Job[string, int]

func TestLanesKeepOrderPerKeyAndLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const keys, perKey, limit = 20, 100, 7
		var mu sync.Mutex
		got := map[string][]int{}
		running := map[string]bool{}
		var active, most atomic.Int32
		lanes := streams.NewLanes(limit, func(j *intJob) {
			if n := active.Add(1); n > most.Load() {
				most.Store(n)
			}
			mu.Lock()
			if running[j.Key] {
				t.Errorf("two jobs of key %s at once", j.Key)
			}
			running[j.Key] = true
			mu.Unlock()
			time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond) // fake time
			mu.Lock()
			running[j.Key] = false
			got[j.Key] = append(got[j.Key], j.Value)
			mu.Unlock()
			active.Add(-1)
		})
		var want []int
		for i := range perKey {
			want = append(want, i)
			for k := range keys {
				lanes.Put(string(rune('a'+k)), i)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for k := range keys {
			if d := cmp.Diff(want, got[string(rune('a'+k))]); d != "" {
				t.Errorf("key %d (-want +got):\n%s", k, d)
			}
		}
		if most.Load() != limit {
			t.Errorf("%d jobs at once, want the limit %d", most.Load(), limit)
		}
	})
}

func TestLanesStuckKeyDoesNotStopOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var done atomic.Int32
		lanes := streams.NewLanes(2, func(j *intJob) {
			if j.Key == "stuck" {
				<-release
			}
			done.Add(1)
		})
		lanes.Put("stuck", 0)
		for i := range 1000 {
			lanes.Put("stuck", i)
			lanes.Put("other", i)
		}
		synctest.Wait()
		if done.Load() != 1000 {
			t.Errorf("%d jobs done beside a stuck key, want 1000", done.Load())
		}
		close(release)
		synctest.Wait()
		if done.Load() != 2001 {
			t.Errorf("%d jobs done, want 2001", done.Load())
		}
	})
}

func TestLanesRetryGoesFirstAndHoldsItsKeyOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type seen struct {
			Key string
			N   int
			At  time.Duration
		}
		start := time.Now()
		var got []seen
		failures := map[int]int{1: 2} // value -> times it fails
		var lanes *streams.Lanes[string, int]
		lanes = streams.NewLanes(1, func(j *intJob) {
			got = append(got, seen{j.Key, j.Value, time.Since(start)})
			if j.Key == "a" && failures[j.Value] > 0 {
				failures[j.Value]--
				lanes.Retry(j, time.Second)
			}
		})
		for i := 1; i <= 3; i++ {
			lanes.Put("a", i)
			lanes.Put("b", i)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		want := []seen{
			{"a", 1, 0}, {"b", 1, 0}, {"b", 2, 0}, {"b", 3, 0},
			{"a", 1, time.Second}, {"a", 1, 2 * time.Second},
			{"a", 2, 2 * time.Second}, {"a", 3, 2 * time.Second},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// Jobs that ran and come back late go before those put after them, in their old order.
func TestLanesLateRetriesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got []int
		var late []*intJob
		lanes := streams.NewLanes(4, func(j *intJob) {
			got = append(got, j.Value)
			if len(late) < 3 {
				late = append(late, j)
			}
		})
		for i := range 3 {
			lanes.Put("a", i)
		}
		synctest.Wait()
		for _, i := range []int{2, 0, 1} {
			lanes.Retry(late[i], time.Second)
		}
		lanes.Put("a", 3)
		time.Sleep(time.Minute)
		synctest.Wait()
		if d := cmp.Diff([]int{0, 1, 2, 0, 1, 2, 3}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

func BenchmarkLanes(b *testing.B) {
	keys := make([]string, 500)
	for i := range keys {
		keys[i] = "room-" + string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	var wg sync.WaitGroup
	lanes := streams.NewLanes(64, func(*intJob) { wg.Done() })
	b.ReportAllocs()
	wg.Add(b.N)
	for i := range b.N {
		lanes.Put(keys[i%len(keys)], i)
	}
	wg.Wait()
}
func TestLanesWaitIsForReadyLanesOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		lanes := streams.NewLanes(2, func(j *intJob) { <-release })
		for i := range 100 {
			lanes.Put("stuck", i) // one lane, busy: nobody waits for it
		}
		synctest.Wait()
		lanes.Wait(nil)
		lanes.Put("b", 0)
		lanes.Put("c", 0)
		lanes.Put("d", 0) // two lanes wait for a goroutine
		waited := make(chan struct{})
		go func() { lanes.Wait(nil); close(waited) }()
		synctest.Wait()
		select {
		case <-waited:
			t.Error("Wait returned although as many lanes wait as may run")
		default:
		}
		done := make(chan struct{})
		close(done)
		lanes.Wait(done) // ends with done
		close(release)
		<-waited
		synctest.Wait()
	})
}
