package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"livehost/streams/event"
)

// sorted are the keys of all fates, of accepted danmaku or not.
func (v *View) sorted() []Key {
	return slices.SortedFunc(maps.Keys(v.fates), func(a, b Key) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Room, b.Room)) })
}

// conflicts lists the danmaku whose records contradict each other: two terminal
// states, or a state that the deliveries do not bear out.
func (v *View) conflicts() []Finding {
	var out []Finding
	for _, key := range v.sorted() {
		if what := v.contradiction(key, v.fates[key]); what != "" {
			out = append(out, Finding{Kind: Conflict, ID: string(key.ID), What: what})
		}
	}
	return out
}

func (v *View) contradiction(key Key, f *fate) string {
	heard := len(v.answers(key)) > 0
	switch {
	case len(f.states) > 1:
		return fmt.Sprintf("has the states %v", f.states)
	case f.state() == event.Answered && len(f.heard) == 0:
		return "is answered, but nothing was heard or sent"
	case f.state() == event.Merged && !heard:
		return "is merged, but what covers it was not heard"
	case f.outcome != nil && !served(f.state()) && slices.ContainsFunc(f.heard, (*utterance).whole):
		return fmt.Sprintf("is %s, but was heard", f.state())
	default:
		return ""
	}
}

// whole reports whether all of it was heard or sent.
func (u *utterance) whole() bool { return u.has(event.DeliveryEnded) || u.has(event.DeliverySent) }

// unaccounted lists the accepted danmaku without an outcome, and the outcomes of
// danmaku that nobody accepted.
func (v *View) unaccounted() []Finding {
	var out []Finding
	for _, key := range v.keys {
		f := v.fates[key]
		if f.outcome != nil {
			continue
		}
		what := "has no outcome; it was never placed in a window"
		if f.window != nil {
			what = "has no outcome; its first window is " + string(f.window.WindowID)
		}
		out = append(out, Finding{Kind: Unaccounted, ID: string(key.ID), What: what})
	}
	for _, key := range v.sorted() {
		if f := v.fates[key]; f.accepted == nil && f.outcome != nil {
			out = append(out, Finding{Kind: Unaccounted, ID: string(key.ID), What: "has an outcome, but is not in " + event.TopicDanmaku})
		}
	}
	return out
}

// answeredTwice lists the danmaku whose viewers heard an answer twice: two
// deliveries on one outlet and channel, a delivery that began twice, or public
// speech and private text of one variant.
func (v *View) answeredTwice() []Finding {
	var out []Finding
	for _, key := range v.sorted() {
		if what := twice(v.fates[key].heard); what != "" {
			out = append(out, Finding{Kind: AnsweredTwice, ID: string(key.ID), What: what})
		}
	}
	for _, u := range v.utterances {
		if len(u.starts) > 1 && u.reached() {
			out = append(out, Finding{Kind: AnsweredTwice, ID: string(u.DeliveryID), What: "began to be spoken more than once"})
		}
	}
	return out
}

func twice(heard []*utterance) string {
	for i, a := range heard {
		for _, b := range heard[i+1:] {
			switch {
			case a.Channel == b.Channel && a.Outlet == b.Outlet:
				return fmt.Sprintf("was answered on %s (%s) by %s and %s", a.Outlet, a.Channel, a.DeliveryID, b.DeliveryID)
			case a.Channel != b.Channel && a.Variant == b.Variant:
				return fmt.Sprintf("was answered in public and in private by %s and %s, both of variant %q", a.DeliveryID, b.DeliveryID, a.Variant)
			}
		}
	}
	return ""
}

// lateSpoken lists the danmaku whose public answer began after speak_by, which
// is reckoned from the platform's time.
func (v *View) lateSpoken(opt Options) []Finding {
	var out []Finding
	within := cmp.Or(opt.SpeakBy, speakWithin).Milliseconds()
	for _, u := range v.utterances {
		if u.Channel != event.Public || u.first == 0 || !u.reached() {
			continue
		}
		if len(u.DanmakuIDs) == 0 && u.SpeakByMs > 0 && u.first > u.SpeakByMs {
			out = append(out, Finding{Kind: LateSpoken, ID: string(u.DeliveryID), What: fmt.Sprintf("began %d ms after speak_by", u.first-u.SpeakByMs)})
		}
		for _, id := range u.DanmakuIDs {
			f := v.fates[Key{u.RoomID, id}]
			if f.accepted == nil {
				continue
			}
			if late := u.first - f.platformMs(opt.Room) - within; late > 0 {
				out = append(out, Finding{Kind: LateSpoken, ID: string(id), What: fmt.Sprintf("delivery %s began %d ms after speak_by", u.DeliveryID, late)})
			}
		}
	}
	return out
}

// overlaps lists the public deliveries that began while another voice was
// speaking in the room.
func (v *View) overlaps() []Finding {
	rooms := map[event.RoomID][]*utterance{}
	for _, u := range v.utterances {
		if u.Channel == event.Public && u.first > 0 && u.reached() {
			rooms[u.RoomID] = append(rooms[u.RoomID], u)
		}
	}
	var out []Finding
	for _, room := range sortedKeys(rooms) {
		spoken := rooms[room]
		slices.SortStableFunc(spoken, func(a, b *utterance) int { return cmp.Compare(a.first, b.first) })
		var speaking *utterance
		for _, u := range spoken {
			if speaking != nil && u.first < speaking.end {
				out = append(out, Finding{Kind: Overlap, ID: string(u.DeliveryID), What: fmt.Sprintf("began %d ms before %s ended", speaking.end-u.first, speaking.DeliveryID)})
			}
			if speaking == nil || u.end > speaking.end {
				speaking = u
			}
		}
	}
	return out
}
