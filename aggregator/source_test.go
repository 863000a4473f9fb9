package aggregator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"livehost/streams/event"
)

// sayOf is a danmaku of a source whose clock is off.
func (r *rig) sayOf(room event.RoomID, source, id string, off time.Duration) {
	r.t.Helper()
	d := r.danmaku(id, "a"+id, "[赞]")
	d.RoomID, d.Source, d.PlatformTimeMs = room, source, d.PlatformTimeMs+off.Milliseconds()
	r.put(d)
}

// tooOld is how many of the danmaku whose ids begin so expired when they came.
func (r *rig) tooOld(prefix string) (n int) {
	r.t.Helper()
	for id, o := range r.outcomes() {
		if o == "expired too_old" && strings.HasPrefix(id, prefix) {
			n++
		}
	}
	return n
}

// A feed that was cut off and sends what it has is as late as it is, however fast it
// catches up: the delay of a wrong clock stays the same.
func TestP13FeedThatCatchesUp(t *testing.T) {
	t.Parallel()
	for _, healthy := range []time.Duration{0, time.Minute} {
		for _, speed := range []float64{1.2, 2, 4, 8} {
			inBubble(t, func(t *testing.T, r *rig) {
				r.answer, r.step = answered, time.Second
				n := 0
				for start := time.Now(); time.Since(start) < healthy; n++ {
					r.sayOf(roomID, "gw", fmt.Sprint("h", n), -300*time.Millisecond)
					r.pass(time.Second)
				}
				r.pass(time.Minute)
				said := map[event.DanmakuID]time.Time{}
				for at := time.Now().Add(-time.Minute); at.Before(time.Now()); at = at.Add(time.Second) {
					d := r.danmaku(fmt.Sprint("d", n), fmt.Sprint("b", n), fmt.Sprintf("%d号能送到%d区吗", n%90+1, n))
					d.Source, d.PlatformTimeMs = "gw", at.UnixMilli()
					said[d.DanmakuID] = at
					r.put(d)
					r.pass(time.Duration(float64(time.Second) / speed))
					n++
				}
				for _, w := range all[event.Window](r) {
					for _, m := range w.Members {
						if at, ok := said[m.DanmakuID]; ok && w.OpenedMs-at.UnixMilli() > 15_000 {
							t.Fatalf("healthy for %v, x%v: %s is in a window after %v", healthy, speed, m.DanmakuID, time.UnixMilli(w.OpenedMs).Sub(at))
						}
					}
				}
			})
		}
	}
}

// A slow clock that is known stays known while its feed is slow or away, and is as slow
// as before when the feed catches up.
func TestSlowClockOfAFeedThatWasAway(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.step = time.Second
		n := 0
		say := func(prefix string, count int, late time.Duration) {
			for range count {
				r.sayOf(roomID, "gw", fmt.Sprint(prefix, n), -time.Hour-late)
				r.pass(time.Second)
				n++
			}
		}
		say("learning", 60, 0)
		say("held up", 12, 7*time.Second)
		r.pass(5 * time.Minute)
		say("old", 20, 2*time.Minute)
		say("new", 20, 0)
		if up, old, fresh := r.tooOld("held up"), r.tooOld("old"), r.tooOld("new"); up != 0 || old != 20 || fresh != 0 {
			t.Errorf("too old: %d of what was held up, %d of what waited for minutes, %d of the new", up, old, fresh)
		}
	})
}

// A source's clock is the same in all of its rooms, and after a restart. Those that do
// not say their source have nothing in common.
func TestClockOfASource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		source                string
		second, again, parked int
	}{
		{"gw", 0, 0, 0},
		{"", 20, 0, 0},
	} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.step = time.Second
			n := 0
			say := func(room event.RoomID, prefix string, count int, off time.Duration) {
				for range count {
					r.sayOf(room, tt.source, fmt.Sprint(prefix, n), off)
					r.pass(time.Second)
					n++
				}
			}
			say(roomID, "learning", 60, -time.Minute)
			say(beside(), "second", 20, -time.Minute)
			r.pass(10 * time.Second)
			r.restart()
			say(roomID, "again", 20, -time.Minute)
			r.step = 10 * time.Second
			r.pass(25 * time.Minute)
			r.step = time.Second
			r.put(event.RoomEvent{Schema: 1, EventID: "tick", RoomID: beside(), Kind: event.Like, TimeMs: time.Now().UnixMilli()})
			r.pass(10 * time.Second)
			r.restart()
			say(roomID, "parked", 20, -time.Minute)
			if second, again, parked := r.tooOld("second"), r.tooOld("again"), r.tooOld("parked"); second != tt.second || again != tt.again || parked != tt.parked {
				t.Errorf("source %q: too old: %d in a second room, %d after a restart, %d after an hour", tt.source, second, again, parked)
			}
			say(roomID, "right", 3, 0)
			if flagged := r.agg.Stats().SkewedClock; flagged != 20 {
				t.Errorf("source %q: %d by the log's time, want the 20 of before the clock was right", tt.source, flagged)
			}
			say(roomID, "history", 20, -time.Minute)
			if got := r.tooOld("history"); got != 20 {
				t.Errorf("source %q: a clock that was set right is still believed slow: %d of 20 too old", tt.source, got)
			}
			r.check()
		})
	}
}

// One name may stand for several clocks: what comes to one room shows nothing of another.
func TestClocksOfOneNameInTwoRooms(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.step = time.Second
		for n := range 60 {
			r.sayOf(roomID, "gw", fmt.Sprint("learning", n), -time.Minute)
			r.pass(time.Second)
		}
		r.sayOf(beside(), "gw", "future", 2*time.Second)
		for n := range 40 {
			r.sayOf(roomID, "gw", fmt.Sprint("slow", n), -time.Minute)
			r.sayOf(beside(), "gw", fmt.Sprint("right", n), 0)
			r.pass(time.Second)
		}
		if slow, right := r.tooOld("slow"), r.tooOld("right"); slow > 0 || right > 0 {
			t.Errorf("too old: %d of the slow clock, %d of the right one", slow, right)
		}
		r.check()
	})
}

// What comes without a time was said when it came into the log, and is counted like a time
// that is off; it says nothing of its source's clock.
func TestP55NoClock(t *testing.T) {
	t.Parallel()
	for _, none := range []string{"", `,"platform_time_ms":0,"time_ms":0`, `,"platform_time_ms":null,"time_ms":null`, `,"platform_time_ms":-1,"time_ms":-1`} {
		inBubble(t, func(t *testing.T, r *rig) {
			put := func(topic, rest string) {
				r.log.Append(topic, roomID, fmt.Appendf(nil, `{"schema":1,"room_id":%q,"source":"gw"%s%s}`, roomID, rest, none))
				r.run()
			}
			put(event.TopicRoomEvent, `,"event_id":"e1","kind":"product_in_focus","link_id":"7"`)
			r.pass(time.Second)
			put(event.TopicDanmaku, `,"danmaku_id":"d1","text":"多少钱"`)
			if m := r.windows(1)[0].Members[0]; m.PlatformMs != time.Now().UnixMilli() || m.FocusLink != "7" {
				t.Errorf("%q: member %+v", none, m)
			}
			if got := r.agg.Stats().SkewedClock; got != 2 {
				t.Errorf("%q: %d counted, want 2", none, got)
			}
			r.pass(time.Second)
			put(event.TopicRoomEvent, `,"event_id":"e2","kind":"product_in_focus","link_id":"8"`)
			r.pass(10 * time.Second)
			r.restart()
			r.run()
			for n := range 30 {
				r.sayOf(roomID, "gw", fmt.Sprint("s", n), -time.Hour)
				r.pass(time.Second)
			}
			put(event.TopicDanmaku, `,"danmaku_id":"d2","text":"有货吗"`)
			r.sayOf(roomID, "gw", "slow", -time.Hour)
			if m := r.windows(2)[1].Members[0]; m.DanmakuID != "d2" || m.FocusLink != "8" {
				t.Errorf("%q: member after a restart %+v", none, m)
			}
			r.pass(10 * time.Second)
			if got := r.outcome("slow"); got == "expired too_old" {
				t.Errorf("%q: the source's clock was not learnt: %s", none, got)
			}
		})
	}
}
