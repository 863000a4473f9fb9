package rules

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// part is a piece of a template: a literal, a placeholder, or an optional group.
type part struct {
	literal string
	name    string // placeholder, without its arithmetic
	scale   float64
	shift   float64
	linear  bool // the placeholder has arithmetic
	group   []part
}

// parseTemplate reads "text {name} [optional {name}]". Groups do not nest.
func parseTemplate(s string) ([]part, error) {
	var out, outer []part
	inGroup := false
	for s != "" {
		i := strings.IndexAny(s, "{}[]")
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			out = append(out, part{literal: s[:i]})
			s = s[i:]
			continue
		}
		switch s[0] {
		case '{':
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return nil, errors.New("{ without }")
			}
			p, err := parsePlaceholder(s[1:end])
			if err != nil {
				return nil, err
			}
			out, s = append(out, p), s[end+1:]
			continue
		case '[':
			if inGroup {
				return nil, errors.New("[ inside [")
			}
			inGroup, outer, out = true, out, nil
		case ']':
			if !inGroup {
				return nil, errors.New("] without [")
			}
			inGroup, out = false, append(outer, part{group: out})
		default:
			return nil, errors.New("} without {")
		}
		s = s[1:]
	}
	if inGroup {
		return nil, errors.New("[ without ]")
	}
	return out, nil
}

// parsePlaceholder reads "name", "name*0.5" or "name*5+50".
func parsePlaceholder(s string) (part, error) {
	p := part{name: strings.TrimSpace(s), scale: 1}
	i := strings.IndexAny(s, "*+")
	if i >= 0 {
		p.name, p.linear = strings.TrimSpace(s[:i]), true
		rest := s[i:]
		var err error
		if rest[0] == '*' {
			factor, add, _ := strings.Cut(rest[1:], "+")
			p.scale, err = strconv.ParseFloat(strings.TrimSpace(factor), 64)
			rest = "+" + add
		}
		if add := strings.TrimSpace(rest[1:]); err == nil && add != "" {
			p.shift, err = strconv.ParseFloat(add, 64)
		}
		if err != nil {
			return p, fmt.Errorf("placeholder {%s}: want {name*number+number}", s)
		}
	}
	if p.name == "" || strings.ContainsAny(p.name, " \t\n") {
		return p, fmt.Errorf("placeholder {%s}: want a name", s)
	}
	return p, nil
}

// lookup gives a placeholder's value, "" when it has none.
type lookup func(name string) string

// fill writes the template; ok is false when a placeholder outside a group has no value.
func fill(parts []part, value lookup) (text string, ok bool) {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.group != nil:
			if s, ok := fill(p.group, value); ok {
				b.WriteString(s)
			}
		case p.name != "":
			s, ok := p.value(value)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		default:
			b.WriteString(p.literal)
		}
	}
	return b.String(), true
}

func (p part) value(value lookup) (string, bool) {
	s := value(p.name)
	if s == "" || !p.linear {
		return s, s != ""
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return "", false
	}
	return strconv.FormatFloat(f*p.scale+p.shift, 'f', -1, 64), true
}

var placeholders = regexp.MustCompile(`\{[^{}]*\}`)

// stripPlaceholders leaves a template's own words.
func stripPlaceholders(s string) string { return placeholders.ReplaceAllString(s, "") }
