package dispatcher

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"livehost/streams/event"
)

// answerHeard is what the room heard.
type answerHeard struct {
	reply   event.Reply       // that said it, without what is its askers' alone; of one before this process what is compared with others
	danmaku []event.DanmakuID // that it answered; none for event windows
	viewers []event.ViewerID  // who have it: its askers, who was merged into it, and who was written it since
	endMs   int64

	personal bool // it speaks to one of its askers by name; of one before this process nobody knows that, nor who has it
}

// cover is the danmaku that stands for those it answered.
func (a *answerHeard) cover() event.DanmakuID {
	if len(a.danmaku) == 0 {
		return ""
	}
	return a.danmaku[0]
}

func (a *answerHeard) has(v event.ViewerID) bool { return slices.Contains(a.viewers, v) }

// reached notes whom it has reached.
func (a *answerHeard) reached(list []*owed) {
	for _, o := range list {
		a.viewers = append(a.viewers, o.member.ViewerID)
	}
}

// heardIn is an answer that the item said to its end.
func heardIn(it *item, endMs int64) *answerHeard {
	said := &answerHeard{reply: it.job.reply, danmaku: ids(it.owed), endMs: endMs}
	said.reached(it.owed)
	for _, m := range said.reply.Members {
		if utf8.RuneCountInString(m.ViewerName) > 1 && strings.Contains(said.reply.Public.Text, m.ViewerName) {
			said.personal = true
		}
	}
	said.reply.Members, said.reply.Private, said.reply.NotCovered = nil, nil, nil
	return said
}

// heardFrom is an answer that the log says was heard. It was right when it began.
func (rm *room) heardFrom(dl *event.Delivery) *answerHeard {
	text, _ := rm.disclosed(dl.Text)
	return &answerHeard{danmaku: dl.DanmakuIDs, endMs: dl.EndMs, personal: true, reply: event.Reply{
		Variant: dl.Variant, Facts: dl.Facts, Public: &event.PublicReply{Text: text},
		CreatedMs: dl.FirstAudioMs - rm.d.cfg.VoiceStart.Milliseconds(),
	}}
}

// heardBy is what something heard is known by: the question that it answered, or its
// words and what they say of which goods.
type heardBy struct{ question, words, goods string }

// goods is what an answer states of which goods: "this one is 89" is said of many. Stock
// moves with every order, which the words tell when they state it.
func goods(facts []event.Fact) string {
	var of []string
	for _, f := range facts {
		if f.Kind == "stock" && f.Value != "0" {
			f.Value = ""
		}
		of = append(of, fmt.Sprintf("%s %q %q %q", f.Kind, f.LinkID, f.ProductID, f.Value))
	}
	slices.Sort(of)
	return strings.Join(slices.Compact(of), "\n")
}

// remember notes what the room heard, and forgets what is past the cool-down.
func (rm *room) remember(question string, by heardBy, said *answerHeard) {
	if rm.heard == nil {
		rm.heard = map[heardBy]*answerHeard{}
	}
	longest := max(rm.d.cfg.CoolDown, rm.d.cfg.SameWords).Milliseconds()
	for by, h := range rm.heard {
		if said.endMs-h.endMs > longest {
			delete(rm.heard, by)
		}
	}
	rm.heard[by] = said
	if question != "" && said.cover() != "" {
		rm.heard[heardBy{question: question}] = said
	}
}

// saidLately is the answer in which these words were heard of these goods, nil when that was long ago.
func (rm *room) saidLately(by heardBy, nowMs int64) *answerHeard {
	said, ok := rm.heard[by]
	if !ok || nowMs-said.endMs >= rm.d.cfg.SameWords.Milliseconds() {
		return nil
	}
	return said
}

// otherVariantSaid is the other variant's answer to the question, nil when the room did not
// hear it or long ago.
func (rm *room) otherVariantSaid(reply *event.Reply, nowMs int64) *answerHeard {
	said, ok := rm.heard[heardBy{question: reply.QuestionKey}]
	if !ok || said.reply.Variant == reply.Variant || nowMs-said.endMs >= rm.d.cfg.CoolDown.Milliseconds() {
		return nil
	}
	return said
}

// needNotHear deals with an answer whose question another variant answers aloud, or has
// just answered, and with one in the very words of another: its askers get their own
// variant's text privately, or hear the other voice. It reports whether nobody is left to
// speak for.
func (rm *room) needNotHear(pl *plan, it *item, nowMs int64) bool {
	said := rm.otherVariantSaid(&it.job.reply, nowMs)
	if said == nil {
		said = rm.saidLately(it.by, nowMs)
	}
	var voice *item
	if said == nil {
		voice = rm.voiceFor(it)
	}
	if said == nil && voice == nil {
		return false
	}
	it.split(func(o *owed) bool { return rm.privately(pl, o, nowMs) })
	switch {
	case len(it.owed) == 0:
		rm.leave(pl, it, nowMs)
	case voice != nil:
		voice.followers = append(voice.followers, it)
	case said.cover() == "": // said to nobody who asked
		return false
	default:
		rm.heardIt(pl, it, said, nowMs)
	}
	return true
}

// voiceFor is present or waiting speech that says what the item would: another variant's
// answer to its question, or its words. What waits of its own variant it joins.
func (rm *room) voiceFor(it *item) *item {
	reply := &it.job.reply
	other := rm.now
	if other != nil && !other.event() && !rm.over(&other.job.reply) && !rm.outdated(&other.job.reply) && (other.by == it.by || other.answersFor(reply)) {
		return other
	}
	other, _ = rm.queue.Find(func(other *item) bool {
		return !other.event() && (other.answersFor(reply) || other.by == it.by && other.job.reply.Variant != reply.Variant)
	})
	return other
}

// answersFor reports whether the item answers the reply's question for another variant.
func (it *item) answersFor(reply *event.Reply) bool {
	own := &it.job.reply
	return reply.QuestionKey != "" && own.QuestionKey == reply.QuestionKey && own.Variant != reply.Variant
}

// heardIt merges the item's askers into what they heard.
func (rm *room) heardIt(pl *plan, it *item, said *answerHeard, nowMs int64) {
	reason := reasonSameWords
	if said.reply.Variant != it.job.reply.Variant {
		reason = reasonHeardOther
	}
	dl := spokenDelivery(it, rm.d.voice(), event.DeliverySkipped, reason, nowMs)
	dl.HeardVariant = said.reply.Variant
	pl.deliver(rm, dl)
	for _, o := range it.owed {
		pl.endings = append(pl.endings, ending{o: o, state: event.Merged, reason: reason, channel: event.Public, cover: said.cover()})
	}
	said.reached(it.owed)
	it.owed = nil
	rm.leave(pl, it, nowMs)
}

// join lets a better answer of the same variant to the same question, or one in the same
// words, take over the danmaku of one that still waits: one voice.
func (rm *room) join(it *item) {
	reply := &it.job.reply
	for _, old := range rm.queue.Take(func(q queued) bool {
		r := &q.Value.job.reply
		same := reply.QuestionKey != "" && r.QuestionKey == reply.QuestionKey || q.Value.by == it.by
		return same && r.Variant == reply.Variant && !q.Value.event()
	}) {
		it.owed = append(old.owed, it.owed...)
		if better(&old.job.reply, reply) {
			it.job, it.by = old.job, old.by
			it.heard, it.script, it.length, it.shortened = old.heard, old.script, old.length, old.shortened
		}
		it.followers = append(old.followers, it.followers...)
	}
}

// fallbacks ranks how little an answer says.
var fallbacks = map[string]int{"": 0, "compact": 1, "conservative": 2}

// better reports whether a says more than b, or the same with newer facts.
func better(a, b *event.Reply) bool {
	if fallbacks[a.Fallback] != fallbacks[b.Fallback] {
		return fallbacks[a.Fallback] < fallbacks[b.Fallback]
	}
	return a.CreatedMs > b.CreatedMs
}
