package dispatcher_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"livehost/dispatcher"
	"livehost/dispatcher/redisledger"
	"livehost/internal/clock"
	"livehost/internal/embedded/kafkaserver"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// stage is the dispatcher's real loop on an embedded broker and Redis.
type stage struct {
	t      testing.TB
	cfg    kafka.Config
	pub    *kafka.Publisher
	reader *kafka.Reader
	redis  *miniredis.Miniredis
	clock  *clock.Clock
	out    *outlet
	voices dispatcher.Switch // nil: never stopped
	log    *slog.Logger
}

func newStage(t testing.TB) *stage {
	t.Helper()
	c, err := clock.New(time.UnixMilli(t0), 20)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, clock: c, out: &outlet{clock: c}, redis: miniredis.RunT(t), log: slog.New(slog.DiscardHandler)}
	srv, err := kafkaserver.Start(kafkaserver.DefaultConfig(), s.log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	s.cfg = kafka.DefaultConfig()
	s.cfg.Brokers, s.cfg.DrainBudget, s.cfg.CommitInterval = srv.Addrs(), 2*time.Second, 20*time.Millisecond
	if _, err := kafka.Provision(t.Context(), s.cfg, topic.All(topic.DefaultPartitions)); err != nil {
		t.Fatal(err)
	}
	if s.pub, err = kafka.NewPublisher(s.cfg, s.log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.pub.Close)
	if s.reader, err = kafka.NewReader(s.cfg, s.log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.reader.Close)
	return s
}

// run starts the stage and returns what stops it.
func (s *stage) run() (stop func()) {
	s.t.Helper()
	return s.runWith(dispatcher.Outlets{Voice: s.out, Private: s.out})
}

func (s *stage) runWith(outlets dispatcher.Outlets, hooks ...redis.Hook) (stop func()) {
	s.t.Helper()
	client := redis.NewClient(&redis.Options{Addr: s.redis.Addr()})
	for _, h := range hooks {
		client.AddHook(h)
	}
	ledger, err := redisledger.New(redisledger.DefaultConfig(), client)
	if err != nil {
		s.t.Fatal(err)
	}
	d, err := dispatcher.New(dispatcher.DefaultConfig(), dispatcher.Deps{
		Clock: s.clock, Publisher: s.pub, Reader: s.reader, Ledger: ledger,
		Outlets: outlets, Switch: s.voices, Log: s.log,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	consumer, err := kafka.NewConsumer(s.cfg, d.Binding(), s.pub, s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- consumer.Run(ctx) }()
	go func() { done <- d.Run(ctx) }()
	return func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				s.t.Error(err)
			}
		}
		_ = client.Close()
	}
}

// outcomes reads outcome.v1 until it has n danmaku.
func (s *stage) outcomes(n int) map[event.DanmakuID][]string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	out := map[event.DanmakuID][]string{}
	err := s.reader.Follow(ctx, []string{event.TopicOutcome}, false, func(rec streams.Record) {
		o, err := event.Decode[event.Outcome](rec.Value)
		if err != nil {
			s.t.Error(err)
		}
		out[o.DanmakuID] = append(out[o.DanmakuID], string(o.State)+" "+o.Reason)
		if len(out) >= n {
			cancel()
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// The real loop over Kafka and Redis: stopped in the middle and started again with
// an empty Redis, every danmaku has one outcome and nobody hears two answers.
func TestKafkaRestart(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r := &rig{clock: s.clock}
	const rooms, perRoom = 6, 3
	stop := s.run()
	for i := range rooms * perRoom {
		room := event.RoomID(fmt.Sprint("room", i%rooms))
		e := r.reply(fmt.Sprint("w", i), "这件今天八十九元包邮", []string{fmt.Sprint("d", i)}, func(e *event.Reply) {
			e.RoomID, e.SpeakByMs = room, e.SpeakByMs+600_000 // a restart takes long at speed 20
			e.Members[0].SpeakByMs += 600_000
		})
		if err := s.pub.Publish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	s.outcomes(rooms) // the first sentence of some rooms
	stop()
	s.redis.FlushAll()
	defer s.run()()
	for id, states := range s.outcomes(rooms * perRoom) {
		if len(states) != 1 || states[0] != "answered spoken" && states[0] != "failed interrupted" {
			t.Errorf("%s ended as %v", id, states)
		}
	}
	if n := len(s.out.said); n != rooms*perRoom {
		t.Errorf("%d sentences were begun for %d danmaku", n, rooms*perRoom)
	}
}
