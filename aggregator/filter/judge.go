package filter

import (
	"unicode"

	"livehost/aggregator/lexicon"
	"livehost/aggregator/text"
	"livehost/streams/event"
)

// Check is everything that filters a viewer's danmaku at room time nowMs: listed
// bots, the viewer's rate, then the words. Who asks may talk a lot, admission ranks it
// behind other viewers; not in any words. asks is called when that decides.
func Check(f *Filter, l *Limiter, viewer event.ViewerID, t text.Text, nowMs int64, asks func() bool) Verdict {
	if f.Bot(viewer) {
		return Verdict{Reason: Bot}
	}
	if r := l.Allow(viewer, t.Question, nowMs); r != None && !(r == Flood && asks()) {
		return Verdict{Reason: r}
	}
	return f.Judge(t)
}

// Judge looks at one normalised danmaku.
func (f *Filter) Judge(t text.Text) Verdict {
	if r := empty(t); r != None {
		return Verdict{Reason: r}
	}
	var folded, lower [96]rune
	match, question := appendRunes(folded[:0], t.Match), lexicon.AppendLower(lower[:0], t.Question)
	if span := f.bait(match, question); span != "" {
		return Verdict{Reason: ContactBait, Span: span}
	}
	if v := f.words(match, question); v.Reason != None {
		return v
	}
	for _, plain := range meant(question) {
		if span := f.englishBait(plain); span != "" {
			return Verdict{Reason: ContactBait, Span: span}
		}
		for _, set := range [...]*lexicon.Set[Reason]{english, f.extra} {
			if v := f.find(set, plain); v.Reason != None {
				return v
			}
		}
	}
	return Verdict{}
}

func appendRunes(out []rune, s string) []rune {
	for _, r := range s {
		out = append(out, r)
	}
	return out
}

func empty(t text.Text) Reason {
	letters, digits := 0, 0
	for _, r := range t.Question {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r|0x20 >= 'a' && r|0x20 <= 'z', r >= 0x4e00 && r <= 0x9fff, r >= 0x80 && (unicode.IsLetter(r) || unicode.IsNumber(r)):
			letters++
		}
	}
	switch {
	case letters > 0:
		return None
	case digits > 0:
		return number(t.Question)
	case t.URL:
		return URLOnly
	case t.Emoji:
		return EmojiOnly
	case t.Mention:
		return MentionOnly
	case t.Question == "":
		return Empty
	default:
		return Noise
	}
}

// number keeps what can be a link (80, 36!), a price (29.9) or a measure
// (8+256, 170 120): here a bare number is a question about that link. Laughter
// (666, 2333) and long numbers are not.
func number(q string) Reason {
	const longest = 4
	run, same := 0, 0
	var first rune
	for i, r := range q {
		if r < '0' || r > '9' {
			run = 0
			continue
		}
		if i == 0 {
			first = r
		}
		if r == first {
			same++
		}
		if run++; run > longest {
			return NumberOnly
		}
	}
	if laugh(q) || same >= 3 && same == len(q) {
		return NumberOnly
	}
	return None
}

func laugh(q string) bool {
	if len(q) < 3 || q[0] != '2' {
		return false
	}
	for _, r := range q[1:] {
		if r != '3' {
			return false
		}
	}
	return true
}
