package dispatcher_test

import (
	"fmt"
	"testing"
	"time"

	"livehost/streams/event"
)

// A room that was closed speaks again when the next broadcast has begun, although its
// opening is lost; what is of the closed one stays unsaid.
func TestP52OpeningOfTheNextIsLost(t *testing.T) {
	bubble(t, "of what is said, and its closing", func(t *testing.T, r *rig) {
		of := func(b event.BroadcastID) func(*event.Reply) { return func(e *event.Reply) { e.BroadcastID = b } }
		closes := func(b event.BroadcastID) {
			r.in(event.RoomEvent{Schema: 1, EventID: "c" + string(b), RoomID: "r", Kind: event.RoomClosed, BroadcastID: b, TimeMs: r.clock.NowMs()})
		}
		r.in(event.RoomEvent{Schema: 1, EventID: "o", RoomID: "r", Kind: event.RoomOpened, BroadcastID: "b1", TimeMs: r.clock.NowMs()})
		closes("b1")
		r.in(r.reply("w1", "上一场的", []string{"a"}, of("b1")))
		r.in(r.reply("w2", "不知道哪一场的", []string{"b"}))
		r.in(r.reply("w3", "这一场的", []string{"c"}, of("b2")))
		wait(10 * time.Second)
		closes("b2")
		r.in(r.reply("w4", "这一场结束以后", []string{"d"}, of("b2")))
		r.in(r.reply("w5", "很久以前那一场的", []string{"e"}, of("b1")))
		wait(10 * time.Second)
		r.wantSaid("这一场的")
		r.wantOutcomes(map[event.DanmakuID]string{
			"a": "suppressed room_closed", "b": "suppressed room_closed", "c": "answered spoken", "d": "suppressed room_closed", "e": "suppressed room_closed",
		})
		r.wantAcked("w1", "w2", "w3", "w4", "w5")
	})
}

// A closing whose platform says no time is of when it came into the log, after a restart
// as well.
func TestClosingWithoutATime(t *testing.T) {
	for _, restart := range []bool{false, true} {
		bubble(t, fmt.Sprint("restart ", restart), func(t *testing.T, r *rig) {
			r.in(event.RoomEvent{Schema: 1, EventID: "o", RoomID: "r", Kind: event.RoomOpened, TimeMs: r.clock.NowMs()})
			wait(time.Second)
			r.in(event.RoomEvent{Schema: 1, EventID: "c", RoomID: "r", Kind: event.RoomClosed})
			if restart {
				r.stop()
				r.restart()
			}
			r.in(r.reply("w1", "已经下播了", []string{"a"}))
			wait(10 * time.Second)
			r.wantSaid()
			r.wantOutcomes(map[event.DanmakuID]string{"a": "suppressed room_closed"})
		})
	}
}
