package dispatcher

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/rivo/uniseg"

	"livehost/dispatcher/pacing"
	"livehost/dispatcher/speech"
	"livehost/streams"
	"livehost/streams/event"
)

// job is one reply on its way. Its record is acknowledged when nothing is left:
// the handling itself, each danmaku that waits for an outcome here, and an event
// window's speech count one each.
type job struct {
	reply event.Reply
	ack   streams.Ack
	left  atomic.Int64
	ended atomic.Bool // acknowledged
}

func newJob(reply event.Reply, ack streams.Ack) *job {
	j := &job{reply: reply, ack: ack}
	j.left.Store(1)
	return j
}

func (j *job) hold() { j.left.Add(1) }

func (j *job) release() {
	if j.left.Add(-1) == 0 {
		j.end(nil)
	}
}

// end acknowledges once; with an error the record stays for the next owner.
func (j *job) end(err error) {
	if j.ended.CompareAndSwap(false, true) {
		j.ack(err)
	}
}

// owed is one danmaku that gets its outcome here. It is in one place at a time
// (an item, a private send, a plan), and whoever took it from there ends it.
type owed struct {
	member  event.Member
	job     *job
	private string // what the agent wrote for this asker alone; "" when nothing
	also    []*job // later replies naming the same danmaku wait for the same outcome
	ended   bool   // has its outcome from the aggregator: what becomes of its text is only a delivery
}

func (o *owed) key() danmakuKey { return danmakuKey{o.job.reply.RoomID, o.member.DanmakuID} }

// item is speech: a text and the danmaku it answers.
type item struct {
	job       *job
	heard     string     // as heard
	by        heardBy    // its words, without those of its turn, and what they are about
	script    []Sentence // the same in pieces
	length    time.Duration
	owed      []*owed // none for event windows
	began     bool    // its started is in the log
	shortened bool    // the reply says more
	followers []*item // other variants' answers to the same question, in rooms without private text
}

// write gives the item its text.
func (it *item) write(heard string) {
	it.heard, it.script, it.length = heard, nil, 0
	for _, s := range speech.Script(heard) {
		length := pacing.Length(s.Spoken)
		it.script = append(it.script, Sentence{Text: s.Heard, Spoken: s.Spoken, Length: length})
		it.length += length
	}
}

// shorten leaves out what is beyond the longest speech: whole sentences; of a single one
// that is too long, what follows its last whole character in time.
func (it *item) shorten(longest time.Duration) {
	kept, length := 0, time.Duration(0)
	for _, s := range it.script {
		if length += s.Length; length > longest {
			break
		}
		kept++
	}
	switch {
	case kept == len(it.script):
		return
	case kept > 0:
		var parts []string
		for _, s := range it.script[:kept] {
			parts = append(parts, s.Text)
		}
		it.write(it.joined(parts))
	default:
		it.write(cut(it.script[0].Text, longest))
	}
	it.shortened = true
}

// cut is as much of the beginning as can be said in time. Characters of several runes
// (flags, letters with marks) stay whole.
func cut(text string, longest time.Duration) string {
	var length time.Duration
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if length += pacing.Length(g.Str()); length > longest {
			from, _ := g.Positions()
			return text[:from]
		}
	}
	return text
}

// spoken is the whole text for an engine.
func (it *item) spoken() string {
	parts := make([]string, len(it.script))
	for i, s := range it.script {
		parts[i] = s.Spoken
	}
	return strings.Join(parts, " ")
}

// begun is the text of the sentences that were begun when n were played to their end.
func (it *item) begun(n int) string {
	var parts []string
	for _, s := range it.script[:min(n+1, len(it.script))] {
		parts = append(parts, s.Text)
	}
	return it.joined(parts)
}

// joined puts sentences together as the reply's language writes them.
func (it *item) joined(sentences []string) string {
	if it.job.reply.Language == "en" {
		return strings.Join(sentences, " ")
	}
	return strings.Join(sentences, "")
}

// speakBy is the earliest deadline of the danmaku still in it, the reply's when
// there are none.
func (it *item) speakBy() int64 {
	if len(it.owed) == 0 {
		return it.job.reply.SpeakByMs
	}
	by := it.owed[0].member.SpeakByMs
	for _, o := range it.owed[1:] {
		by = min(by, o.member.SpeakByMs)
	}
	return by
}

func (it *item) event() bool { return it.job.reply.Kind == event.EventWindow }

type queued = pacing.Item[*item]

// queued is the item as pacing sees it.
func (it *item) queued(rm *room) queued {
	return queued{Class: it.job.reply.Class, OnlyAloud: it.onlyAloud(rm), SpeakByMs: it.speakBy(), Length: it.length, Value: it}
}

// split removes the danmaku for which match is true and returns them.
func (it *item) split(match func(*owed) bool) (out []*owed) {
	var rest []*owed
	for _, o := range it.owed {
		if match(o) {
			out = append(out, o)
		} else {
			rest = append(rest, o)
		}
	}
	it.owed = rest
	return out
}

func ids(list []*owed) []event.DanmakuID {
	out := make([]event.DanmakuID, len(list))
	for i, o := range list {
		out[i] = o.member.DanmakuID
	}
	return out
}
