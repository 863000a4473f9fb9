package dispatcher_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"livehost/dispatcher"
	ways "livehost/dispatcher/outlet"
	"livehost/dispatcher/outlettest"
	"livehost/dispatcher/redisvoice"
	"livehost/internal/benchfile"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// figures go to bench.json under "dispatch".
type figures struct {
	P99Ms           float64 `json:"p99_ms"`                // private text, from publishing reply.v1 to the outlet, 500/s over 200 rooms
	SpeechP99Ms     float64 `json:"speech_p99_ms"`         // public speech with the voice free
	InterruptP99Ms  float64 `json:"interrupt_stop_ms_p99"` // from the word to the last sink's silence
	VoiceStopP99Ms  float64 `json:"voice_stop_ms_p99"`     // from the operator's word in Redis to a room's silence
	KBPerIdleRoom   float64 `json:"kb_per_idle_room"`
	RoundTripsReply float64 `json:"round_trips_per_reply"` // to Redis

	// The estimated length of speech against espeak-ng's audio; null where it is not installed.
	DurationErrorP50 *float64 `json:"duration_error_p50"`
	DurationErrorP95 *float64 `json:"duration_error_p95"`
}

// roundTrips counts what goes to Redis.
type roundTrips struct{ n atomic.Int64 }

func (r *roundTrips) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (r *roundTrips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { r.n.Add(1); return next(ctx, cmd) }
}

func (r *roundTrips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { r.n.Add(1); return next(ctx, cmds) }
}

// stopwatch is an outlet that says when it was reached.
type stopwatch struct {
	clock *clock.Clock
	mu    sync.Mutex
	since map[string]time.Time
	took  []float64 // milliseconds
}

func (s *stopwatch) Name() string { return "stopwatch" }

func (s *stopwatch) begin(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since[id] = time.Now()
}

func (s *stopwatch) reached(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.since[id]; ok {
		s.took = append(s.took, float64(time.Since(at).Microseconds())/1000)
		delete(s.since, id)
	}
}

// wait ends the benchmark when what was begun does not arrive: the machine is too busy.
func (s *stopwatch) wait(b *testing.B) {
	for deadline := time.Now().Add(30 * time.Second); ; <-time.After(20 * time.Millisecond) {
		s.mu.Lock()
		left := len(s.since)
		s.mu.Unlock()
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			b.Fatalf("%d replies never reached the outlet", left)
		}
	}
}

func (s *stopwatch) Speak(_ context.Context, u dispatcher.Utterance) (dispatcher.Spoken, error) {
	s.reached(u.Text)
	nowMs := s.clock.NowMs()
	return dispatcher.Spoken{FirstAudioMs: nowMs, EndMs: nowMs}, nil
}

func (s *stopwatch) Send(_ context.Context, t dispatcher.PrivateText) error {
	s.reached(t.Text)
	return nil
}

func p99(ms []float64) float64 {
	slices.Sort(ms)
	return ms[len(ms)*99/100]
}

// estimates holds the estimated lengths of all of our replies against espeak-ng.
func (f *figures) estimates(b *testing.B) {
	espeak, err := ways.NewEspeak(ways.DefaultEspeakConfig())
	if err != nil {
		b.Log(err)
		return
	}
	got, err := outlettest.Estimates(b.Context(), outlettest.Replies(), func(ctx context.Context, s dispatcher.Sentence, language string) (time.Duration, error) {
		clip, err := espeak.Synthesise(ctx, s, language)
		return clip.Length, err
	})
	if err != nil {
		b.Fatal(err)
	}
	f.DurationErrorP50, f.DurationErrorP95 = &got.P50, &got.P95
	b.ReportMetric(got.P50, "length_error_p50")
	b.ReportMetric(got.P95, "length_error_p95")
}

// BenchmarkDispatch measures the stage's real loop on the embedded broker and Redis and
// writes bench.json. It counts milliseconds, so it is for a machine that does little else.
func BenchmarkDispatch(b *testing.B) {
	var f figures
	for b.Loop() {
		f = figures{}
		f.P99Ms, f.RoundTripsReply = throughStage(b, true)
		f.SpeechP99Ms, _ = throughStage(b, false)
		f.InterruptP99Ms = interrupts(b)
		f.VoiceStopP99Ms = voiceStops(b)
		f.KBPerIdleRoom = float64(bytesPerIdleRoom(b)) / 1000
		f.estimates(b)
	}
	b.ReportMetric(f.P99Ms, "private_p99_ms")
	b.ReportMetric(f.SpeechP99Ms, "speech_p99_ms")
	b.ReportMetric(f.InterruptP99Ms, "interrupt_p99_ms")
	b.ReportMetric(f.VoiceStopP99Ms, "voice_stop_p99_ms")
	b.ReportMetric(f.KBPerIdleRoom, "kB/room")
	b.ReportMetric(f.RoundTripsReply, "trips/reply")
	path, err := benchfile.Path()
	if err != nil {
		b.Fatal(err)
	}
	if err := benchfile.Merge(path, "dispatch", f); err != nil {
		b.Fatal(err)
	}
}

// throughStage sends replies at 500 a second (speech: 100, one voice has its gap) over
// 200 rooms.
func throughStage(b *testing.B, private bool) (ms, trips float64) {
	s := newStage(b)
	s.clock = clock.Real()
	watch := &stopwatch{clock: s.clock, since: map[string]time.Time{}}
	count := &roundTrips{}
	stop := s.runWith(dispatcher.Outlets{Voice: watch, Private: watch}, count)
	defer stop()
	const rooms = 200
	r := &rig{clock: s.clock}
	reply := func(i int) event.Reply {
		id, text := fmt.Sprint("w", i), fmt.Sprintf("第%d句", i)
		return r.reply(id, text, []string{"d" + id}, func(e *event.Reply) {
			e.RoomID = event.RoomID(fmt.Sprint("room", i%rooms))
			if private {
				e.Public, e.Private = nil, []event.PrivateReply{{DanmakuID: e.Members[0].DanmakuID, ViewerID: "u", Text: text}}
			}
		})
	}
	send := func(i int) {
		watch.begin(fmt.Sprintf("第%d句", i))
		if err := s.Publisher.Publish(b.Context(), reply(i)); err != nil {
			b.Error(err)
		}
	}
	for i := range rooms { // each room has its settings and fence, each connection is there
		if err := s.Publisher.Publish(b.Context(), event.RoomEvent{Schema: 1, EventID: "o", RoomID: reply(i).RoomID, Kind: event.RoomOpened, TimeMs: 1,
			Settings: &event.RoomSettings{PrivateText: true}}); err != nil {
			b.Fatal(err)
		}
	}
	<-time.After(2 * time.Second) // topics have no order between them
	for i := range rooms {
		send(i)
	}
	watch.wait(b)
	<-time.After(time.Second)
	watch.took = nil
	before, every, n := count.n.Load(), 2*time.Millisecond, 2000
	if !private {
		every, n = 10*time.Millisecond, 500
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := range n {
		<-tick.C
		go send(rooms + i)
	}
	<-time.After(time.Second)
	watch.wait(b)
	<-time.After(500 * time.Millisecond)
	return p99(watch.took), float64(count.n.Load()-before) / float64(n)
}

// interrupts stops a voice in the middle of sentences.
func interrupts(b *testing.B) float64 {
	v := ways.NewVoice(clock.Real(), slog.New(slog.DiscardHandler), ways.Silent{}, nil, ways.NewConsole(io.Discard))
	var took []float64
	for range 100 {
		ctx, cancel := context.WithCancel(b.Context())
		silent := make(chan time.Time, 1)
		go func() {
			_, _ = v.Speak(ctx, dispatcher.Utterance{DeliveryID: "w/v", RoomID: "r", Text: "很长的一句话", Spoken: "很长的一句话", Length: time.Minute, SpeakByMs: clock.Real().NowMs() + 10_000})
			silent <- time.Now()
		}()
		<-time.After(2 * time.Millisecond)
		told := time.Now()
		cancel()
		took = append(took, float64((<-silent).Sub(told).Microseconds())/1000)
	}
	return p99(took)
}

// talker speaks until it is stopped, and says when that was.
type talker struct{ begun, silent chan time.Time }

func (*talker) Name() string { return "test" }

func (t *talker) Speak(ctx context.Context, _ dispatcher.Utterance) (dispatcher.Spoken, error) {
	t.begun <- time.Now()
	<-ctx.Done()
	t.silent <- time.Now()
	nowMs := clock.Real().NowMs()
	return dispatcher.Spoken{FirstAudioMs: nowMs - 1, EndMs: nowMs}, context.Cause(ctx)
}

// voiceStops stops rooms in the middle of a sentence, as `livehost voice stop --room` does.
func voiceStops(b *testing.B) float64 {
	s := newStage(b)
	s.clock = clock.Real()
	client := redis.NewClient(&redis.Options{Addr: s.redis.Addr()})
	defer client.Close()
	lever := redisvoice.New(client, s.Quiet)
	s.voices = lever
	voice := &talker{begun: make(chan time.Time), silent: make(chan time.Time)}
	defer s.runWith(dispatcher.Outlets{Voice: voice})()
	r := &rig{clock: s.clock}
	var took []float64
	for i := range 50 {
		room := event.RoomID(fmt.Sprint("stopped", i))
		reply := r.reply(fmt.Sprint("s", i), strings.Repeat("很长的一句话", 8), []string{fmt.Sprint("ds", i)}, func(e *event.Reply) { e.RoomID = room })
		if err := s.Publisher.Publish(b.Context(), reply); err != nil {
			b.Fatal(err)
		}
		<-voice.begun
		told := time.Now()
		if err := lever.Stop(b.Context(), dispatcher.Stop{Room: room, Reason: "measured"}); err != nil {
			b.Fatal(err)
		}
		took = append(took, float64((<-voice.silent).Sub(told).Microseconds())/1000)
	}
	return p99(took)
}
