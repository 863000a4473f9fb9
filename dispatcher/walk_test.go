package dispatcher_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"livehost/dispatcher"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// fragile is a ledger whose server goes and comes back.
type fragile struct {
	dispatcher.Ledger
	down atomic.Bool
}

func (f *fragile) Acquire(ctx context.Context, room event.RoomID) (int64, error) {
	if f.down.Load() {
		return 0, errAway
	}
	return f.Ledger.Acquire(ctx, room)
}

func (f *fragile) Begin(ctx context.Context, c dispatcher.Claim) (dispatcher.Grant, error) {
	if f.down.Load() {
		return dispatcher.Grant{}, errAway
	}
	return f.Ledger.Begin(ctx, c)
}

func (f *fragile) Finish(ctx context.Context, c dispatcher.Claim, s dispatcher.ClaimState) error {
	if f.down.Load() {
		return errAway
	}
	return f.Ledger.Finish(ctx, c, s)
}

// TestLedgerComesBack: without the ledger nothing is said that could be a repeat, and private
// text waits within its deadline.
func TestLedgerComesBack(t *testing.T) {
	t.Parallel()
	scene := func(t *testing.T, r *rig, away time.Duration) {
		ledger := &fragile{Ledger: r.ledger}
		r.stop()
		r.ledger = ledger
		r.start()
		r.limits(func(*event.RoomSettings) {})
		ledger.down.Store(true)
		r.in(r.reply("w1", "", []string{"a"}, privately("a", "您的订单已发货")))
		r.in(r.reply("w2", "今天89元", []string{"b"}, func(e *event.Reply) { e.Members[0].ViewerID = "0" })) // anonymous: aloud or not at all
		wait(away - time.Second)
		r.wantSaid()
		r.wantSent()
		wait(time.Second)
		ledger.down.Store(false)
		wait(10 * time.Second)
	}
	bubble(t, "in time", func(t *testing.T, r *rig) {
		scene(t, r, 12*time.Second)
		r.wantSent("u-a: 您的订单已发货")
		r.wantSaid("今天89元")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered private_text", "b": "answered spoken"})
	})
	bubble(t, "too late", func(t *testing.T, r *rig) {
		scene(t, r, 25*time.Second)
		r.wantSent()
		r.wantSaid()
		r.wantOutcomes(map[event.DanmakuID]string{"a": "expired late", "b": "failed ledger_unavailable"})
	})
}

// TestFactsChangeWhileQueued: what is not for sale any more, or sold out, or stated with a
// number that moved, is not said; it goes back to be asked again, or ends with its reason.
func TestFactsChangeWhileQueued(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fact   event.Fact
		text   string
		change event.RoomEvent
		stale  bool

		seconds bool // how the platform writes its times
	}{
		"delisted":                 {event.Fact{Kind: "price", LinkID: "3", Value: "8900"}, "三号89元", event.RoomEvent{Kind: event.ProductDelisted, LinkID: "3"}, true, false},
		"delisted, in seconds":     {event.Fact{Kind: "price", LinkID: "3", Value: "8900"}, "三号89元", event.RoomEvent{Kind: event.ProductDelisted, LinkID: "3"}, true, true},
		"delisted by product":      {event.Fact{Kind: "promotion", ProductID: "p3", Value: "满减"}, "三号有满减", event.RoomEvent{Kind: event.ProductDelisted, ProductID: "p3"}, true, false},
		"another one delisted":     {event.Fact{Kind: "price", LinkID: "3", Value: "8900"}, "三号89元", event.RoomEvent{Kind: event.ProductDelisted, LinkID: "4"}, false, false},
		"sold out":                 {event.Fact{Kind: "stock", LinkID: "3", Value: "12"}, "三号有货", event.RoomEvent{Kind: event.ProductChanged, LinkID: "3", Stock: fen(0)}, true, false},
		"back in stock":            {event.Fact{Kind: "stock", LinkID: "3", Value: "0"}, "三号没货了", event.RoomEvent{Kind: event.ProductChanged, LinkID: "3", Stock: fen(5)}, true, false},
		"a stated number moved":    {event.Fact{Kind: "stock", LinkID: "3", Value: "12"}, "三号还有12件", event.RoomEvent{Kind: event.ProductChanged, LinkID: "3", Stock: fen(11)}, true, false},
		"an unstated number moved": {event.Fact{Kind: "stock", LinkID: "3", Value: "12"}, "三号有货", event.RoomEvent{Kind: event.ProductChanged, LinkID: "3", Stock: fen(11)}, false, false},
		"the same price again":     {event.Fact{Kind: "price", LinkID: "3", Value: "8900"}, "三号89元", event.RoomEvent{Kind: event.ProductChanged, LinkID: "3", PriceFen: fen(8900)}, false, false},
	} {
		bubble(t, name, func(t *testing.T, r *rig) {
			r.in(r.reply("w0", "正在说一句比较长的话", []string{"z"}))
			synctest.Wait()
			r.in(r.reply("w1", tt.text, []string{"a", "b"}, func(e *event.Reply) {
				e.Facts = []event.Fact{tt.fact}
				e.Members[1].AnswerByMs = r.clock.NowMs() - 1 // too late to be asked again
			}))
			tt.change.Schema, tt.change.EventID, tt.change.RoomID, tt.change.TimeMs = 1, "c", "r", r.clock.NowMs()
			if tt.seconds {
				tt.change.TimeMs = r.clock.NowMs()/1000 + 1
			}
			r.in(tt.change)
			wait(10 * time.Second)
			if !tt.stale {
				r.wantSaid("正在说一句比较长的话", tt.text)
				return
			}
			r.wantSaid("正在说一句比较长的话")
			r.wantOutcomes(map[event.DanmakuID]string{"z": "answered spoken", "b": "expired stale_fact"})
			r.wantAcked("w0", "w1")
			dls := r.deliveryRecords()
			back := dls[slices.IndexFunc(dls, func(dl event.Delivery) bool { return dl.ReplyID == "w1" })]
			if back.State != event.DeliveryCancelled || !back.StaleFact || back.Reason != "stale_fact" || len(back.DanmakuIDs) != 1 || back.DanmakuIDs[0] != "a" {
				t.Errorf("handed back %+v", back)
			}
		})
	}
}

// TestLowClassMakesWay: a purchase overtakes what waits, in the order of classes, and what it
// pushes beyond its time is written or given up with a reason, never said late.
func TestLowClassMakesWay(t *testing.T) {
	t.Parallel()
	bubble(t, "chat waits for purchases", func(t *testing.T, r *rig) {
		r.open(false)
		r.in(r.reply("w0", strings.Repeat("说", 18), []string{"z"}))
		synctest.Wait()
		r.in(r.reply("w1", strings.Repeat("聊", 9), []string{"a"}, class(event.ClassChat)))
		for _, id := range []string{"b", "c", "d", "e"} {
			r.in(r.reply("w"+id, strings.Repeat("买", 18)+id, []string{id}, class(event.ClassPurchase)))
		}
		wait(40 * time.Second)
		for _, said := range r.out.said {
			if strings.HasPrefix(said, "聊") {
				t.Errorf("chat was said before its turn: %q", r.out.said)
			}
		}
		if got := r.outcomes()["a"]; got != "expired late" {
			t.Errorf("chat ended as %q", got)
		}
	})
}

// TestClocksThatDiffer: a lease is the ledger's and each owner's own clock's: that the clocks
// of two dispatchers are five seconds apart lets no voices overlap and nothing be said twice.
func TestClocksThatDiffer(t *testing.T) {
	t.Parallel()
	for name, skew := range map[string]time.Duration{"ahead": 5 * time.Second, "behind": -5 * time.Second} {
		bubble(t, name, func(t *testing.T, r *rig) {
			r.open(false)
			first := strings.Repeat("长", 20)
			r.in(r.reply("w1", first, []string{"a"}))
			wait(time.Second)
			old := r.d
			c, err := clock.New(r.clock.Now().Add(skew), 1)
			if err != nil {
				t.Fatal(err)
			}
			r.clock = c
			r.start()
			r.hand(r.inputs[1])
			r.in(r.reply("w2", "第二句", []string{"b"}))
			wait(20 * time.Second)
			r.wantSaid(first, "第二句")
			if got := r.outcomes()["b"]; got != "answered spoken" {
				t.Errorf("b: %s", got)
			}
			old.Revoked(t.Context(), 0)
		})
	}
}
