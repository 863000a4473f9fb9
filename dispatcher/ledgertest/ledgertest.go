package ledgertest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"livehost/dispatcher"
	"livehost/internal/testkit"
	"livehost/streams/event"
)

// Run tests the ledger that open makes; each call must give an empty one.
func Run(t *testing.T, open func(t *testing.T) dispatcher.Ledger) {
	t.Run("claims", func(t *testing.T) { claims(t, open(t)) })
	t.Run("fences", func(t *testing.T) { fences(t, open(t)) })
	t.Run("fences rise when the ledger has forgotten", func(t *testing.T) {
		before := acquire(t, open(t), "r")
		for now := time.Now().UnixMicro(); time.Now().UnixMicro() == now; { // no time passes in between otherwise
		}
		after := acquire(t, open(t), "r")
		if after <= before {
			t.Errorf("the fence went from %d to %d: receivers remember the first", before, after)
		}
	})
	t.Run("leases", func(t *testing.T) { leases(t, open(t)) })
	t.Run("one winner", func(t *testing.T) { oneWinner(t, open(t)) })
}

func claim(delivery string, fence int64, danmaku ...event.DanmakuID) dispatcher.Claim {
	return dispatcher.Claim{Room: "房间{1}", Channel: "console", Delivery: event.DeliveryID(delivery), Danmaku: danmaku, Fence: fence}
}

func begin(t *testing.T, l dispatcher.Ledger, c dispatcher.Claim) dispatcher.Grant {
	t.Helper()
	g, err := l.Begin(t.Context(), c)
	if err != nil {
		t.Fatalf("Begin(%+v): %v", c, err)
	}
	return g
}

func finish(t *testing.T, l dispatcher.Ledger, c dispatcher.Claim, s dispatcher.ClaimState) {
	t.Helper()
	if err := l.Finish(t.Context(), c, s); err != nil {
		t.Fatalf("Finish(%+v, %s): %v", c, s, err)
	}
}

func want(t *testing.T, what string, got, want dispatcher.Grant) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

type list = []event.DanmakuID

func claims(t *testing.T, l dispatcher.Ledger) {
	first := claim("w1/console", 1, "a|b", "9223372036854775807")
	want(t, "first", begin(t, l, first), dispatcher.Grant{Granted: first.Danmaku})
	want(t, "the same claim again", begin(t, l, first), dispatcher.Grant{Granted: first.Danmaku})
	want(t, "another delivery", begin(t, l, claim("w2/console", 1, "a|b", "c")), dispatcher.Grant{Unknown: list{"a|b"}, Granted: list{"c"}})
	want(t, "another owner", begin(t, l, claim("w1/console", 2, "a|b")), dispatcher.Grant{Unknown: list{"a|b"}})
	finish(t, l, first, dispatcher.ClaimSpoken)
	want(t, "spoken", begin(t, l, first), dispatcher.Grant{Done: first.Danmaku})
	finish(t, l, claim("w2/console", 1, "c"), dispatcher.ClaimReleased)
	want(t, "released", begin(t, l, claim("w3/console", 1, "c")), dispatcher.Grant{Granted: list{"c"}})
	finish(t, l, claim("w3/console", 1, "c"), dispatcher.ClaimSkipped)
	want(t, "skipped", begin(t, l, claim("w4/console", 9, "a|b", "c")), dispatcher.Grant{Done: list{"a|b"}, Skipped: list{"c"}})
	want(t, "skipped, by whom it was", begin(t, l, claim("w3/console", 1, "c")), dispatcher.Grant{Skipped: list{"c"}})
	finish(t, l, claim("w5/console", 0, "d"), dispatcher.ClaimSent) // from the log, without a claim
	want(t, "from the log", begin(t, l, claim("w6/console", 1, "d", "e")), dispatcher.Grant{Done: list{"d"}, Granted: list{"e"}})
	finish(t, l, claim("w4/console", 9, "c"), dispatcher.ClaimSent)
	want(t, "done after all", begin(t, l, claim("w5/console", 9, "c")), dispatcher.Grant{Done: list{"c"}})
	elsewhere := first
	elsewhere.Channel = dispatcher.ChannelPrivate
	want(t, "another channel", begin(t, l, elsewhere), dispatcher.Grant{Granted: first.Danmaku})
	for _, room := range []event.RoomID{"other", "房间{1", "房间{1%7D", "房间{1%257D", "房间{1}:fence"} {
		elsewhere.Room = room
		want(t, "another room", begin(t, l, elsewhere), dispatcher.Grant{Granted: first.Danmaku})
	}
}

func acquire(t *testing.T, l dispatcher.Ledger, room event.RoomID) int64 {
	t.Helper()
	f, err := l.Acquire(t.Context(), room)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func fences(t *testing.T, l dispatcher.Ledger) {
	room := claim("", 0).Room
	old := acquire(t, l, room)
	begin(t, l, claim("w1", old, "a"))
	acquire(t, l, "other")
	want(t, "another room is acquired", begin(t, l, claim("w1", old, "a")), dispatcher.Grant{Granted: list{"a"}})
	next := acquire(t, l, room)
	if next <= old {
		t.Errorf("fence went from %d to %d", old, next)
	}
	if _, err := l.Begin(t.Context(), claim("w2", old, "b")); !errors.Is(err, dispatcher.ErrFenced) {
		t.Errorf("the old owner's claim: %v, want ErrFenced", err)
	}
	want(t, "after the refused claim", begin(t, l, claim("w3", next, "b")), dispatcher.Grant{Granted: list{"b"}})
	finish(t, l, claim("w1", old, "a"), dispatcher.ClaimSpoken) // what was heard is a fact, whoever says so
	want(t, "the old owner's end", begin(t, l, claim("w4", next, "a")), dispatcher.Grant{Done: list{"a"}})
}

// leases: a new owner gets the voice when the old one's sentence is over, or its lease.
func leases(t *testing.T, l dispatcher.Ledger) {
	leased := func(delivery string, fence int64, lease time.Duration, danmaku ...event.DanmakuID) dispatcher.Claim {
		c := claim(delivery, fence, danmaku...)
		c.Lease = lease
		return c
	}
	first := leased("w1", 1, time.Hour, "a")
	want(t, "speech", begin(t, l, first), dispatcher.Grant{Granted: list{"a"}})
	want(t, "the same owner's next", begin(t, l, leased("w2", 1, time.Hour, "b")), dispatcher.Grant{Granted: list{"b"}})
	finish(t, l, first, dispatcher.ClaimSpoken)
	if _, err := l.Begin(t.Context(), leased("w3", 2, time.Hour, "c")); !errors.Is(err, dispatcher.ErrVoiceHeld) {
		t.Errorf("a new owner while the old one speaks: %v, want ErrVoiceHeld", err)
	}
	want(t, "private text needs no voice", begin(t, l, claim("w4", 2, "d")), dispatcher.Grant{Granted: list{"d"}})
	finish(t, l, leased("w2", 1, 0, "b"), dispatcher.ClaimSpoken)
	want(t, "the sentence is over", begin(t, l, leased("w3", 2, time.Millisecond, "c")), dispatcher.Grant{Granted: list{"c"}})
	finish(t, l, leased("w2", 1, 0, "b"), dispatcher.ClaimSpoken) // once more, and not the new owner's lease
	fresh := leased("w5", 3, time.Hour)
	testkit.Eventually(t, "the lease ends", func() bool {
		_, err := l.Begin(t.Context(), fresh)
		if err != nil && !errors.Is(err, dispatcher.ErrVoiceHeld) {
			t.Fatalf("after the lease: %v", err)
		}
		return err == nil
	})
	want(t, "an event window claims no danmaku", begin(t, l, fresh), dispatcher.Grant{})
}

func oneWinner(t *testing.T, l dispatcher.Ledger) {
	var all sync.WaitGroup
	granted := make([]int, 8)
	for i := range granted {
		all.Go(func() {
			for n := range 20 {
				g, err := l.Begin(t.Context(), claim(fmt.Sprint("owner", i), 1, event.DanmakuID(fmt.Sprint("d", n))))
				if err != nil {
					t.Error(err)
				}
				granted[i] += len(g.Granted)
			}
		})
	}
	all.Wait()
	sum := 0
	for _, n := range granted {
		sum += n
	}
	if sum != 20 {
		t.Errorf("20 danmaku were granted %d times", sum)
	}
}
