package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"livehost/eval/audit"
	"livehost/eval/roomscript"
	"livehost/internal/clock"
	"livehost/internal/demo"
	"livehost/internal/testkit"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/source"
)

// A room script plays through stages in processes of their own, on real Kafka and
// Redis, and what it expects comes true.
func TestRoomScriptOnRealServers(t *testing.T) {
	brokers, redis := testkit.RealServer(t, testkit.KafkaBrokers), testkit.RealServer(t, testkit.RedisAddr)
	livehost := os.Getenv("LIVEHOST")
	if livehost == "" {
		testkit.Missing(t, "LIVEHOST does not name the binary")
	}
	r := &rig{options: options{livehost: livehost}, dir: t.TempDir(), redis: redis, store: os.Getenv("TEST_CLICKHOUSE_DSN"), stages: map[string]*stage{}}
	r.kafka = kafka.DefaultConfig()
	r.kafka.Brokers = strings.Split(brokers, ",")
	t.Cleanup(func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			for name, s := range r.stages {
				b, _ := os.ReadFile(s.log)
				t.Logf("%s:\n%s", name, b)
			}
		}
	})
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	room, err := demo.OpenRoom(demo.RoomOptions{File: "../../internal/demo/rooms/first-answer.room.txtar"})
	if err != nil {
		t.Fatal(err)
	}
	x := &trial{rig: r, prefix: fmt.Sprintf("script%d", time.Now().UnixMilli()), result: &result{}}
	warm(t, r)
	epoch := time.Now().Add(time.Second)
	items := room.Items(epoch, r.catalog)
	for i := range items {
		items[i].Event = inRoom(items[i].Event, event.RoomID(x.prefix+"-0"))
	}
	for i := range room.Script.Expects { // danmaku ids are the platform's, unique over rooms
		room.Script.Expects[i].ID = string(idIn(event.RoomID(x.prefix+"-0"), event.DanmakuID(room.Script.Expects[i].ID)))
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
	s := audit.Summarize(l, audit.Options{Slots: policyReplicas * policySlots})
	if bad := s.Unaccounted + s.Conflicts + s.AnsweredTwice + s.LateSpoken + s.Overlaps; s.Accepted == 0 || bad > 0 {
		t.Errorf("accepted %d, findings %v", s.Accepted, s.Findings)
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
			if err := sleep(t.Context(), 250*time.Millisecond); err != nil {
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
		return e
	case event.RoomEvent:
		e.RoomID = room
		return e
	case event.Order:
		e.RoomID = room
		return e
	default:
		return e
	}
}
