package rules

import (
	"html"
	"regexp"
	"strings"
)

// room is what the system message says about the room and the harness.
type room struct {
	protocol protocol
	skills   []skill
	status   map[string]string // the key: value lines of the block that has a mode
}

// protocol names the tools that have a role. A role that is not offered is zero.
type protocol struct {
	load, public, private, silent, handOver role
}

// role is a tool and its parameters in the protocol's order.
type role struct {
	tool   string
	params []string
}

func (r role) offered() bool { return r.tool != "" }

// skill is one line of the skills block.
type skill struct {
	name        string
	intents     []string
	description string
}

var (
	roleLine   = regexp.MustCompile(`(?m)^- ([a-z ]+): *([\p{L}\p{N}_.-]+)\(([^)]*)\)`)
	statusLine = regexp.MustCompile(`(?m)^([a-z][a-z0-9_]*): *(.*?) *$`)
)

// readRoom reads the blocks of the system message. A text without block elements
// is one block.
func readRoom(system string) room {
	out := room{status: map[string]string{}}
	for _, body := range blocks(system) {
		if s, ok := section(body, "## Protocol"); ok {
			out.protocol = readProtocol(s)
		}
		if s, ok := section(body, "## Skills"); ok {
			out.skills = append(out.skills, readSkills(s)...)
		}
		readStatus(out.status, body)
	}
	return out
}

// blocks are the bodies of the block elements; blocks do not nest. It runs over
// the whole prompt in every round, so it does not use a regular expression.
func blocks(system string) []string {
	var out []string
	for rest := system; ; {
		open := strings.Index(rest, "<block")
		if open < 0 {
			break
		}
		_, body, ok := strings.Cut(rest[open:], ">")
		if !ok {
			break
		}
		body, rest, _ = strings.Cut(body, "</block>")
		out = append(out, strings.TrimPrefix(body, "\n"))
	}
	if len(out) == 0 {
		return []string{system}
	}
	return out
}

// section is the text after the heading line title up to the next heading.
func section(body, title string) (string, bool) {
	at := 0
	if !strings.HasPrefix(body, title) {
		if at = strings.Index(body, "\n"+title); at < 0 {
			return "", false
		}
		at++
	}
	rest := body[at+len(title):]
	nl := strings.IndexByte(rest, '\n')
	if nl < 0 || strings.TrimSpace(rest[:nl]) != "" {
		return "", false
	}
	rest = rest[nl+1:]
	if strings.HasPrefix(rest, "#") {
		return "", true
	}
	rest, _, _ = strings.Cut(rest, "\n#") // the next heading
	return rest, true
}

func readProtocol(s string) protocol {
	var p protocol
	roles := map[string]*role{
		"load a skill": &p.load, "answer in public": &p.public, "answer one viewer privately": &p.private,
		"say nothing": &p.silent, "hand over": &p.handOver,
	}
	for _, m := range roleLine.FindAllStringSubmatch(s, -1) {
		r, ok := roles[strings.TrimSpace(m[1])]
		if !ok {
			continue
		}
		r.tool, r.params = m[2], nil
		for _, name := range strings.Split(m[3], ",") {
			if name = strings.TrimSpace(name); name != "" {
				r.params = append(r.params, name)
			}
		}
	}
	return p
}

// keepOffered forgets the roles whose tool the request does not offer.
func (p *protocol) keepOffered(tools map[string]*schema) {
	for _, r := range []*role{&p.load, &p.public, &p.private, &p.silent, &p.handOver} {
		if tools[r.tool] == nil {
			*r = role{}
		}
	}
}

// readSkills reads lines "- name [intents: a, b] description".
func readSkills(s string) []skill {
	var out []skill
	for line := range strings.Lines(s) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		var sk skill
		sk.name, line, _ = strings.Cut(line, " ")
		if rest, ok := strings.CutPrefix(line, "[intents: "); ok {
			list, after, _ := strings.Cut(rest, "]")
			line = after
			for in := range strings.SplitSeq(list, ",") {
				if in = strings.TrimSpace(in); in != "" {
					sk.intents = append(sk.intents, in)
				}
			}
		}
		sk.description = html.UnescapeString(strings.TrimSpace(line))
		out = append(out, sk)
	}
	return out
}

// readStatus adds the key: value lines of the block that has a mode.
func readStatus(to map[string]string, body string) {
	if !strings.Contains(body, "mode: ") {
		return
	}
	pairs := statusLine.FindAllStringSubmatch(body, -1)
	for _, m := range pairs {
		if m[1] == "mode" && (m[2] == "single" || m[2] == "multi") {
			for _, m := range pairs {
				to[m[1]] = html.UnescapeString(m[2])
			}
			return
		}
	}
}

// ask is one thing to answer: a danmaku, or a room event (kind is set).
type ask struct {
	attrs map[string]string
	text  string
	kind  string
}

func (a ask) id() string { return a.attrs["id"] }

// language is the asker's: the element's attribute, else read off the text.
func (a ask) language() string {
	if l := a.attrs["lang"]; l != "" {
		return l
	}
	return languageOf(a.text)
}

var (
	askElement = regexp.MustCompile(`(?s)<(danmaku|event)\b([^<>]*?)(/>|>(.*?)</(?:danmaku|event)>)`)
	attribute  = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_-]*)="([^"]*)"`)
)

// readAsks reads the danmaku and event elements of a user message, in order.
func readAsks(message string) []ask {
	var out []ask
	for _, m := range askElement.FindAllStringSubmatch(message, -1) {
		a := ask{attrs: map[string]string{}, text: html.UnescapeString(strings.TrimSpace(m[4]))}
		for _, kv := range attribute.FindAllStringSubmatch(m[2], -1) {
			a.attrs[kv[1]] = html.UnescapeString(kv[2])
		}
		a.attrs["text"] = a.text // placeholder {text}: for tools that take the question as it is
		if m[1] == "event" {
			a.kind = a.attrs["kind"]
		}
		out = append(out, a)
	}
	return out
}
