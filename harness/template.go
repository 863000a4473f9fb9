package harness

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A template is a text with {placeholders} and [groups] that are dropped when one in
// them is empty.

// placeholder is a name, with the arithmetic that fits units to each other: {jin*0.5}.
var placeholder = regexp.MustCompile(`^\s*([^\s*+{}\[\]]+)\s*(?:\*\s*[0-9.]+\s*)?(?:\+\s*[0-9.]+\s*)?$`)

// placeholders are the names in a template.
func placeholders(text string) (names []string, err error) {
	inGroup := false
	for i := strings.IndexAny(text, "{}[]"); i >= 0; i = strings.IndexAny(text, "{}[]") {
		switch text[i] {
		case '{':
			inside, rest, closed := strings.Cut(text[i+1:], "}")
			if !closed {
				return nil, errors.New("has a { without }")
			}
			m := placeholder.FindStringSubmatch(inside)
			if m == nil {
				return nil, fmt.Errorf("has {%s}, which is no placeholder; write {name} or {name*number+number}", inside)
			}
			names, text = append(names, m[1]), rest
			continue
		case '}':
			return nil, errors.New("has a } without {")
		case '[':
			if inGroup {
				return nil, errors.New("has a [ inside [ ]")
			}
			inGroup = true
		case ']':
			if !inGroup {
				return nil, errors.New("has a ] without [")
			}
			inGroup = false
		}
		text = text[i+1:]
	}
	if inGroup {
		return nil, errors.New("has a [ without ]")
	}
	return names, nil
}

// given are the placeholders that have values without a capture: attributes of the
// danmaku and event elements, and keys of the room status.
var given = []string{
	"id", "viewer", "lang", "intent", "focus", "text", "kind", "gift", "count",
	"mode", "language", "focus_link_id", "listed_links", "host_name",
}

// checkTemplates reports texts of the example that cannot be filled: where a
// placeholder has no value the example does not apply, so that one with a mistyped
// name is never used, and nobody is told.
func (e Example) checkTemplates(bad func(format string, args ...any)) {
	known := map[string]bool{}
	for _, name := range given {
		known[name] = true
	}
	read := func(what, text string) []string {
		names, err := placeholders(text)
		if err != nil {
			bad("%s %q %v", what, text, err)
		}
		return names
	}
	for _, phrase := range e.Viewer {
		for _, name := range read("viewer", phrase) {
			known[name] = true
		}
	}
	uses := func(what, text string, result bool) {
		for _, name := range read(what, text) {
			switch first, _, _ := strings.Cut(name, "."); {
			case first == "result" && result:
				if e.Call == nil {
					bad("%s uses {%s} without a call that gives it", what, name)
				}
			case !known[name]:
				bad("%s uses {%s}, which no viewer phrase captures and the danmaku does not bring", what, name)
			}
		}
	}
	if e.Call != nil {
		for _, name := range slices.Sorted(maps.Keys(e.Call.Args)) {
			if text, ok := e.Call.Args[name].(string); ok {
				uses("args."+name, text, false)
			}
		}
	}
	replies := func(what string, texts Texts) {
		if texts.blank() {
			bad("%s has an empty text", what)
		}
		for _, text := range texts {
			uses(what, text, true)
		}
	}
	replies("reply", e.Reply)
	for i, w := range e.When {
		replies(fmt.Sprintf("when[%d].reply", i), w.Reply)
	}
}
