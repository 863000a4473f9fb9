package dispatcher_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"livehost/dispatcher"
	"livehost/streams/event"
)

// anonymous makes a danmaku's asker one whom private text cannot reach.
func anonymous(danmaku string) func(*event.Reply) {
	return func(e *event.Reply) {
		for i := range e.Members {
			if e.Members[i].DanmakuID == event.DanmakuID(danmaku) {
				e.Members[i].ViewerID = "0"
			}
		}
	}
}

func TestWaitingSpeechIsWrittenInTime(t *testing.T) {
	t.Parallel()
	six := "这一句要说六秒钟左右所以需要二十七个字才行再加几个字吧"
	bubble(t, "P13 nothing expires where private text is", func(t *testing.T, r *rig) {
		r.open(true)
		for i := range 60 {
			r.in(r.reply(fmt.Sprint("w", i), six+fmt.Sprint(i), []string{fmt.Sprint("d", i)}))
			wait(500 * time.Millisecond)
		}
		wait(30 * time.Second)
		for id, s := range r.outcomes() {
			if s != "answered spoken" && s != "answered private_text" {
				t.Errorf("%s: %s", id, s)
			}
		}
		for _, dl := range r.deliveryRecords() {
			if dl.FirstAudioMs > dl.SpeakByMs {
				t.Errorf("%s began late: %+v", dl.DeliveryID, dl)
			}
		}
		if len(r.out.said) < 6 || len(r.outcomes()) != 60 {
			t.Errorf("%d said, %d outcomes", len(r.out.said), len(r.outcomes()))
		}
	})
	bubble(t, "one answer to several is written to all of them", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", six, []string{"a"}))
		synctest.Wait()
		r.in(r.reply("w2", "今天89元", []string{"b", "c"}, func(e *event.Reply) { e.Members[0].SpeakByMs = t0 + 5000 }))
		wait(time.Second)
		r.wantSent("u-b: 今天89元", "u-c: 今天89元")
		wait(20 * time.Second)
		r.wantSaid(six)
	})
	bubble(t, "who can only be reached aloud goes first in the class", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", six, []string{"a"}))
		synctest.Wait()
		r.in(r.reply("w2", "第二句", []string{"b"}))
		r.in(r.reply("w3", "第三句", []string{"c"}, anonymous("c")))
		r.in(r.reply("w4", "买的", []string{"d"}, class(event.ClassPurchase)))
		wait(30 * time.Second)
		r.wantSaid(six, "买的", "第三句", "第二句")
	})
	bubble(t, "anonymous askers are told in time that they are late", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", strings.Repeat("长", 90), []string{"a"}))
		synctest.Wait()
		r.in(r.reply("w2", "今天89元", []string{"b"}, anonymous("b"), func(e *event.Reply) { e.Members[0].SpeakByMs = t0 + 18_000 }))
		wait(time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"b": "expired late"})
	})
	bubble(t, "present speech takes longer than estimated", func(t *testing.T, r *rig) {
		r.open(true)
		r.out.hold = make(chan struct{})
		long := strings.Repeat("长", 40) // nine seconds
		r.in(r.reply("w1", long, []string{"a"}, anonymous("a")))
		synctest.Wait()
		r.in(r.reply("w2", "今天89元", []string{"b"}, func(e *event.Reply) { e.Members[0].SpeakByMs = t0 + 13_000 }))
		wait(4 * time.Second)
		close(r.out.hold)
		wait(7 * time.Second)
		r.wantSent()
		wait(time.Second)
		r.wantSent("u-b: 今天89元")
		wait(5 * time.Second)
		r.wantSaid(long)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered private_text"})
	})
	bubble(t, "an outlet that cannot begin leaves time to write", func(t *testing.T, r *rig) {
		r.open(true)
		r.out.fail = dispatcher.ErrLate
		r.in(r.reply("w1", "今天89元", []string{"a", "b"}, anonymous("b")))
		wait(time.Second)
		r.wantSent("u-a: 今天89元")
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered private_text", "b": "expired late"})
		r.wantAcked("w1")
	})
}
