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
