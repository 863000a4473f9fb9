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

// says is an opening or closing of the broadcast, now.
func (r *rig) says(kind event.RoomEventKind, b event.BroadcastID) {
	r.in(event.RoomEvent{
		Schema: 1, EventID: fmt.Sprint(kind, b, r.clock.NowMs()), RoomID: "r", Kind: kind, BroadcastID: b, TimeMs: r.clock.NowMs(),
	})
}

// ofBroadcast is of a reply.
func ofBroadcast(b event.BroadcastID) func(*event.Reply) {
	return func(e *event.Reply) { e.BroadcastID = b }
}

// Which broadcast is on is the aggregator's finding too: what it opens windows of is said.
func TestP52WhatIsOnIsSaid(t *testing.T) {
	const opened, closed = event.RoomOpened, event.RoomClosed
	type step struct {
		kind event.RoomEventKind // "": a reply
		of   event.BroadcastID
		said bool
	}
	for name, steps := range map[string][]step{
		"opened again without a name":        {{opened, "b1", false}, {closed, "b1", false}, {opened, "", false}, {"", "b1", true}, {"", "", true}},
		"no opening ever":                    {{"", "b1", true}, {closed, "b1", false}, {"", "b1", false}, {"", "b2", true}},
		"nothing heard of what was closed":   {{closed, "b1", false}, {"", "b1", false}, {"", "b2", true}},
		"opened and closed without a name":   {{opened, "", false}, {"", "b1", true}, {closed, "", false}, {"", "b1", false}, {"", "b2", true}, {"", "b1", false}},
		"of what was closed nobody was told": {{opened, "", false}, {closed, "", false}, {"", "b2", true}},
		"a closing and an opening lost":      {{opened, "b1", false}, {"", "b2", true}, {closed, "b2", false}, {"", "b2", false}, {"", "", false}},
		"a few broadcasts back":              {{opened, "b0", false}, {closed, "b0", false}, {opened, "b1", false}, {closed, "b1", false}, {opened, "b2", false}, {closed, "b2", false}, {"", "b0", false}},
	} {
		bubble(t, name, func(t *testing.T, r *rig) {
			var said []string
			for i, s := range steps {
				if s.kind != "" {
					r.says(s.kind, s.of)
				} else {
					text := fmt.Sprintf("第%d句", i)
					r.in(r.reply(fmt.Sprint("w", i), text, []string{fmt.Sprint("d", i)}, ofBroadcast(s.of)))
					if s.said {
						said = append(said, text)
					}
				}
				wait(10 * time.Second)
			}
			r.wantSaid(said...)
		})
	}
	bubble(t, "a run that began before the closing, after a restart", func(t *testing.T, r *rig) {
		r.says(opened, "")
		late := r.reply("w1", "下播前问的", []string{"a"}, ofBroadcast("b1"))
		wait(time.Second)
		r.says(closed, "")
		r.stop()
		r.restart()
		r.in(late)
		wait(10 * time.Second)
		r.wantSaid()
	})
	bubble(t, "an opening after its closing", func(t *testing.T, r *rig) {
		r.says(opened, "b1")
		wait(time.Second)
		r.says(closed, "b1")
		wait(time.Minute)
		late := event.RoomEvent{Schema: 1, EventID: "late", RoomID: "r", Kind: opened, BroadcastID: "b2", TimeMs: r.clock.NowMs()}
		wait(10 * time.Second)
		r.in(r.reply("w1", "这一场的", []string{"a"}, ofBroadcast("b2")))
		wait(10 * time.Second)
		r.says(closed, "b2")
		wait(10 * time.Second)
		r.in(late)
		r.in(r.reply("w2", "下播以后", []string{"b"}, ofBroadcast("b2")))
		wait(10 * time.Second)
		r.wantSaid("这一场的")
	})
}

// What the viewers of one broadcast heard, those of the next did not.
func TestNothingHeardInTheNextBroadcast(t *testing.T) {
	in := func(r *rig, id, text string, variant event.Variant, b event.BroadcastID) {
		r.in(r.reply("w"+id, text, []string{id}, question("price/3", variant), price("3", "8900"), ofBroadcast(b)))
	}
	for _, restart := range []bool{false, true} {
		bubble(t, fmt.Sprint("its opening is lost; restart ", restart), func(t *testing.T, r *rig) {
			r.says(event.RoomOpened, "b1")
			in(r, "a", "三号89元", "harness", "b1")
			wait(5 * time.Second)
			r.says(event.RoomClosed, "b1")
			wait(10 * time.Second)
			if restart {
				r.stop()
				r.restart()
			}
			in(r, "b", "3号是89块", "react-baseline", "b2")
			wait(5 * time.Second)
			in(r, "c", "三号89元", "harness", "b2")
			wait(5 * time.Second)
			r.says(event.RoomOpened, "b2") // late: what was heard is of it
			in(r, "d", "三号89元", "harness", "b2")
			wait(10 * time.Second)
			r.wantSaid("三号89元", "3号是89块")
			r.wantOutcomes(map[event.DanmakuID]string{
				"a": "answered spoken", "b": "answered spoken", "c": "merged heard_other_variant", "d": "merged heard_other_variant",
			})
		})
		bubble(t, fmt.Sprint("said over its opening; restart ", restart), func(t *testing.T, r *rig) {
			r.disclose(600)
			r.says(event.RoomOpened, "b1")
			in(r, "a", "三号这个现在八十九元一件很划算哦", "harness", "b1")
			wait(time.Second)
			r.says(event.RoomOpened, "b2")
			in(r, "b", "三号这个现在八十九元一件很划算哦", "harness", "b2") // while that is still said
			wait(15 * time.Second)
			if restart {
				r.stop()
				r.restart()
			}
			in(r, "c", "3号是89块", "react-baseline", "b2")
			wait(10 * time.Second)
			const told, words = "温馨提示，为您讲解的是AI主播小播。", "三号这个现在八十九元一件很划算哦"
			r.wantSaid(told+words, told+words)
			r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered spoken", "c": "merged heard_other_variant"})
		})
	}
}

// An opening whose source has a slow clock looks as if it were of before the closing. The
// aggregator corrects the clock, and its windows show it here.
func TestOpeningByASlowClock(t *testing.T) {
	bubble(t, "without a name", func(t *testing.T, r *rig) {
		r.says(event.RoomOpened, "")
		wait(time.Minute)
		r.says(event.RoomClosed, "")
		wait(10 * time.Second)
		r.in(event.RoomEvent{Schema: 1, EventID: "slow", RoomID: "r", Kind: event.RoomOpened, TimeMs: r.clock.NowMs() - time.Hour.Milliseconds()})
		r.in(r.reply("w1", "上一场还没答的", []string{"a"}))
		wait(2 * time.Minute)
		r.in(r.reply("w2", "这一场的", []string{"b"}))
		wait(10 * time.Second)
		r.says(event.RoomClosed, "")
		r.in(r.reply("w3", "这一场结束以后", []string{"c"}))
		wait(10 * time.Second)
		r.wantSaid("这一场的")
	})
}
