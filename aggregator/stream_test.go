package aggregator_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"livehost/aggregator"
	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/source"
)

// dayEnv names the recordings of one day in the child process that plays it.
const dayEnv = "LIVEHOST_TEST_DAY"

// dayResult is what became of one day.
type dayResult struct {
	Danmaku int                 `json:"danmaku"`
	Windows int                 `json:"windows"`
	States  map[event.State]int `json:"states"`
	Twice   int                 `json:"twice"`   // danmaku with two outcomes
	Unacked int                 `json:"unacked"` // records that were never acknowledged
	Asked   int                 `json:"asked"`   // questions of known viewers put in at the peaks
	Reached int                 `json:"reached"` // of them, in a window in time
	Floods  int                 `json:"floods"`  // hidden viewers taken for flooders
	PeakMB  float64             `json:"peak_mb"` // resident memory of the whole process
	Seconds float64             `json:"seconds"` // of the wall
}

// streamedDays are the recorded days, each the parts of one file.
func streamedDays() map[string][]string {
	files, _ := filepath.Glob("../../shared/data/streams/bili_[0-9]*.jsonl")
	days := map[string][]string{}
	for _, f := range files {
		name, _, _ := strings.Cut(filepath.Base(f), ".part")
		days[strings.TrimSuffix(name, ".jsonl")] = append(days[strings.TrimSuffix(name, ".jsonl")], f)
	}
	return days
}

// Whole days of rooms with bursts and floods, as fast as they can be played, in a
// process of their own: memory stays small, everything ends once, and buyers'
// questions at the peaks reach a window in time. Viewers whom the platform hid are
// not one flooder.
func TestStreamedDay(t *testing.T) {
	if testing.Short() {
		t.Skip("plays days")
	}
	days := streamedDays()
	if len(days) == 0 {
		t.Skip("no shared streams here")
	}
	for name, files := range days {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := playInChild(t, files)
			t.Logf("%d danmaku in %.1f s of the wall, %d windows, %v; %d of %d questions at the peaks reached a window; peak %.0f MB", d.Danmaku, d.Seconds, d.Windows, d.States, d.Reached, d.Asked, d.PeakMB)
			sum := 0
			for _, n := range d.States {
				sum += n
			}
			if sum != d.Danmaku || d.Twice > 0 || d.Unacked > 0 {
				t.Errorf("%d outcomes of %d danmaku, %d have two, %d records are not acknowledged", sum, d.Danmaku, d.Twice, d.Unacked)
			}
			if d.Asked < 190 || float64(d.Reached) < 0.95*float64(d.Asked) || d.Floods > 0 {
				t.Errorf("%d of %d questions reached a window, %d hidden viewers taken for flooders", d.Reached, d.Asked, d.Floods)
			}
			if d.PeakMB > 150 && !raced {
				t.Errorf("peak memory %.0f MB, want at most 150", d.PeakMB)
			}
		})
	}
}

func playInChild(t testing.TB, files []string) dayResult {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestPlayDay$", "-test.v")
	cmd.Env = append(os.Environ(), dayEnv+"="+strings.Join(files, ":"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the child: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if at := strings.Index(line, `{"danmaku"`); at >= 0 {
			var d dayResult
			if err := json.Unmarshal([]byte(line[at:]), &d); err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
	t.Fatalf("the child says nothing:\n%s", out)
	return dayResult{}
}

// TestPlayDay is that process.
func TestPlayDay(t *testing.T) {
	files := os.Getenv(dayEnv)
	if files == "" {
		t.Skip("is a part of TestStreamedDay")
	}
	began := time.Now()
	var d dayResult
	synctest.Test(t, func(t *testing.T) {
		day := newDay(t)
		defer day.stop()
		for _, file := range strings.Split(files, ":") {
			day.play(file)
		}
		<-time.After(time.Minute)
		synctest.Wait()
		d = day.result()
	})
	d.PeakMB, d.Seconds = peakMB(t), time.Since(began).Seconds()
	line, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(line))
}

// peakMB is the most that this process has had resident. Rusage would say what the
// process that started it had.
func peakMB(t *testing.T) float64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	var kb float64
	if _, err := fmt.Sscanf(rest, "%f kB", &kb); err != nil {
		t.Fatal(err)
	}
	return kb / 1000
}

// day is the stage and what the others make of its windows, without a log that
// would hold more than the stage does.
type day struct {
	t     *testing.T
	agg   *aggregator.Aggregator
	agent *simulated
	stop  context.CancelFunc

	mu     sync.Mutex
	ended  map[event.DanmakuID]event.State
	next   map[string]int64
	open   map[string]bool // records that are not acknowledged
	counts dayResult
}

func newDay(t *testing.T) *day {
	d := &day{
		t: t, agent: &simulated{rng: rand.New(rand.NewPCG(7, 7))}, ended: map[event.DanmakuID]event.State{}, next: map[string]int64{}, open: map[string]bool{},
		counts: dayResult{States: map[event.State]int{}},
	}
	var err error
	d.agg, err = aggregator.New(aggregator.DefaultConfig(), aggregator.Deps{
		Clock: clock.Real(), Publisher: d, Reader: emptyLog{}, Assigner: halves{}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.agg.Assigned(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	d.stop = func() { d.agg.Revoked(context.Background(), 0) }
	return d
}

// Publish implements streams.Publisher.
func (d *day) Publish(_ context.Context, events ...event.Event) error {
	for _, e := range events {
		if _, err := event.Encode(e); err != nil {
			return err
		}
		switch e := e.(type) {
		case *event.Window:
			w := *e
			w.Members = slices.Clone(w.Members) // the stage uses its own again
			d.mu.Lock()
			d.counts.Windows++
			run := d.agent.run(w)
			d.mu.Unlock()
			time.AfterFunc(run, func() {
				d.mu.Lock()
				answers := d.agent.answer(w)
				d.mu.Unlock()
				for _, a := range answers {
					d.hand(a)
				}
			})
		case event.Outcome:
			d.end(e)
		}
	}
	return nil
}

func (d *day) end(o event.Outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended[o.DanmakuID] != "" {
		d.counts.Twice++
	}
	d.ended[o.DanmakuID] = o.State
	d.counts.States[o.State]++
	if o.Reason == "viewer_flood" && o.ViewerID.Anonymous() {
		d.counts.Floods++
	}
	if strings.HasPrefix(string(o.DanmakuID), "asked") && o.Admitted {
		d.counts.Reached++
	}
}

// hand gives the stage the next record of the event's topic.
func (d *day) hand(e event.Event) {
	v, err := event.Encode(e)
	if err != nil {
		d.t.Error(err)
		return
	}
	if o, ok := e.(event.Outcome); ok {
		d.end(o)
	}
	d.mu.Lock()
	offset := d.next[e.Topic()]
	d.next[e.Topic()]++
	record := fmt.Sprint(e.Topic(), offset)
	d.open[record] = true
	d.mu.Unlock()
	d.agg.Handle(d.t.Context(), streams.Record{Topic: e.Topic(), Offset: offset, Key: e.Key(), Value: v, AppendTime: time.Now()}, func(err error) {
		if err != nil {
			d.t.Errorf("%s: %v", record, err)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.open, record)
	})
}

func (d *day) say(id, viewer, text string) {
	d.counts.Danmaku++
	d.hand(event.Danmaku{
		Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: roomID, ViewerID: event.ViewerID(viewer), Text: text, PlatformTimeMs: time.Now().UnixMilli(),
	})
}

// play says what the recording holds, at its times, and 200 questions at its peaks.
func (d *day) play(file string) {
	rec, _, err := source.ReadFile(file)
	if err != nil {
		d.t.Fatal(err)
	}
	asked, start := injected(rec), time.Now()
	for _, line := range rec.Lines {
		if line.Kind != source.KindComment {
			continue
		}
		for len(asked) > 0 && asked[0] <= line.At {
			<-time.After(asked[0] - time.Since(start))
			n := d.counts.Asked
			d.say(fmt.Sprint("asked", n), fmt.Sprint("buyer", n), fmt.Sprintf("%d号适合%d斤的人吗", n%40+1, 80+n%100))
			d.counts.Asked++
			asked = asked[1:]
		}
		<-time.After(line.At - time.Since(start))
		d.say(fmt.Sprint(filepath.Base(file), line.No), string(line.User), line.Text)
	}
}

func (d *day) result() dayResult {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.Unacked = len(d.open)
	return d.counts
}

// injected is when 200 questions are asked: ten in each of the 20 busiest minutes.
func injected(rec *source.Recording) []time.Duration {
	minutes := map[time.Duration]int{}
	for _, l := range rec.Lines {
		minutes[l.At.Truncate(time.Minute)]++
	}
	busiest := slices.SortedFunc(maps.Keys(minutes), func(a, b time.Duration) int { return cmp.Or(minutes[b]-minutes[a], int(a-b)) })
	var out []time.Duration
	for _, m := range busiest[:min(20, len(busiest))] {
		for i := range 10 {
			out = append(out, m+time.Duration(i)*5*time.Second)
		}
	}
	slices.Sort(out)
	return out
}
