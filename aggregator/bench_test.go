package aggregator_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"livehost/aggregator"
	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/event"
)

// encoding is a publisher that only encodes, and ends every danmaku of a window.
type encoding struct {
	t      testing.TB
	bytes  int
	closed []event.Event // what the other stages answer
}

func (p *encoding) Publish(_ context.Context, events ...event.Event) error {
	for _, e := range events {
		b, err := event.Encode(e)
		if err != nil {
			p.t.Fatal(err)
		}
		p.bytes += len(b)
		if w, ok := e.(event.Window); ok {
			p.closed = append(p.closed, answered(w)...)
		}
	}
	return nil
}

type emptyLog struct{}

func (emptyLog) Partitions(context.Context) (int32, error) { return 1, nil }
func (emptyLog) Read(context.Context, string, int32, int64, func(streams.Record) error) (int64, error) {
	return 0, nil
}
func (emptyLog) Follow(context.Context, []string, bool, func(streams.Record)) error { return nil }

// BenchmarkDanmaku is the whole work on one danmaku, decoding and encoding
// included, with a large snapshot, spread over many rooms.
func BenchmarkDanmaku(b *testing.B) {
	pub := &encoding{t: b}
	agg, err := aggregator.New(aggregator.DefaultConfig(), aggregator.Deps{
		Clock: clock.Real(), Publisher: pub, Reader: emptyLog{}, Assigner: halves{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := agg.Assigned(b.Context(), 0); err != nil {
		b.Fatal(err)
	}
	defer agg.Revoked(context.Background(), 0)
	const rooms = 200
	offset := int64(0)
	handle := func(e event.Event) {
		v, err := event.Encode(e)
		if err != nil {
			b.Fatal(err)
		}
		offset++
		agg.Handle(b.Context(), streams.Record{Topic: e.Topic(), Offset: offset, Key: e.Key(), Value: v, AppendTime: time.Now()}, func(error) {})
	}
	for i := range rooms {
		for u := range 3 {
			handle(event.RoomEvent{
				Schema: 1, EventID: fmt.Sprint(u), RoomID: event.RoomID(fmt.Sprint(i)), Kind: event.HostUtterance,
				TimeMs: time.Now().UnixMilli(), Text: strings.Repeat("今天这款真的很划算", 10),
			})
		}
	}
	texts := []string{"这个面膜敏感肌能用吗", "多少钱[玫瑰]", "洗面奶洗面奶洗面奶", "What size would you recommend", "太好看了👍👍", "加微信", "23号链接还有货吗", "哈哈哈哈", "@<USER>没了", "晚上好"}
	in := make([][]byte, 4096)
	keys := make([]event.RoomID, len(in))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		at := n % len(in)
		if at == 0 {
			b.StopTimer()
			for i := range in {
				keys[i] = event.RoomID(fmt.Sprint((n + i) % rooms))
				v, err := event.Encode(event.Danmaku{
					Schema: 1, DanmakuID: event.DanmakuID(fmt.Sprint("d", n+i)), RoomID: keys[i], ViewerID: event.ViewerID(fmt.Sprint("a", (n+i)%50000)),
					Text: texts[i%len(texts)], PlatformTimeMs: time.Now().UnixMilli(),
				})
				if err != nil {
					b.Fatal(err)
				}
				in[i] = v
			}
			b.StartTimer()
		}
		offset++
		agg.Handle(b.Context(), streams.Record{Topic: event.TopicDanmaku, Offset: offset, Key: keys[at], Value: in[at], AppendTime: time.Now()}, func(error) {})
		for len(pub.closed) > 0 {
			e := pub.closed[0]
			pub.closed = pub.closed[1:]
			handle(e)
		}
		n++
	}
}
