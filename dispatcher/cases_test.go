package dispatcher_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"livehost/dispatcher"
	"livehost/dispatcher/pacing"
	"livehost/streams/event"
)

// TestSpeechCases are the field bugs of speech that no other test of the stage names.
func TestSpeechCases(t *testing.T) {
	t.Parallel()
	bubble(t, "P24 each answer is its own question's, aloud and in writing", func(t *testing.T, r *rig) {
		r.open(true)
		for i := range 6 {
			id := fmt.Sprint(i)
			if i%2 == 0 {
				r.in(r.reply("w"+id, "回答"+id, []string{id}))
			} else {
				r.in(r.reply("w"+id, "", []string{id}, privately(id, "回答"+id)))
			}
			wait(500 * time.Millisecond)
		}
		wait(15 * time.Second)
		heard := 0
		for _, dl := range r.deliveryRecords() {
			if dl.State != event.DeliveryEnded && dl.State != event.DeliverySent {
				continue
			}
			if heard++; len(dl.DanmakuIDs) != 1 || dl.Text != "回答"+string(dl.DanmakuIDs[0]) || dl.ReplyID != event.WindowID("w"+string(dl.DanmakuIDs[0])) {
				t.Errorf("%v heard %q of %s", dl.DanmakuIDs, dl.Text, dl.ReplyID)
			}
		}
		if heard != 6 {
			t.Errorf("%d answers reached somebody, want 6", heard)
		}
	})
	for name, text := range map[string]string{
		"P57 a reply of 2000 characters":    strings.Repeat("这一句话有十个字呢。", 200),
		"P57 no sentence ends":              strings.Repeat("哈", 300),
		"P57 characters of several runes":   strings.Repeat("e\u0301", 600),
		"P57 one long sentence, then short": strings.Repeat("长", 200) + "。好的呀。",
	} {
		bubble(t, name+": said for half a minute at most, written whole", func(t *testing.T, r *rig) {
			r.open(true)
			r.in(r.reply("w1", text, []string{"a"}))
			synctest.Wait()
			r.in(r.reply("w2", text, []string{"b"}))
			wait(time.Minute)
			r.wantSent("u-b: " + text)
			r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered private_text"})
			said := r.out.said[0]
			if length := pacing.Length(said); length > 30*time.Second || length < 20*time.Second {
				t.Errorf("said for %v", length)
			}
			if !strings.HasPrefix(text, said) || !utf8.ValidString(said) || strings.HasPrefix(text[len(said):], "\u0301") {
				t.Errorf("said %q", said)
			}
			for _, dl := range r.deliveryRecords() {
				if dl.State == event.DeliveryEnded && dl.Reason != "shortened" {
					t.Errorf("ended with reason %q", dl.Reason)
				}
			}
		})
	}
	bubble(t, "P60 the voice stalls: the asker gets it in writing before it is late", func(t *testing.T, r *rig) {
		r.open(true)
		r.out.hold = make(chan struct{}) // synthesis that does not come
		r.in(r.reply("w1", "今天89元", []string{"a"}))
		wait(8 * time.Second)
		r.in(r.reply("w2", "有货的", []string{"b"}))
		wait(12 * time.Second)
		close(r.out.hold)
		wait(15 * time.Second)
		if got := r.outcomes()["b"]; got != "answered spoken" && got != "answered private_text" {
			t.Errorf("b: %s", got)
		}
		for _, dl := range r.deliveryRecords() {
			if dl.FirstAudioMs > 0 && dl.State == event.DeliveryEnded && dl.FirstAudioMs > dl.SpeakByMs {
				t.Errorf("heard late: %+v", dl)
			}
		}
	})
	bubble(t, "P64 a reply without text for anybody is silence, not a sentence", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", "", []string{"a"}))
		r.in(r.reply("w2", " 🙊 ", []string{"b"}))
		wait(5 * time.Second)
		r.wantSaid()
		r.wantSent()
		r.wantAcked("w1", "w2")
	})
	bubble(t, "P73 no private channel, no voice switched off by it: the room's outlet decides", func(t *testing.T, r *rig) {
		l := r.withLever()
		r.open(true)
		l.set(dispatcher.Stop{Room: "r", Reason: "text only"})
		r.in(r.reply("w1", "今天89元", []string{"a"}))
		wait(5 * time.Second)
		r.wantSaid()
		r.wantSent("u-a: 今天89元")
	})
	bubble(t, "P75 an answer is for those of its window alone", func(t *testing.T, r *rig) {
		r.open(true)
		r.in(r.reply("w1", "给a和b的", []string{"a", "b"}, func(e *event.Reply) {
			e.Public.Covers = append(e.Public.Covers, "c")
			e.Private = []event.PrivateReply{{DanmakuID: "d", ViewerID: "u-d", Text: "别人的"}}
		}))
		wait(10 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered spoken"})
		r.wantSent()
		r.wantAcked("w1")
		r.in(r.reply("w2", "给c的", []string{"c"}))
		wait(10 * time.Second)
		r.wantOutcomes(map[event.DanmakuID]string{"a": "answered spoken", "b": "answered spoken", "c": "answered spoken"})
	})
}
