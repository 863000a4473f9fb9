package roomscript

import (
	"slices"
	"strings"

	"livehost/streams/event"
)

const expectUsage = "write expect reply|no reply|outcome|hit|private|public|mode|not_in_room ..., as the README shows"

// parseExpect reads what follows the word expect.
func parseExpect(a *args, e *Expect) {
	switch kind := ExpectKind(a.word("what is expected")); kind {
	case "no":
		if !a.eat("reply") {
			a.fail("only reply can follow expect no")
		}
		e.Kind, e.ID = ExpectNoReply, a.word("danmaku id")
	case ExpectReply:
		e.Kind, e.ID = ExpectReply, a.word("danmaku id")
		if !a.done() {
			parseReply(a, e)
		}
	case ExpectOutcome:
		e.Kind, e.ID = ExpectOutcome, a.word("danmaku id")
		for _, s := range strings.Split(a.word("state"), "|") {
			if a.err == "" && !slices.Contains(event.States(), event.State(s)) {
				a.fail("state %q does not exist", s)
			}
			e.States = append(e.States, event.State(s))
		}
		if !a.done() {
			e.Reason = a.word("reason")
		}
	case ExpectHit:
		e.Kind, e.Value = kind, a.word("rule")
	case ExpectPrivate, ExpectPublic, ExpectNotInRoom:
		e.Kind, e.ID = kind, a.word("danmaku id")
	case ExpectMode:
		e.Kind, e.Value = kind, a.oneOf("mode", string(event.Single), string(event.Multi))
	default:
		a.fail("expect %q is unknown", kind)
	}
}

// parseReply reads what a reply is to be like.
func parseReply(a *args, e *Expect) {
	switch kind := ExpectKind(a.word("contains, lacks, price or stock")); kind {
	case ExpectContains, ExpectLacks, ExpectStock:
		e.Kind, e.Value = kind, a.rest("text")
	case ExpectPrice:
		e.Kind, e.Fen = kind, a.money("price")
	default:
		a.fail("%q is not contains, lacks, price or stock", kind)
	}
}
