package dispatcher_test

import (
	"fmt"
	"testing"
	"time"

	"livehost/streams/event"
)

func (r *rig) disclose(everyS int64) {
	r.in(event.RoomEvent{Schema: 1, EventID: "set", RoomID: "r", Kind: event.RoomSettingsSet, TimeMs: r.clock.NowMs(),
		Settings: &event.RoomSettings{Language: "zh", HostName: "小播", DisclosureEveryS: everyS}})
}

func TestWording(t *testing.T) {
	t.Parallel()
	bubble(t, "the room hears on its schedule that the host is an AI", func(t *testing.T, r *rig) {
		r.disclose(60)
		for _, id := range []string{"a", "b", "c"} {
			r.in(r.reply("w"+id, "今天89元", []string{id}))
			wait(35 * time.Second)
		}
		r.wantSaid("温馨提示，为您讲解的是AI主播小播。今天89元", "今天89元", "温馨提示，为您讲解的是AI主播小播。今天89元")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered spoken", "c": "answered spoken"})
		r.stop()
		r.restart()
		r.in(r.reply("wd", "今天89元", []string{"d"}))
		wait(10 * time.Second)
		if said := r.out.said[3]; said != "今天89元" {
			t.Errorf("after a restart %q, want no disclosure so soon", said)
		}
	})
	bubble(t, "promotional sentences are bounded, answers are not", func(t *testing.T, r *rig) {
		for i := range 12 {
			r.in(r.reply(fmt.Sprint("w", i), fmt.Sprintf("今天%d元。喜欢的点点关注！", 80+i), []string{fmt.Sprint("d", i)}))
			wait(10 * time.Second)
		}
		r.in(r.reply("last", "点点关注就有优惠券！", []string{"last"}))
		wait(10 * time.Second)
		if n := len(r.out.said); n != 13 || r.out.said[9] != "今天89元。喜欢的点点关注！" || r.out.said[10] != "今天90元。" || r.out.said[12] != "点点关注就有优惠券！" {
			t.Errorf("said %q", r.out.said)
		}
	})
	bubble(t, "each broadcast has its own viewers", func(t *testing.T, r *rig) {
		open := func(id event.BroadcastID) {
			r.in(event.RoomEvent{Schema: 1, EventID: "open " + string(id), RoomID: "r", BroadcastID: id, Kind: event.RoomOpened, TimeMs: r.clock.NowMs(),
				Settings: &event.RoomSettings{Language: "zh", HostName: "小播", DisclosureEveryS: 600}})
		}
		say := func(id string) {
			r.in(r.reply("w"+id, fmt.Sprintf("第%s条。点点关注！", id), []string{id}))
			wait(8 * time.Second)
		}
		open("b1")
		for _, id := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"} {
			say(id)
		}
		open("b2")
		say("11")
		open("b3")
		r.stop()
		r.restart()
		say("12")
		say("13")
		if said := r.out.said; len(said) != 13 || said[0] != "温馨提示，为您讲解的是AI主播小播。第1条。点点关注！" || said[9] != "第10条。点点关注！" ||
			said[10] != "温馨提示，为您讲解的是AI主播小播。第11条。点点关注！" || said[11] != "温馨提示，为您讲解的是AI主播小播。第12条。点点关注！" || said[12] != "第13条。点点关注！" {
			t.Errorf("said %q", said)
		}
	})
	bubble(t, "P78 an abusive or advertising name is not read out", func(t *testing.T, r *rig) {
		r.in(r.reply("w1", "加V123\u200babc您好，今天89元", []string{"a"}, func(e *event.Reply) { e.Members[0].ViewerName = "加V123\u200babc" }))
		wait(5 * time.Second)
		r.wantSaid("这位朋友您好，今天89元")
	})
}

// TestWordingIsNotTheAnswer: what a turn adds to an answer, or leaves out of it, does not
// make it another one.
func TestWordingIsNotTheAnswer(t *testing.T) {
	t.Parallel()
	const which, disclosure = "您问的是几号链接呀", "温馨提示，为您讲解的是AI主播小播。"
	for _, restart := range []bool{false, true} {
		bubble(t, fmt.Sprint("the disclosure; restart ", restart), func(t *testing.T, r *rig) {
			r.disclose(600)
			r.in(r.reply("w1", which, []string{"a"}))
			wait(time.Second)
			r.in(r.reply("w2", which, []string{"b"})) // while it is said
			wait(8 * time.Second)
			if restart {
				r.stop()
				r.restart()
			}
			r.in(r.reply("w3", which, []string{"c"}))
			wait(10 * time.Second)
			r.wantSaid(disclosure + which)
			r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "merged same_words", "c": "merged same_words"})
		})
	}
	bubble(t, "a newcomer is not written it", func(t *testing.T, r *rig) {
		r.in(event.RoomEvent{Schema: 1, EventID: "set", RoomID: "r", Kind: event.RoomSettingsSet, TimeMs: r.clock.NowMs(),
			Settings: &event.RoomSettings{Language: "zh", PrivateText: true, HostName: "小播", DisclosureEveryS: 600}})
		r.in(r.reply("w1", which, []string{"a"}))
		wait(9 * time.Second)
		r.merged("c", "a")
		wait(time.Second)
		r.wantSaid(disclosure + which)
		r.wantSent("u-c: " + which)
	})
	bubble(t, "promotion that was one too many", func(t *testing.T, r *rig) {
		r.promote(0, 10)
		r.in(r.reply("w1", "三号有货。点个关注。", []string{"a"}))
		wait(9 * time.Second)
		r.in(r.reply("w2", "三号有货。点个关注。", []string{"b"}))
		wait(10 * time.Second)
		if n := len(r.out.said); n != 11 || r.out.said[10] != "三号有货。" {
			t.Errorf("said %q", r.out.said)
		}
	})
	bubble(t, "promotion is counted over a restart", func(t *testing.T, r *rig) {
		r.promote(0, 8)
		r.stop()
		r.restart()
		r.promote(8, 12)
		if n := len(r.out.said); n != 12 || r.out.said[9] != "第9个。点个关注。" || r.out.said[10] != "第10个。" || r.out.said[11] != "第11个。" {
			t.Errorf("said %q", r.out.said)
		}
		wait(10 * time.Minute)
		r.promote(12, 13)
		if r.out.said[12] != "第12个。点个关注。" {
			t.Errorf("ten minutes later %q", r.out.said[12])
		}
	})
}

// promote has the room hear a promotional sentence with each answer.
func (r *rig) promote(from, to int) {
	for i := from; i < to; i++ {
		r.in(r.reply(fmt.Sprint("p", i), fmt.Sprintf("第%d个。点个关注。", i), []string{fmt.Sprint("dp", i)}))
		wait(6 * time.Second)
	}
}
