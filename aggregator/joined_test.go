package aggregator_test

import (
	"fmt"
	"testing"
	"time"

	"livehost/streams/event"
)

// Whoever joined a danmaku ends with a complete outcome, however that one ends and
// whoever says so.
func TestJoinedEndWhenTheirCoverEnds(t *testing.T) {
	t.Parallel()
	never := func(event.Window) []event.Event { return nil }
	ends := func(state event.State, by, reason string, ch event.Channel) func(event.Window) []event.Event {
		return func(w event.Window) []event.Event {
			var out []event.Event
			if by == "dispatcher" {
				out = append(out, reply(w))
			}
			for _, m := range w.Members {
				o := outcomeOf(w, m.DanmakuID, state, ch)
				o.By, o.Reason = by, reason
				if state == event.Merged {
					o.CoverID = "heard"
				}
				out = append(out, o)
			}
			return out
		}
	}
	for _, tt := range []struct {
		name    string
		busy    bool // both of the variant's places are taken first, and stay so
		answer  func(event.Window) []event.Event
		runTime time.Duration
		late    func(r *rig) // after both danmaku are there
		cover   string
		joined  string
		heard   event.DanmakuID // whose answer covers the joined
	}{
		{name: "shed while it waited", busy: true, answer: never, cover: "shed capacity", joined: "shed capacity"},
		{name: "closed while it waited", busy: true, answer: never, late: closeRoom, cover: "shed room_closed", joined: "shed room_closed"},
		{name: "retracted while it waited", busy: true, answer: never, late: retractCover, cover: "retracted retracted", joined: "shed capacity"},
		{name: "not covered twice", answer: func(w event.Window) []event.Event { return []event.Event{reply(w, w.Members[0].DanmakuID)} }, runTime: 4 * time.Second, cover: "shed not_covered", joined: "shed not_covered"},
		{name: "stale without time", answer: stale, runTime: 13 * time.Second, cover: "expired stale_fact", joined: "expired stale_fact"},
		{name: "expired in the agent", answer: ends(event.Expired, "agentworker", "deadline", ""), runTime: 15 * time.Second, cover: "expired deadline", joined: "expired deadline"},
		{name: "failed in the agent", answer: ends(event.Failed, "agentworker", "policy", ""), runTime: 14 * time.Second, cover: "failed policy", joined: "failed policy"},
		{name: "expired unspoken", answer: ends(event.Expired, "dispatcher", "speak_by", ""), runTime: 16 * time.Second, cover: "expired speak_by", joined: "expired speak_by"},
		{name: "interrupted", answer: ends(event.Failed, "dispatcher", "interrupted", ""), runTime: 14 * time.Second, cover: "failed interrupted", joined: "failed interrupted"},
		{name: "retracted in the agent", answer: ends(event.Retracted, "agentworker", "retracted", ""), runTime: 14 * time.Second, cover: "retracted retracted", joined: "expired waited"},
		{name: "never ended", answer: never, cover: "", joined: "expired cover_lost"},
		{name: "outdated and never ended", answer: never, late: changePrice, cover: "", joined: "expired cover_lost"},
		{name: "silent", answer: ends(event.Silent, "agentworker", "low_information", ""), runTime: 3 * time.Second, cover: "silent low_information", joined: "silent low_information"},
		{name: "handed over", answer: ends(event.HandedOver, "agentworker", "after_sales", ""), runTime: 3 * time.Second, cover: "handed_over after_sales", joined: "handed_over after_sales"},
		{name: "suppressed", answer: ends(event.Suppressed, "dispatcher", "medical_claim", ""), runTime: 3 * time.Second, cover: "suppressed medical_claim", joined: "suppressed medical_claim"},
		{name: "answered aloud", answer: ends(event.Answered, "dispatcher", "spoken", event.Public), runTime: 3 * time.Second, cover: "answered spoken", joined: "merged same_question", heard: "cover"},
		{name: "heard already", answer: ends(event.Merged, "dispatcher", "same_words", event.Public), runTime: 3 * time.Second, cover: "merged same_words", joined: "merged same_question", heard: "heard"},
		{name: "answered privately too late", answer: ends(event.Answered, "dispatcher", "sent", event.Private), runTime: 14 * time.Second, cover: "answered sent", joined: "expired waited"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, r *rig) {
				r.runTime = tt.runTime
				if tt.busy {
					r.say("x1", "a8", "88号多少钱")
					r.say("x2", "a9", "89号多少钱")
				}
				r.answer = tt.answer
				r.say("cover", "a1", "3号多少钱")
				r.say("joined", "a2", "3号价格")
				if tt.late != nil {
					tt.late(r)
				}
				r.pass(60 * time.Second)
				r.want("cover", tt.cover)
				r.want("joined", tt.joined)
				for _, o := range all[event.Outcome](r) {
					if o.DanmakuID == "joined" {
						complete(t, o)
						if want := tt.heard; o.State == event.Merged && o.CoverID != want {
							t.Errorf("covered by %s, want %s", o.CoverID, want)
						}
					}
				}
			})
		})
	}
}

// complete checks what every outcome written by the aggregator says.
func complete(t *testing.T, o event.Outcome) {
	t.Helper()
	if missing := o.Missing(); len(missing) > 0 {
		t.Errorf("outcome of %s lacks %v", o.DanmakuID, missing)
	}
	if o.By != "aggregator" || o.PlatformMs == 0 || o.TimeMs < o.PlatformMs || o.ViewerID == "" || o.Variant == "" || o.Intent == "" || !o.Eligible {
		t.Errorf("incomplete outcome %+v", o)
	}
	if (o.State == event.Merged || o.State == event.Silent || o.State == event.Suppressed || o.State == event.HandedOver) && o.CoverID == "" {
		t.Errorf("outcome does not say whose it is: %+v", o)
	}
}

func closeRoom(r *rig) { r.put(r.event(event.RoomClosed, nil)) }

func changePrice(r *rig) {
	r.put(r.event(event.ProductChanged, func(e *event.RoomEvent) { e.LinkID = "3" }))
}

func retractCover(r *rig) {
	r.put(r.event(event.DanmakuRetracted, func(e *event.RoomEvent) { e.DanmakuID = "cover" }))
}

func stale(w event.Window) []event.Event {
	d := event.Delivery{
		Schema: 1, DeliveryID: event.DeliveryID(w.WindowID), ReplyID: w.WindowID, RoomID: roomID, Channel: event.Public,
		State: event.DeliveryCancelled, StaleFact: true, TimeMs: time.Now().UnixMilli(),
	}
	for _, m := range w.Members {
		d.DanmakuIDs = append(d.DanmakuIDs, m.DanmakuID)
	}
	return []event.Event{reply(w), d}
}

// Those who joined late have time of their own left: they are asked for
// themselves, and when that too is lost they end with its reason.
func TestJoinedLaterAreAskedForThemselves(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, r *rig) {
		r.say("x1", "a8", "88号多少钱") // nobody answers
		r.say("x2", "a9", "89号多少钱")
		r.say("cover", "a1", "3号多少钱")
		for i := range 4 {
			r.pass(2 * time.Second)
			r.say(fmt.Sprint("j", i), fmt.Sprint("a2", i), "3号价格")
		}
		r.pass(60 * time.Second)
		r.want("cover", "shed capacity")
		for i := range 4 {
			r.want(fmt.Sprint("j", i), "shed capacity")
		}
		for _, o := range all[event.Outcome](r) {
			complete(t, o)
		}
	})
}

// What the platform, or a missing private channel, kept from one viewer may reach the
// others: each is asked for apart.
func TestJoinedAreNotSuppressedForTheirCoversViewer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason        string
		cover, joined event.ViewerID
		private       bool
		run           time.Duration
		want          string
	}{
		{"private_repeat", "a1", "a2", true, 3 * time.Second, "answered reply"},
		{"private_repeat", "a1", "a1", true, 3 * time.Second, "suppressed private_repeat"}, // the same end once more
		{"private_repeat", "a1", "0", true, 3 * time.Second, "answered reply"},
		{"private_repeat", "a1", "a2", true, 14 * time.Second, "expired waited"},
		{"no_private_channel", "0", "a2", true, 3 * time.Second, "answered reply"},
		{"no_private_channel", "0", "", true, 3 * time.Second, "suppressed no_private_channel"},
		{"no_private_channel", "0", "a2", false, 3 * time.Second, "suppressed no_private_channel"},
		{"voice_stopped", "0", "a2", true, 3 * time.Second, "answered reply"},
		{"voice_stopped", "0", "a2", false, 3 * time.Second, "suppressed voice_stopped"},
		{"no_verdict", "a1", "a2", true, 3 * time.Second, "suppressed no_verdict"},
	} {
		inBubble(t, func(t *testing.T, r *rig) {
			r.runTime = tt.run
			r.answer = func(w event.Window) []event.Event {
				if w.Members[0].DanmakuID != "cover" {
					return answered(w)
				}
				o := outcomeOf(w, "cover", event.Suppressed, "")
				o.Reason = tt.reason
				return []event.Event{reply(w), o}
			}
			r.put(r.event(event.RoomSettingsSet, func(e *event.RoomEvent) {
				e.Settings = &event.RoomSettings{Language: "zh", PrivateText: tt.private}
			}))
			r.say("cover", string(tt.cover), "3号多少钱")
			r.say("joined", string(tt.joined), "3号价格")
			r.say("joined2", string(tt.joined), "3号价格")
			r.pass(30 * time.Second)
			r.want("cover", "suppressed "+tt.reason)
			for _, id := range []string{"joined", "joined2"} {
				if got := r.outcome(id); got != tt.want {
					t.Errorf("%s of %s and %s %s, private text %v: %q, want %q", tt.reason, tt.cover, id, tt.joined, tt.private, got, tt.want)
				}
			}
		})
	}
}
