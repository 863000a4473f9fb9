package aggregator_test

import (
	"fmt"
	"testing"
	"time"

	"livehost/streams/event"
)

func TestP25AnsweredInPlatformOrder(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.say("x1", "a8", "88号多少钱")
		r.say("x2", "a9", "89号多少钱")
		var late []event.Danmaku
		for i := 1; i <= 3; i++ {
			late = append(late, r.danmaku(fmt.Sprint("d", i), "a1", fmt.Sprintf("%d号多少钱", i)))
			r.pass(100 * time.Millisecond)
		}
		r.put(late[2])
		r.put(late[0])
		r.put(late[1])
		r.put(answered(r.windows(2)[0])...)
		var got []event.DanmakuID
		for _, m := range r.windows(3)[2].Members {
			got = append(got, m.DanmakuID)
		}
		if fmt.Sprint(got) != "[d1 d2 d3]" {
			t.Errorf("members %v, want them by platform time", got)
		}
	})
}

func TestP06GenuineRepeatIsKnown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = answered
		r.say("d1", "a1", "有货吗")
		r.pass(90 * time.Second)
		r.say("d2", "a1", "有货吗")
		r.pass(10 * time.Second)
		r.want("d1", "answered reply")
		r.want("d2", "answered reply")
	})
}

func TestP48HostIsAFlagNotAName(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) { e.Settings = &event.RoomSettings{Language: "zh", HostName: "小播"} }))
		d := r.danmaku("d1", "a1", "多少钱")
		d.ViewerName = "小播"
		r.put(d)
		r.windows(1)
	})
}

func TestP78NamesThatMayNotBeReadOut(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		for i, tt := range []struct{ name, want string }{{"小雨🌸", "小雨"}, {"加V123\u200babc", ""}, {"傻逼主播", ""}, {"[dog]www.a.com", ""}, {"13812345678", ""}, {"8812345", ""}, {"……", ""}, {"用户88123456", "用户88123456"}, {"36", "36"}} {
			d := r.danmaku(fmt.Sprint("d", i), fmt.Sprint(string("ab"[i%2]), i), fmt.Sprintf("%d号多少钱", i+1))
			d.ViewerName = tt.name
			r.put(d)
			w := r.windows(i + 1)[i]
			if got := w.Members[0].ViewerName; got != tt.want {
				t.Errorf("name %q is read %q, want %q", tt.name, got, tt.want)
			}
			r.put(answered(w)...)
		}
	})
}

// Who gives is named aloud, too.
func TestP78NamesInThanks(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"小雨🌸": "小雨", "加V12345abc": "", "傻逼主播": "", "13812345678": ""} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) { e.Settings = &event.RoomSettings{Language: "zh", EventReply: true} }))
			r.put(r.event(event.Gift, func(e *event.RoomEvent) { e.ViewerID, e.ViewerName, e.GiftName, e.Count = "a1", name, "Rose", 1 }))
			r.pass(10 * time.Second)
			if got := r.windows(1)[0].Event.ViewerName; got != want {
				t.Errorf("%q is thanked as %q, want %q", name, got, want)
			}
		})
	}
}

// A burst of chat beside questions: its windows are full and hold no question.
func TestChatWindowsAreFullAndApart(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer = answered
		for i := range 60 {
			r.say(fmt.Sprint("q", i), fmt.Sprint("a", i), fmt.Sprintf("%d号能送到%d区吗", i+1, i))
			for j := range 3 {
				r.say(fmt.Sprint("c", i, "-", j), fmt.Sprint("a", i), fmt.Sprintf("我是第%d排第%d个到的老粉", i, j))
			}
			r.pass(500 * time.Millisecond)
		}
		r.pass(20 * time.Second)
		full, chats := 0, 0
		for _, w := range r.windows(len(all[event.Window](r))) {
			for _, m := range w.Members {
				if (m.DanmakuID[0] == 'c') != (w.Members[0].DanmakuID[0] == 'c') {
					t.Fatalf("window of class %d holds %s and %s", w.Class, w.Members[0].DanmakuID, m.DanmakuID)
				}
			}
			if w.Class == event.ClassChat {
				chats++
				if len(w.Members) == 8 {
					full++
				}
			}
		}
		if chats < 5 || full < chats*2/3 {
			t.Errorf("%d of %d chat windows are full", full, chats)
		}
		lost := 0
		for id, o := range r.outcomes() {
			if id[0] == 'q' && o != "answered reply" {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%d questions lost to chat", lost)
		}
	})
}

// Chat of a kind that was just thanked for, or met with silence, needs no window.
func TestChatCoolsDown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		state event.State
		ch    event.Channel
		after time.Duration // since the answer
		want  string
	}{
		{event.Answered, event.Public, 50 * time.Second, "merged cooled_down"},
		{event.Answered, event.Public, 70 * time.Second, "answered reply"},
		{event.Silent, "", 15 * time.Second, "silent reply"},
	} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.runTime = time.Second
			r.answer = func(w event.Window) []event.Event {
				return []event.Event{reply(w), outcomeOf(w, w.Members[0].DanmakuID, tt.state, tt.ch)}
			}
			r.say("d1", "a1", "主播加油")
			r.pass(time.Second + tt.after)
			r.say("d2", "a2", "支持支持")
			r.pass(3 * time.Second)
			r.want("d2", tt.want)
			for _, o := range all[event.Outcome](r) {
				if o.SpeakByMs > 0 {
					t.Errorf("%s is chat, to be written to nobody", o.DanmakuID)
				}
			}
		})
	}
}

// The host is known by the platform's flag or by id, whatever the name says.
func TestP48HostByID(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.put(r.event(event.RoomOpened, func(e *event.RoomEvent) {
			e.Settings = &event.RoomSettings{Language: "zh", HostName: "小播", HostIDs: []event.ViewerID{"h1", "h2"}}
		}))
		r.say("d1", "h2", "今天这款很划算")
		r.want("d1", "filtered host")
		r.restart()
		r.say("d2", "h1", "3号还有货")
		r.want("d2", "filtered host")
		r.put(r.event(event.RoomSettingsSet, func(e *event.RoomEvent) {
			e.Settings = &event.RoomSettings{Language: "zh", HostIDs: []event.ViewerID{"", "0", "h1"}} // the platform hid it
		}))
		for i, hidden := range []string{"", "0"} { // as it hides viewers
			id := fmt.Sprint("hidden", i)
			r.say(id, hidden, fmt.Sprintf("%d号多少钱", i+4))
			r.want(id, "")
		}
	})
}

// After a reconnect another producer plays the last quarter of an hour again.
func TestP03HistoryReplayedByAnotherProducer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.answer, r.step = answered, time.Second
		var said []event.Danmaku
		for i := range 40 {
			d := r.danmaku(fmt.Sprint("d", i), fmt.Sprint("a", i), fmt.Sprintf("%d号多少钱", i+1))
			d.Source = "one"
			said = append(said, d)
			r.put(d)
			r.pass(20 * time.Second)
		}
		windows := len(all[event.Window](r))
		for _, again := range said {
			again.Source = "two"
			r.put(again)
		}
		r.restart()
		for _, again := range said {
			again.Source = "three"
			r.put(again)
		}
		r.pass(30 * time.Second)
		r.windows(windows)
		r.check()
	})
}

// However many questions wait, chat has a window of its own a minute, which is filled
// with what came before it; the questions lose that one window.
func TestChatIsNotPassedOverForever(t *testing.T) {
	t.Parallel()
	const minutes = 3
	served := map[bool]map[string]int{}
	for _, chat := range []bool{false, true} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.answer, r.runTime = answered, 3400*time.Millisecond
			for i := range minutes * 400 {
				r.say(fmt.Sprint("q", i), fmt.Sprint("a", i), fmt.Sprintf("%d号能送到%d区吗", i%90+1, i))
				if chat && i%10 == 0 {
					r.say(fmt.Sprint("c", i), fmt.Sprint("ac", i), fmt.Sprintf("第%d次来支持", i))
				}
				r.pass(150 * time.Millisecond)
			}
			r.pass(30 * time.Second)
			n := map[string]int{}
			for id, o := range r.outcomes() {
				n[id[:1]+" "+o]++
			}
			for _, w := range all[event.Window](r) {
				if w.Class >= event.ClassChat {
					n["chat windows"]++
				}
			}
			served[chat] = n
		})
	}
	with, without := served[true], served[false]
	if windows := with["chat windows"]; windows < minutes-1 || windows > minutes || with["c answered reply"] < 5*windows {
		t.Errorf("chat in %d minutes: %v", minutes, with)
	}
	if lost := without["q answered reply"] - with["q answered reply"]; lost > minutes*8 {
		t.Errorf("%d questions lost: %v, %v without chat", lost, with, without)
	}
}
