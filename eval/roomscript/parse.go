package roomscript

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"livehost/streams/event"
	"livehost/streams/source"
)

// The sections of the archive.
const (
	scriptSection   = "script"
	settingsSection = "settings"
	catalogSection  = "catalog.json"
)

// Parse reads a room script. With problems the script holds what was good; a
// script with problems is not to be played.
func Parse(file string, data []byte) (*Script, []source.Problem) {
	p := &parser{script: &Script{File: file}, rooms: map[event.RoomID]int{}}
	for _, s := range sections(data) {
		switch s.name {
		case scriptSection:
			p.found = true
			p.each(s, p.scriptLine)
		case settingsSection:
			p.each(s, p.settingsLine)
		case catalogSection:
			p.script.Catalog = []byte(strings.Join(s.lines, "\n"))
		default:
			p.problem(s.first-1, "the section names are script, settings and catalog.json", "section %q is unknown", s.name)
		}
	}
	switch {
	case !p.found && !utf8.Valid(data): // UTF-16, gzip: its lines are not seen at all
		what, do := source.NotText(data)
		p.problem(0, do, "the file %s", what)
	case !p.found:
		p.problem(0, "put the line -- script -- before the lines of the script", "there is no script section")
	case len(p.script.Rooms) == 0 && len(p.problems) == 0:
		p.problem(0, firstRoom, "there is no room")
	}
	p.crossCheck()
	sort.SliceStable(p.problems, func(i, j int) bool { return p.problems[i].Line < p.problems[j].Line })
	return p.script, p.problems
}

// section is one file of the archive with the line number of its first line,
// which txtar does not keep.
type section struct {
	name  string
	first int
	lines []string
}

// plain is data without a byte order mark and with the line ends of Unix.
func plain(data []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
}

func sections(data []byte) []section {
	archive := txtar.Parse(plain(data))
	no := 1 + bytes.Count(archive.Comment, []byte("\n"))
	var out []section
	for _, f := range archive.Files {
		text := strings.TrimSuffix(string(f.Data), "\n")
		s := section{name: f.Name, first: no + 1}
		if text != "" || len(f.Data) > 0 {
			s.lines = strings.Split(text, "\n")
		}
		out = append(out, s)
		no += 1 + len(s.lines)
	}
	return out
}

type parser struct {
	script   *Script
	found    bool
	rooms    map[event.RoomID]int // their lines
	settings event.RoomSettings   // of the present room, as changed so far
	problems []source.Problem
}

func (p *parser) problem(line int, do, format string, args ...any) {
	p.problems = append(p.problems, source.Problem{File: p.script.File, Line: line, What: fmt.Sprintf(format, args...), Do: do})
}

// each calls fn for the lines of a section that are neither empty nor comments.
func (p *parser) each(s section, fn func(no int, line string)) {
	for i, line := range s.lines {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case !utf8.ValidString(line):
			p.problem(s.first+i, source.InUTF8, "the line is not UTF-8")
		default:
			fn(s.first+i, line)
		}
	}
}

const firstRoom = "put a line like `room r-1 merchant m-1 lang zh` first"

func (p *parser) scriptLine(no int, line string) {
	st := parseStatement(line)
	if st.err != "" {
		p.problem(no, st.do, "%s", st.err)
		return
	}
	switch {
	case st.room != nil:
		if first := p.rooms[st.room.ID]; first > 0 {
			p.problem(no, "give each room line its own id", "room %s is already on line %d", st.room.ID, first)
		} else {
			p.rooms[st.room.ID] = no
		}
		p.script.Rooms = append(p.script.Rooms, *st.room)
		p.settings = st.room.Settings
	case st.expect != nil:
		st.expect.Line, st.expect.Source = no, st.canonical()
		p.script.Expects = append(p.script.Expects, *st.expect)
	case len(p.script.Rooms) == 0:
		p.problem(no, firstRoom, "there is no room yet")
	default:
		st.action.Line, st.action.Room = no, len(p.script.Rooms)-1
		if st.action.Kind == "settings" {
			for a := (&args{toks: st.toks, pos: 3}); settingsOption(a, &p.settings); {
			}
			st.action.ChangesTo = p.settings
		}
		p.script.Actions = append(p.script.Actions, *st.action)
	}
}

// statement is one line: a room, an action or an expectation, or what is wrong.
type statement struct {
	room    *source.Room
	action  *Action
	expect  *Expect
	toks    []token
	text    string // after the colon, as written
	hasText bool
	err, do string
}

func parseStatement(line string) statement {
	head, text, cut := line, "", colon(line)
	if cut >= 0 {
		toks, err := tokens(line[:cut])
		if err == nil && len(toks) >= 3 && toks[0].val == "at" && actions[toks[2].val].text {
			head, text = line[:cut], strings.TrimSpace(line[cut+1:])
		} else {
			cut = -1
		}
	}
	toks, err := tokens(head)
	if err != nil {
		return statement{err: err.Error(), do: `close it with a double quote; write \" inside`}
	}
	st := statement{toks: toks, text: text, hasText: cut >= 0}
	a := &args{toks: toks, pos: 1}
	switch toks[0].val {
	case "room":
		st.do = "write room ID [broadcast ID] [merchant ID] [source NAME] [lang zh|en] [private yes|no] [handover yes|no] [thanks yes|no] [name NAME] [catalog ID]"
		st.room = parseRoom(a)
	case "at":
		st.action, st.do = parseAction(a, &st)
	case "expect":
		st.do, st.expect = expectUsage, &Expect{}
		parseExpect(a, st.expect)
	default:
		st.do = "begin the line with room, at, expect or #"
		a.fail("a line cannot begin with %q", toks[0].val)
	}
	if !a.done() {
		a.fail("%q is not expected here", a.toks[a.pos].val)
	}
	st.err = a.err
	return st
}

func parseRoom(a *args) *source.Room {
	room := &source.Room{ID: event.RoomID(a.word("room id")), Source: "script", Settings: event.RoomSettings{Language: "zh"}}
	room.Broadcast = event.BroadcastID(string(room.ID) + "-1")
	for !a.done() {
		switch {
		case a.eat("broadcast"):
			room.Broadcast = event.BroadcastID(a.word("broadcast id"))
		case a.eat("merchant"):
			room.Merchant = event.MerchantID(a.word("merchant id"))
		case a.eat("source"):
			room.Source = a.word("source name")
		default:
			if !settingsOption(a, &room.Settings) {
				return room
			}
		}
	}
	return room
}

func parseAction(a *args, st *statement) (*Action, string) {
	x := &Action{At: a.duration("time"), Sent: -1}
	if a.err != "" {
		return x, "write at TIME and then what happens"
	}
	x.Kind = a.word("what happens")
	spec, ok := actions[x.Kind]
	if !ok {
		a.fail("%q is not something that can happen", x.Kind)
		return x, "use one of " + strings.Join(words(), ", ")
	}
	if spec.text {
		if x.Texts = texts(x.Kind, st.text); !st.hasText || st.text == "" || len(x.Texts) == 0 {
			a.fail(`the text after a plain colon is missing (: "" for an empty one)`)
		}
	}
	spec.parse(a, x)
	if x.Sent < 0 {
		x.Sent = x.At
	}
	return x, "write " + spec.usage
}

// words lists what can happen.
func words() []string {
	var out []string
	for w := range actions {
		out = append(out, w)
	}
	sort.Strings(out)
	return out
}

// canonical is the line with single spaces and normalised times.
func (st statement) canonical() string {
	var words []string
	for _, t := range st.toks {
		words = append(words, t.raw)
	}
	line := strings.Join(words, " ")
	if st.hasText {
		line += ": " + st.text
	}
	return line
}

func (p *parser) settingsLine(no int, line string) {
	const do = "write speed NUMBER or profile NAME"
	toks, err := tokens(line)
	if err != nil {
		p.problem(no, do, "%v", err)
		return
	}
	a := &args{toks: toks}
	switch key := a.word("setting"); key {
	case "speed":
		v := a.word("speed")
		speed, err := strconv.ParseFloat(v, 64)
		if a.err == "" && (err != nil || !(speed > 0 && speed <= 1000)) {
			a.fail("speed %q is not a number above 0 and up to 1000", v)
		}
		p.script.Settings.Speed = speed
	case "profile":
		p.script.Settings.Profile = a.word("profile")
	default:
		a.fail("setting %q is unknown", key)
	}
	if !a.done() {
		a.fail("%q is not expected here", a.toks[a.pos].val)
	}
	if a.err != "" {
		p.problem(no, do, "%s", a.err)
	}
}

// crossCheck finds ids used twice and ids that nothing defines.
func (p *parser) crossCheck() {
	known := map[string]int{}
	for _, x := range p.script.Actions {
		for _, id := range x.danmakuIDs() {
			if first, dup := known[id]; dup {
				p.problem(x.Line, "choose another id; to send the same danmaku again use repeat", "danmaku id %s is already used on line %d", id, first)
			}
			known[id] = x.Line
		}
	}
	const do = "give the danmaku that is meant this id (id ID before its colon)"
	for _, x := range p.script.Actions {
		used := string(x.ReplyTo)
		if x.Kind == "repeat" || x.Kind == "retract" {
			used = x.ID
		}
		if used != "" && known[used] == 0 {
			p.problem(x.Line, do, "no danmaku has the id %s", used)
		}
	}
	for _, e := range p.script.Expects {
		if e.ID != "" && len(expand(e.ID, known)) == 0 {
			p.problem(e.Line, do, "no danmaku has the id %s", e.ID)
		}
	}
}

// expand lists the ids that a pattern (an id, or a prefix ending in *) matches,
// in order.
func expand[V any](pattern string, known map[string]V) []string {
	prefix, many := strings.CutSuffix(pattern, "*")
	var out []string
	for id := range known {
		if id == pattern || many && strings.HasPrefix(id, prefix) {
			out = append(out, id)
		}
	}
	sort.Strings(out)
	return out
}
