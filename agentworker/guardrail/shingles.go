package guardrail

import (
	"hash/maphash"
	"regexp"
	"strings"
	"unicode"
)

// Runs of so many units are the text's own words and no coincidence. A unit is a
// Han character or a word of letters and digits.
const (
	runHan   = 10
	runLatin = 7
)

// closeHan and closeLatin are the runs of Close: so much of a short text is left when
// it is said in other words.
const (
	closeHan   = 6
	closeLatin = 4
)

var shingleSeed = maphash.MakeSeed()

// Shingles remembers the runs of units of texts, to know them again in a reply.
// The zero value is empty; once filled it is safe for concurrent use.
type Shingles struct {
	han, latin map[uint64]bool
	close      bool // shorter runs count
}

// Close remembers short texts so that they are known again in other words.
func Close(texts ...string) *Shingles {
	s := Shingles{close: true}
	for _, t := range texts {
		s.Add(t)
	}
	return &s
}

// lengths are how many units make a run.
func (s *Shingles) lengths() (han, latin int) {
	if s.close {
		return closeHan, closeLatin
	}
	return runHan, runLatin
}

// unit is one unit and where it stands.
type unit struct {
	from, to int // bytes
	han      bool
	hash     uint64
}

// units are the units of a text in order; what stands between them does not count.
func units(s string) []unit {
	var out []unit
	start := -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, unit{start, at, false, maphash.String(shingleSeed, strings.ToLower(s[start:at]))})
			start = -1
		}
	}
	for i, r := range s {
		switch {
		case isHan(r):
			end(i)
			n := len(string(r))
			out = append(out, unit{i, i + n, true, maphash.String(shingleSeed, s[i:i+n])})
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		case r != '\'':
			end(i)
		}
	}
	end(len(s))
	return out
}

// runs calls f for every run of the units: those of only words are shorter.
func (s *Shingles) runs(us []unit, f func(latin bool, hash uint64, from, to int) bool) {
	runHan, runLatin := s.lengths()
	for i := range us {
		var h uint64
		han := false
		for n := 0; i+n < len(us) && n < runHan; n++ {
			u := us[i+n]
			han = han || u.han
			h = h*1_000_003 + u.hash
			if (n == runLatin-1 && !han || n == runHan-1) && !f(!han, h, us[i].from, u.to) {
				return
			}
			if n == runLatin-1 && !han {
				break
			}
		}
	}
}

// Add remembers a text.
func (s *Shingles) Add(text string) {
	if s.han == nil {
		s.han, s.latin = map[uint64]bool{}, map[uint64]bool{}
	}
	s.runs(units(text), func(latin bool, h uint64, _, _ int) bool {
		if latin {
			s.latin[h] = true
		} else {
			s.han[h] = true
		}
		return true
	})
}

// In is the first part of the text that is in what was added, "" for none.
func (s *Shingles) In(text string) string { return s.Beyond(text, nil) }

// Beyond is In for the parts that are not in the others as well, whose runs are of the
// same lengths.
func (s *Shingles) Beyond(text string, others *Shingles) string {
	if s == nil || len(s.han)+len(s.latin) == 0 {
		return ""
	}
	found := ""
	s.runs(units(text), func(latin bool, h uint64, from, to int) bool {
		if s.has(latin, h) && (others == nil || !others.has(latin, h)) {
			found = text[from:to]
		}
		return found == ""
	})
	return found
}

func (s *Shingles) has(latin bool, hash uint64) bool {
	return latin && s.latin[hash] || !latin && s.han[hash]
}

var fenced = regexp.MustCompile("(?s)```.*?```")

// Prompts remembers texts of the harness that no reply may repeat. Examples, in
// fences, hold replies and are left out.
func Prompts(texts ...string) *Shingles {
	var s Shingles
	for _, t := range texts {
		s.Add(fenced.ReplaceAllString(t, "\n"))
	}
	return &s
}
