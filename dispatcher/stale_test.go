package dispatcher_test

import (
	"testing"
	"testing/synctest"
	"time"

	"livehost/streams/event"
)

// costs is a room event that link 3 costs something else now.
func (r *rig) costs(fen int64, edit ...func(*event.RoomEvent)) {
	e := event.RoomEvent{Schema: 1, EventID: "p", RoomID: "r", Kind: event.ProductChanged, LinkID: "3", PriceFen: &fen, TimeMs: r.clock.NowMs()}
	for _, f := range edit {
		f(&e)
	}
	r.in(e)
}

// quick is a run of half a second.
func quick(e *event.Reply) { e.Timing.RunMs = 500 }

// TestPlatformClock: since when a price is another is told by our clock, whatever the
// platform's says, after a restart too.
func TestPlatformClock(t *testing.T) {
	t.Parallel()
	for name, off := range map[string]time.Duration{"behind": -3 * time.Second, "hours behind": -8 * time.Hour, "right": 0, "ahead": 3 * time.Second, "hours ahead": 8 * time.Hour} {
		for _, restart := range []bool{false, true} {
			bubble(t, name, func(t *testing.T, r *rig) {
				platform := func(e *event.RoomEvent) { e.TimeMs += off.Milliseconds() }
				r.open(false)
				r.in(r.reply("w0", "正在说别的事情哦请稍等一下，马上就来说三号链接", []string{"z"}))
				synctest.Wait()
				before := r.reply("w1", "三号89元", []string{"a"}, price("3", "8900"), quick)
				r.in(before)
				wait(time.Second)
				r.costs(7900, platform)
				wait(time.Second)
				if restart {
					r.stop()
					r.restart()
				}
				r.in(r.reply("w2", "三号大码89元", []string{"b"}, price("3", "8900"), quick)) // its tools knew
				wait(15 * time.Second)
				r.wantSaid("正在说别的事情哦请稍等一下，马上就来说三号链接", "三号大码89元")
			})
		}
	}
}
