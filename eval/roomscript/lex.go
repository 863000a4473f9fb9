package roomscript

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"livehost/streams/event"
)

// token is one word of a line; raw is how it was written.
type token struct {
	val, raw string
	quoted   bool
}

// tokens splits a line into words; a word in double quotes is a Go string.
func tokens(s string) ([]token, error) {
	var out []token
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if s[0] == '"' {
			raw, err := strconv.QuotedPrefix(s)
			if err != nil {
				return nil, fmt.Errorf("a quoted word does not end")
			}
			val, err := strconv.Unquote(raw)
			if err != nil {
				return nil, fmt.Errorf("%s is not a quoted word", raw)
			}
			out = append(out, token{val: val, raw: raw, quoted: true})
			s = s[len(raw):]
			continue
		}
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		out = append(out, token{val: s[:end], raw: s[:end]})
		s = s[end:]
	}
	return out, nil
}

// colon is the place of the first colon outside quotes, -1 without one.
func colon(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ':':
			return i
		case '"':
			raw, err := strconv.QuotedPrefix(s[i:])
			if err != nil {
				return -1
			}
			i += len(raw) - 1
		}
	}
	return -1
}

// unquote reads a danmaku text: as written, or a Go string when it is wholly in
// double quotes, for what cannot be written plainly (line ends, zero-width signs).
func unquote(s string) string {
	if val, err := strconv.Unquote(s); err == nil && strings.HasPrefix(s, `"`) {
		return val
	}
	return s
}

// args walks the words of a line. The first failure is kept; later calls return
// zero values.
type args struct {
	toks []token
	pos  int
	err  string
}

func (a *args) fail(format string, v ...any) {
	if a.err == "" {
		a.err = fmt.Sprintf(format, v...)
	}
}

func (a *args) done() bool { return a.err != "" || a.pos >= len(a.toks) }

// word is the next word; what says what is expected there.
func (a *args) word(what string) string {
	if a.done() {
		a.fail("%s is missing", what)
		return ""
	}
	a.pos++
	return a.toks[a.pos-1].val
}

// eat takes the next word when it is this one.
func (a *args) eat(word string) bool {
	if a.done() || a.toks[a.pos].quoted || a.toks[a.pos].val != word {
		return false
	}
	a.pos++
	return true
}

// name takes a quoted word when one is next.
func (a *args) name() string {
	if a.done() || !a.toks[a.pos].quoted {
		return ""
	}
	a.pos++
	return a.toks[a.pos-1].val
}

// rest is all remaining words as one text.
func (a *args) rest(what string) string {
	words := []string{a.word(what)}
	for !a.done() {
		words = append(words, a.word(what))
	}
	return strings.Join(words, " ")
}

// maxTime bounds every duration of a script.
const maxTime = 24 * time.Hour

func (a *args) duration(what string) time.Duration {
	s := a.word(what)
	if a.err != "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxTime {
		a.fail("%s %q is not a time between 0s and 24h, like 90s or 1m30s", what, s)
		return 0
	}
	if a.pos > 0 {
		a.toks[a.pos-1].raw = shortDuration(d)
	}
	return d
}

// shortDuration is d without zero units: 1m rather than 1m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// number is a whole number between 0 and limit.
func (a *args) number(what string, limit int64) int64 {
	s := a.word(what)
	if a.err != "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > limit {
		a.fail("%s %q is not a whole number between 0 and %d", what, s, limit)
		return 0
	}
	return n
}

// times reads an optional xN, 1 without it.
func (a *args) times() int64 {
	if a.done() || a.toks[a.pos].quoted || !strings.HasPrefix(a.toks[a.pos].val, "x") {
		return 1
	}
	n, err := strconv.ParseInt(a.toks[a.pos].val[1:], 10, 64)
	if err != nil || n < 1 || n > 1_000_000 {
		a.fail("%q is not a count like x3", a.toks[a.pos].val)
		return 0
	}
	a.pos++
	return n
}

// money reads an amount like 79 or 79.00 as fen.
func (a *args) money(what string) int64 {
	s := a.word(what)
	if a.err != "" {
		return 0
	}
	yuan, cents, dotted := strings.Cut(s, ".")
	if !dotted {
		cents = "00"
	} else if len(cents) == 1 {
		cents += "0"
	}
	fen, err := strconv.ParseUint(yuan+cents, 10, 50)
	if err != nil || yuan == "" || len(cents) != 2 {
		a.fail("%s %q is not an amount like 79 or 79.00", what, s)
		return 0
	}
	return int64(fen)
}

func (a *args) link() event.LinkID {
	s := a.word("link number")
	if a.err == "" && (s == "" || len(s) > 4 || strings.Trim(s, "0123456789") != "") {
		a.fail("link number %q is not 1 to 4 digits", s)
	}
	return event.LinkID(s)
}

// yes reads yes or no.
func (a *args) yes(what string) bool {
	s := a.word(what)
	if a.err == "" && s != "yes" && s != "no" {
		a.fail("%s %q is neither yes nor no", what, s)
	}
	return s == "yes"
}

// oneOf reads one of the words.
func (a *args) oneOf(what string, words ...string) string {
	s := a.word(what)
	for _, w := range words {
		if s == w {
			return s
		}
	}
	a.fail("%s %q is not one of %s", what, s, strings.Join(words, ", "))
	return ""
}
