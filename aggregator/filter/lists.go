package filter

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"livehost/aggregator/lexicon"
	"livehost/aggregator/text"
	"livehost/streams/event"
)

// Lists are an operator's additions to the built-in words.
type Lists struct {
	Words   map[string]Reason // as typed; matched folded
	Allowed []string          // let pass a listed word that they cover
	Bots    []event.ViewerID  // viewers that are machines

	version string
}

// sections name the kinds of lines of a list file.
var sections = map[string]Reason{"[spam]": Spam, "[bait]": ContactBait, "[sensitive]": Sensitive, "[allow]": None, "[bots]": Bot}

// ParseLists reads a list file: sections [spam], [bait], [sensitive], [allow] and
// [bots], one entry a line, # begins a comment. It lists every problem.
func ParseLists(name string, data []byte) (Lists, error) {
	l := Lists{Words: map[string]Reason{}}
	var errs []error
	section, known := None, false
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			if section, known = sections[line]; !known {
				errs = append(errs, fmt.Errorf("%s:%d: %s is none of [spam] [bait] [sensitive] [allow] [bots]", name, n, line))
			}
		case !known:
			errs = append(errs, fmt.Errorf("%s:%d: %q stands in no section", name, n, line))
		case section == Bot:
			l.Bots = append(l.Bots, event.ViewerID(line))
		case tooShort(line):
			errs = append(errs, fmt.Errorf("%s:%d: %q would match nearly everything; want two characters of Chinese or three letters", name, n, line))
		case section == None:
			l.Allowed = append(l.Allowed, line)
		default:
			l.Words[line] = section
		}
	}
	if err := lines.Err(); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", name, err))
	}
	h := fnv.New32a()
	h.Write(data)
	l.version = fmt.Sprintf("%s+%08x", Version, h.Sum32())
	return l, errors.Join(errs...)
}

func tooShort(word string) bool {
	n := 0
	for _, r := range text.Clean(word, text.Chinese).Match {
		if n++; r >= 0x4e00 {
			n++
		}
	}
	return n < 3
}

// Filter judges danmaku by the built-in lists and an operator's. It is immutable
// and safe for concurrent use.
type Filter struct {
	extra   *lexicon.Set[Reason]
	allowed *lexicon.Set[struct{}]
	bots    []event.ViewerID // sorted
	version string
}

// New makes a filter with what l adds.
func New(l Lists) *Filter {
	f := &Filter{bots: slices.Sorted(slices.Values(l.Bots)), version: l.version}
	if f.version == "" {
		f.version = Version
	}
	words := map[string]Reason{}
	for w, reason := range l.Words {
		addFolded(words, w, reason)
	}
	pass := map[string]struct{}{}
	for _, w := range l.Allowed {
		addFolded(pass, w, struct{}{})
	}
	f.extra, f.allowed = lexicon.New(words), lexicon.New(pass)
	return f
}

// addFolded adds the word as typed, for text with spaces, and folded.
func addFolded[T any](to map[string]T, word string, v T) {
	to[string(lexicon.Lower(word))] = v
	if folded := text.Clean(word, text.Chinese).Match; folded != "" {
		to[folded] = v
	}
}

// Version names the lists, on every hit.
func (f *Filter) Version() string { return f.version }

// Bot reports whether the lists name the viewer a machine.
func (f *Filter) Bot(v event.ViewerID) bool {
	_, found := slices.BinarySearch(f.bots, v)
	return found
}
