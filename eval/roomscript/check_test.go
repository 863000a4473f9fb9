package roomscript_test

import (
	"strings"
	"testing"

	"livehost/eval/audit"
	"livehost/eval/roomscript"
	"livehost/streams/event"
)

func entry[T event.Event](v T) audit.Entry[T] { return audit.Entry[T]{V: v} }

// played is the log of a room in which d-1 was answered aloud, d-2 merged into
// it, d-3 filtered, d-4 told that the product is not there, d-5 left open, d-6 told
// that somebody is looking and d-7 told to look itself, because time was over.
func played() *audit.Log {
	l := &audit.Log{}
	for _, id := range []string{"d-1", "d-2", "d-3", "d-4", "d-5", "d-6", "d-7"} {
		l.Danmaku = append(l.Danmaku, entry(event.Danmaku{DanmakuID: event.DanmakuID(id)}))
	}
	for id, o := range map[string]event.Outcome{
		"d-1": {State: event.Answered, Reason: "spoken"}, "d-2": {State: event.Merged, Reason: "same_question", CoverID: "d-1"},
		"d-3": {State: event.Filtered, Reason: "spam"}, "d-4": {State: event.Answered, Reason: "private_text"}, "d-6": {State: event.Answered, Reason: "private_text"}, "d-7": {State: event.Answered, Reason: "private_text"},
	} {
		o.DanmakuID = event.DanmakuID(id)
		l.Outcomes = append(l.Outcomes, entry(o))
	}
	l.Deliveries = append(l.Deliveries,
		entry(event.Delivery{DeliveryID: "v-1", RunID: "w-1#1", State: event.DeliveryEnded, Channel: event.Public, Text: "八十九元，有货的", DanmakuIDs: []event.DanmakuID{"d-1"}}),
		entry(event.Delivery{DeliveryID: "v-4", RunID: "w-4#1", State: event.DeliverySent, Channel: event.Private, Text: "本场没有", DanmakuIDs: []event.DanmakuID{"d-4"}}),
		entry(event.Delivery{DeliveryID: "v-6", RunID: "w-6#1", State: event.DeliverySent, Channel: event.Private, Text: "我正在查", DanmakuIDs: []event.DanmakuID{"d-6"}}),
		entry(event.Delivery{DeliveryID: "v-7", RunID: "w-7#1", State: event.DeliverySent, Channel: event.Private, Text: "看链接页", DanmakuIDs: []event.DanmakuID{"d-7"}}))
	l.Replies = append(l.Replies, entry(event.Reply{RunID: "w-4#1", NotInRoom: []event.DanmakuID{"d-4"}}),
		entry(event.Reply{RunID: "w-6#1"}), entry(event.Reply{RunID: "w-7#1"}))
	l.Steps = append(l.Steps, entry(event.Step{RunID: "w-4#1", Kind: event.StepTool, Name: "get_stock", Error: "NOT_FOUND"}),
		entry(event.Step{RunID: "w-6#1", Kind: event.StepTool, Name: "get_stock", Error: "TIMEOUT"}),
		entry(event.Step{RunID: "w-7#1", Kind: event.StepFallback, Name: "conservative", Cause: "deadline"}))
	l.Windows = append(l.Windows, entry(event.Window{WindowID: "w-1", Kind: event.DanmakuWindow, Mode: event.Single}))
	l.Hits = append(l.Hits, entry(event.GuardrailHit{HitID: "h", Rule: "spam"}))
	return l
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for expect, want := range map[string]string{
		"reply d-1":                            "",
		"reply d-2":                            "",
		"reply d-3":                            "nothing was heard; it is filtered (spam)",
		"reply d-5":                            "nothing was heard; it has no outcome",
		"reply d-1 contains 有货":                "",
		"reply d-2 contains 缺货":                `heard "八十九元，有货的"`,
		"reply d-1 lacks 缺货":                   "",
		"reply d-1 lacks 有货":                   `heard "八十九元，有货的"`,
		"reply d-1 price 89.00":                "",
		"reply d-2 price 89":                   "",
		"reply d-1 price 79":                   `heard "八十九元，有货的"`,
		"reply d-1 stock 有货":                   "",
		"no reply d-3":                         "",
		"no reply d-1":                         `heard "八十九元，有货的"`,
		"outcome d-3 filtered":                 "",
		"outcome d-3 filtered spam":            "",
		"outcome d-3 filtered flood":           "it is filtered (spam)",
		"outcome d-5 shed":                     "it has no outcome",
		"outcome d-* answered|merged|filtered": "(d-5): it has no outcome",
		"private d-4":                          "",
		"public d-4":                           `heard "本场没有"`,
		"public d-2":                           "",
		"not_in_room d-4":                      "",
		"not_in_room d-1":                      `heard "八十九元，有货的"`,
		"reply d-4 price 89":                   `heard "本场没有"`,
		"reply d-6 price 89":                   `heard "我正在查"; the tool get_stock had no answer in time`,
		"reply d-7 price 89":                   `heard "看链接页"; the policy had no answer in time`,
		"hit spam":                             "",
		"hit grounding":                        "it did not fire; these did: [spam]",
		"mode single":                          "",
		"mode multi":                           "there was no window in this mode",
	} {
		script := mustParse(t, `-- script --
room r
at 1s viewer a id d-1: x
at 1s viewer a id d-2: x
at 1s viewer a id d-3: x
at 1s viewer a id d-4: x
at 1s viewer a id d-5: x
at 1s viewer a id d-6: x
at 1s viewer a id d-7: x
expect `+expect+"\n")
		failures := roomscript.Check(script, played())
		var got []string
		for _, f := range failures {
			got = append(got, f.Error())
			if !strings.HasPrefix(f.Error(), "t.room.txtar:10: expect "+expect) {
				t.Errorf("%s: %q does not begin with the place and the expectation", expect, f.Error())
			}
		}
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasSuffix(got[0], want)) {
			t.Errorf("%s: %q, want %q", expect, got, want)
		}
	}
}
