package demo_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"livehost/internal/demo"
	"livehost/streams/event"
	"livehost/streams/streamstest"
)

var update = flag.Bool("update", false, "write the golden files")

// evening is a little of everything that can be told.
func evening() []event.Event {
	at := func(s int64) int64 { return epoch.UnixMilli() + s*1000 }
	price, stock := int64(7900), int64(0)
	room := func(kind event.RoomEventKind, id string, s int64) event.RoomEvent {
		return event.RoomEvent{Schema: 1, EventID: id, RoomID: "r-1", Kind: kind, TimeMs: at(s)}
	}
	opened := room(event.RoomOpened, "e-1", 0)
	opened.Settings = &event.RoomSettings{Language: "zh"}
	focus := room(event.ProductInFocus, "e-2", 1)
	focus.LinkID = "3"
	cheaper := room(event.ProductChanged, "e-3", 2)
	cheaper.LinkID, cheaper.PriceFen = "3", &price
	sold := room(event.ProductChanged, "e-4", 2)
	sold.LinkID, sold.Stock = "3", &stock
	gift := room(event.Gift, "e-5", 3)
	gift.ViewerName, gift.GiftName, gift.Count = "大哥", "玫瑰", 3
	utterance := room(event.HostUtterance, "e-6", 3)
	utterance.Text = "看这里"
	retracted := room(event.DanmakuRetracted, "e-7", 4)
	retracted.DanmakuID = "d-3"
	say := func(id, name, text string, s int64) event.Danmaku {
		return event.Danmaku{Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: "r-1", ViewerID: "u-" + event.ViewerID(id), ViewerName: name, Text: text, PlatformTimeMs: at(s)}
	}
	host := say("d-9", "助播", "三号有货的", 4)
	host.Host = true
	masked := say("d-8", "", "\x1b[31m红\u202e\n色", 4)
	masked.ViewerID = "0"
	versions := event.Versions{Release: "harness"}
	window := event.Window{Schema: 1, WindowID: "w-1", RoomID: "r-1", Kind: event.DanmakuWindow, Mode: event.Multi, Variant: "harness", AnswerByMs: at(18), OpenedMs: at(4),
		Members: []event.Member{{DanmakuID: "d-1", Text: "多少钱"}, {DanmakuID: "d-2", Text: "有货吗"}}}
	thanks := event.Window{Schema: 1, WindowID: "w-2", RoomID: "r-1", Kind: event.EventWindow, Variant: "harness", AnswerByMs: at(18), OpenedMs: at(5), Event: &gift}
	reply := event.Reply{Schema: 1, ReplyID: "w-1", RunID: "w-1#1", RoomID: "r-1", Variant: "harness", AnswerByMs: at(18), CreatedMs: at(7), Versions: versions, Fallback: "conservative",
		Public: &event.PublicReply{Text: "三号79元"}, Private: []event.PrivateReply{{DanmakuID: "d-2", Text: "有货"}}, Timing: event.Timing{RunMs: 3100}}
	spoken := event.Delivery{Schema: 1, DeliveryID: "v-1", ReplyID: "w-1", RoomID: "r-1", Channel: event.Public, State: event.DeliveryStarted, Text: "三号七十九元", TimeMs: at(8)}
	ended := spoken
	ended.State, ended.FirstAudioMs, ended.EndMs, ended.TimeMs = event.DeliveryEnded, at(8), at(10), at(10)
	private := event.Delivery{Schema: 1, DeliveryID: "v-2", ReplyID: "w-1", RoomID: "r-1", Channel: event.Private, State: event.DeliverySent, Text: "有货", ViewerID: "u-d-2", TimeMs: at(8)}
	skipped := event.Delivery{Schema: 1, DeliveryID: "v-3", ReplyID: "w-3", RoomID: "r-1", Channel: event.Public, State: event.DeliverySkipped, Text: "七十九", Reason: "heard_other_variant", TimeMs: at(9)}
	ends := func(id string, state event.State, reason string) event.Outcome {
		return event.Outcome{Schema: 1, DanmakuID: event.DanmakuID(id), RoomID: "r-1", State: state, Reason: reason, By: "aggregator", TimeMs: at(70)}
	}
	hit := event.GuardrailHit{Schema: 1, HitID: "h-1", RoomID: "r-1", Rule: "contact_bait", Version: "1", Stage: "aggregator", Span: "加V", Action: "filter", TimeMs: at(6)}
	order := event.Order{Schema: 1, OrderID: "o-1", Seq: 1, RoomID: "r-1", Status: event.OrderPaid, AmountFen: 7900, ViewerID: "u-d-1", LinkID: "3", TimeMs: at(11)}
	return []event.Event{
		opened, focus, cheaper, sold, gift, utterance, say("d-1", "小雨", "多少钱", 3), say("d-2", "一个名字特别特别长的观众", "有货吗", 3), say("d-3", "阿明", "撤回我", 3),
		say("d-3", "阿明", "撤回我", 3), masked, host, retracted, hit, window, thanks, reply, spoken, private, skipped, ended,
		ends("d-1", event.Answered, "spoken"), ends("d-2", event.Merged, "same_question"), ends("d-3", event.Retracted, "retracted"), ends("d-3", event.Retracted, "retracted"),
		ends("d-8", event.Suppressed, "unsupported_claims"), order, room(event.RoomClosed, "e-8", 80),
	}
}

func TestPrinter(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "zh"} {
		var log streamstest.Log
		if err := log.Publish(t.Context(), evening()...); err != nil {
			t.Fatal(err)
		}
		log.Append(event.TopicReply, "r-1", []byte("{"))
		var b strings.Builder
		p := demo.NewPrinter(demo.PrinterConfig{Epoch: epoch, Language: language}, &b)
		for _, r := range log.Records() {
			p.Print(r)
		}
		path := filepath.Join("testdata", "printer."+language+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

func TestPrinterFollows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		cfg  demo.PrinterConfig
		want int
	}{{"all", demo.PrinterConfig{}, 2}, {"from the end", demo.PrinterConfig{FromEnd: true}, 1}, {"quiet", demo.PrinterConfig{Quiet: true}, 0}} {
		synctest.Test(t, func(t *testing.T) {
			var log streamstest.Log
			var b strings.Builder
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if err := log.Publish(ctx, danmaku(0, "before").Event); err != nil {
				t.Fatal(err)
			}
			done := make(chan error)
			go func() { done <- demo.NewPrinter(tt.cfg, &b).Run(ctx, &log) }()
			synctest.Wait()
			if err := log.Publish(ctx, danmaku(0, "after").Event); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			stop()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if got := strings.Count(b.String(), "\n"); got != tt.want {
				t.Errorf("%s: %d lines, want %d:\n%s", tt.name, got, tt.want, b.String())
			}
		})
	}
}

// TestEveryReasonIsExplained compares the table with the stages' lists of reasons,
// which are constants named reason… or of type Reason.
func TestEveryReasonIsExplained(t *testing.T) {
	t.Parallel()
	constant := regexp.MustCompile(`(?m)^\s+(?:[rR]eason\w+\s*=|\w+\s+Reason\s*=)\s*"(\w+)"`)
	found := 0
	for _, pattern := range []string{"../../aggregator/*.go", "../../aggregator/filter/*.go", "../../dispatcher/*.go", "../../agentworker/runner/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range constant.FindAllStringSubmatch(string(source), -1) {
				found++
				if !demo.Explains(m[1]) {
					t.Errorf("%s: reason %s has no words in words.go", file, m[1])
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d reasons found; the stages' lists have moved", found)
	}
}
