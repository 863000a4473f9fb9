package dispatcher_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"livehost/dispatcher"
	"livehost/dispatcher/redisledger"
	"livehost/internal/clock"
	"livehost/streams/event"
	"livehost/streams/kafka/kafkatest"
)

// stage is the dispatcher's real loop on an embedded broker and Redis.
type stage struct {
	*kafkatest.Log
	t      testing.TB
	redis  *miniredis.Miniredis
	clock  *clock.Clock
	out    *outlet
	voices dispatcher.Switch // nil: never stopped
}

func newStage(t testing.TB) *stage {
	t.Helper()
	c, err := clock.New(time.UnixMilli(t0), 20)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{Log: kafkatest.Open(t, 2*time.Second), t: t, clock: c, out: &outlet{clock: c}, redis: miniredis.RunT(t)}
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
		Clock: s.clock, Publisher: s.Publisher, Reader: s.Reader, Ledger: ledger,
		Outlets: outlets, Switch: s.voices, Log: s.Quiet,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	end := s.Run(s.t, d.Binding(), d.Run)
	return func() {
		end()
		_ = client.Close()
	}
}

// outcomes reads outcome.v1 until it has n danmaku.
func (s *stage) outcomes(n int) map[event.DanmakuID][]string {
	s.t.Helper()
	out := map[event.DanmakuID][]string{}
	kafkatest.Await(s.t, s.Log, func(list []event.Outcome) bool {
		o := list[len(list)-1]
		out[o.DanmakuID] = append(out[o.DanmakuID], string(o.State)+" "+o.Reason)
		return len(out) >= n
	})
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
		e := r.reply(fmt.Sprint("w", i), fmt.Sprintf("这件今天%d元包邮", 80+i/rooms), []string{fmt.Sprint("d", i)}, func(e *event.Reply) {
			e.RoomID, e.SpeakByMs = room, e.SpeakByMs+600_000 // a restart takes long at speed 20
			e.Members[0].SpeakByMs += 600_000
		})
		if err := s.Publisher.Publish(t.Context(), e); err != nil {
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
