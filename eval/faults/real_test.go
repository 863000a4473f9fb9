package main

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"livehost/eval/process"
	"livehost/eval/roomscript"
	"livehost/internal/clock"
	"livehost/internal/demo"
	"livehost/internal/testkit"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/source"
)

// Room scripts play through stages in processes of their own, on real Kafka and
// Redis, and what they expect comes true: the first answer, and the flash sale up to
// the end of its burst, its spam, its flood and its change of price.
func TestRoomScriptOnRealServers(t *testing.T) {
	brokers, redis := testkit.RealServer(t, testkit.KafkaBrokers), testkit.RealServer(t, testkit.RedisAddr)
	livehost := os.Getenv("LIVEHOST")
	if livehost == "" {
		testkit.Missing(t, "LIVEHOST does not name the binary")
	}
	r := &rig{options: options{livehost: livehost}, dir: t.TempDir(), redis: redis, store: os.Getenv("TEST_CLICKHOUSE_DSN"), stages: map[string]*process.Process{}}
	r.kafka = kafka.DefaultConfig()
	r.kafka.Brokers = strings.Split(brokers, ",")
	t.Cleanup(func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			for name, s := range r.stages {
				b, _ := os.ReadFile(s.Log)
				t.Logf("%s:\n%s", name, b)
			}
		}
	})
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	warm(t, r)
	for _, play := range []struct {
		name   string
		length time.Duration // what comes later is not played
	}{
		{"first-answer", 30 * time.Second},
		{"flash-sale", 175 * time.Second},
	} {
		t.Run(play.name, func(t *testing.T) { r.play(t, play.name, play.length) })
	}
}

// play plays a room of the demo and judges the log.
func (r *rig) play(t *testing.T, name string, length time.Duration) {
	room, err := demo.OpenRoom(demo.RoomOptions{File: "../../internal/demo/rooms/" + name + ".room.txtar"})
	if err != nil {
		t.Fatal(err)
	}
	x := &trial{rig: r, prefix: fmt.Sprintf("%s%d", name, time.Now().UnixMilli()), result: &result{}}
	id := event.RoomID(x.prefix + "-0")
	epoch := time.Now().Add(time.Second)
	items := room.Items(epoch, r.catalog)
	items = slices.DeleteFunc(items, func(it source.Item) bool { return it.At > length })
	played := make(map[string]bool)
	for i := range items {
		items[i].Event = inRoom(items[i].Event, id)
		if d, ok := items[i].Event.(event.Danmaku); ok {
			played[string(d.DanmakuID)] = true
		}
	}
	moveExpects(room.Script, id, played)
	if len(room.Script.Expects) == 0 {
		t.Fatal("nothing is expected of the room")
	}
	player := demo.NewPlayer(epoch, items, demo.PlayerDeps{
		Publisher: r.pub, Reader: noPast{r.reader}, Clock: clock.Real(), Log: slog.New(slog.DiscardHandler), Control: func(source.Control) {},
	})
	if err := player.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	none := make(chan time.Duration, 1)
	none <- 0
	if err := x.settle(t.Context(), none); err != nil {
		t.Fatal(err)
	}
	l := r.journal.log(x.prefix)
	for _, f := range roomscript.Check(room.Script, l) {
		t.Error(f)
	}
	x.result.judge(l, policyReplicas*policySlots)
	x.result.Injected = 1 // nothing goes wrong here
	if !x.result.good() {
		t.Errorf("%+v", x.result)
	}
	t.Logf("%d expectations, accepted %d, outcomes %v", len(room.Script.Expects), x.result.Accepted, x.result.Outcomes)
}

// moveExpects lets the script expect what it does of danmaku that were moved to
// another room, and nothing of those that were not played.
func moveExpects(s *roomscript.Script, room event.RoomID, played map[string]bool) {
	for i := range s.Actions {
		if id := s.Actions[i].ID; id != "" {
			s.Actions[i].ID = string(idIn(room, event.DanmakuID(id)))
		}
	}
	s.Expects = slices.DeleteFunc(s.Expects, func(e roomscript.Expect) bool {
		if e.ID == "" {
			return false
		}
		prefix, many := strings.CutSuffix(string(idIn(room, event.DanmakuID(e.ID))), "*")
		for id := range played {
			if id == prefix || many && strings.HasPrefix(id, prefix) {
				return false
			}
		}
		return true
	})
	for i := range s.Expects {
		if id := s.Expects[i].ID; id != "" {
			s.Expects[i].ID = string(idIn(room, event.DanmakuID(id)))
		}
	}
}

// warm returns when the stages have their partitions and are through with what
// other tests left in the log: when a danmaku gets its answer.
func warm(t *testing.T, r *rig) {
	t.Helper()
	prefix := fmt.Sprintf("warm%d", time.Now().UnixMilli())
	room := source.Room{ID: event.RoomID(prefix + "-0"), Broadcast: "b", Source: "test", Settings: event.RoomSettings{Language: "zh", PrivateText: true}}
	for _, p := range r.catalog.Products {
		room.Links = append(room.Links, source.Link{ID: p.LinkID, Product: p.ProductID})
	}
	for _, it := range room.Open(time.Now()) {
		if err := r.pub.Publish(t.Context(), it.Event); err != nil {
			t.Fatal(err)
		}
	}
	for n, deadline := 0, time.Now().Add(3*time.Minute); time.Now().Before(deadline); n++ {
		d := event.Danmaku{
			Schema: event.SchemaVersion, DanmakuID: event.DanmakuID(fmt.Sprintf("%s-%d", prefix, n)), RoomID: room.ID, BroadcastID: room.Broadcast,
			Source: room.Source, ViewerID: event.ViewerID(fmt.Sprint("v", n)), Text: fmt.Sprintf("%d号链接多少钱", n%3+1), PlatformTimeMs: time.Now().UnixMilli(),
		}
		if err := r.pub.Publish(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if err := clock.WallSleep(t.Context(), 250*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			for _, o := range r.journal.log(prefix).Outcomes {
				if o.V.State == event.Answered {
					return
				}
			}
		}
	}
	t.Fatal("no danmaku got an answer in three minutes")
}

func idIn(room event.RoomID, id event.DanmakuID) event.DanmakuID {
	return event.DanmakuID(room) + "-" + id
}

// inRoom moves an event to another room.
func inRoom(e event.Event, room event.RoomID) event.Event {
	switch e := e.(type) {
	case event.Danmaku:
		e.RoomID, e.DanmakuID = room, idIn(room, e.DanmakuID)
		if e.ReplyTo != "" {
			e.ReplyTo = idIn(room, e.ReplyTo)
		}
		return e
	case event.RoomEvent:
		e.RoomID = room
		if e.DanmakuID != "" {
			e.DanmakuID = idIn(room, e.DanmakuID)
		}
		return e
	case event.Order:
		e.RoomID = room
		return e
	default:
		return e
	}
}
