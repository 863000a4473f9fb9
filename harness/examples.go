package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"livehost/streams/event"
)

// Example is one entry of a "## Examples" block: what viewers say, the call that
// answers it and the reply. A policy reads them from the prompt; here they are
// only checked.
type Example struct {
	Viewer  Texts         `yaml:"viewer"`
	Event   Texts         `yaml:"event"`
	Call    *ExampleCall  `yaml:"call"`
	Reply   Texts         `yaml:"reply"`
	When    []ExampleWhen `yaml:"when"`
	Private bool          `yaml:"private"`
	Silent  string        `yaml:"silent"`
	Hand    string        `yaml:"hand_over"`

	Line int `yaml:"-"` // in its file
}

// ExampleCall is the tool call of an example; values may hold placeholders.
type ExampleCall struct {
	Tool string         `yaml:"tool"`
	Args map[string]any `yaml:"args"`
}

// ExampleWhen is a condition on the result and what it replaces.
type ExampleWhen struct {
	If     map[string]any `yaml:"if"`
	Reply  Texts          `yaml:"reply"`
	Silent string         `yaml:"silent"`
	Hand   string         `yaml:"hand_over"`
}

// eventKinds are the kinds of room events that can be answered.
var eventKinds = []string{string(event.Gift), string(event.Like), string(event.Enter), string(event.Follow)}

var examplesHeading = regexp.MustCompile(`(?m)^## Examples[ \t]*$`)

// ParseExamples reads the examples of a Markdown text, none when it has no such
// block. file is only for messages.
func ParseExamples(file string, data []byte) ([]Example, error) {
	text := strings.ReplaceAll(string(trimBOM(data)), "\r\n", "\n")
	var out []Example
	var ps problems
	for _, at := range examplesHeading.FindAllStringIndex(text, -1) {
		examples, err := examplesAt(file, text, at[0], at[1])
		ps.addErr(err)
		out = append(out, examples...)
	}
	return out, ps.err()
}

// examplesAt reads the block below the heading that begins and ends there.
func examplesAt(file, text string, begin, end int) ([]Example, error) {
	const fence, closing = "\n```yaml\n", "\n```"
	from := strings.Index(text[end:], fence)
	if from < 0 || !strings.Contains(text[end+from+len(fence):], closing) {
		return nil, Problem{file, lineAt([]byte(text), int64(begin)), "## Examples holds no fenced yaml block"}
	}
	from += end + len(fence)
	body, _, _ := strings.Cut(text[from:], closing)
	first := lineAt([]byte(text), int64(from))
	var out []Example
	if err := yaml.Unmarshal([]byte(body), &out); err != nil {
		return nil, yamlProblems(file, first, err)
	}
	for i := range out {
		out[i].Line += first - 1
	}
	return out, nil
}

// UnmarshalYAML reads one entry with its line. Its keys are checked here, because
// a strict decoder does not reach through it.
func (e *Example) UnmarshalYAML(n *yaml.Node) error {
	type plain Example
	if err := n.Decode((*plain)(e)); err != nil {
		return err
	}
	e.Line = n.Line
	errs := unknownKeys(n, "viewer", "event", "call", "reply", "when", "private", "silent", "hand_over")
	errs = append(errs, unknownKeys(child(n, "call"), "tool", "args")...)
	if when := child(n, "when"); when != nil {
		for _, w := range when.Content {
			errs = append(errs, unknownKeys(w, "if", "reply", "silent", "hand_over")...)
		}
	}
	if len(errs) > 0 {
		return &yaml.TypeError{Errors: errs}
	}
	return nil
}

func unknownKeys(n *yaml.Node, known ...string) (errs []string) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if k := n.Content[i]; !slices.Contains(known, k.Value) {
			errs = append(errs, fmt.Sprintf("line %d: there is no key %s in an example", k.Line, k.Value))
		}
	}
	return errs
}

// checkExamples reports examples that no policy could follow with the tools.
func (h *Harness) checkExamples(file string, data []byte) error {
	examples, err := ParseExamples(file, data)
	var ps problems
	ps.addErr(err)
	for _, e := range examples {
		bad := func(format string, args ...any) { ps.add(file, e.Line, "example: "+format, args...) }
		if (len(e.Viewer) == 0) == (len(e.Event) == 0) {
			bad("needs viewer or event, one of the two")
		}
		if len(e.Reply) == 0 && e.Silent == "" && e.Hand == "" {
			bad("has no reply, silent or hand_over")
		}
		for _, kind := range e.Event {
			if !slices.Contains(eventKinds, kind) {
				bad("there is no event %q to answer; there is %s", kind, strings.Join(eventKinds, ", "))
			}
		}
		e.checkTemplates(bad)
		for i, w := range e.When {
			if len(w.If) == 0 || len(w.Reply) == 0 && w.Silent == "" && w.Hand == "" {
				bad("when[%d] needs if, and reply, silent or hand_over", i)
			}
		}
		if e.Call == nil {
			continue
		}
		t := h.tools[e.Call.Tool]
		if t == nil {
			bad("there is no tool %q", e.Call.Tool)
			continue
		}
		if t.Schema == nil {
			continue // the tool itself is reported
		}
		for _, name := range sortedKeys(e.Call.Args) {
			if t.Schema.Properties[name] == nil {
				bad("tool %s has no parameter %q", t.Name, name)
			}
		}
		for _, name := range t.Schema.Required {
			if _, ok := e.Call.Args[name]; !ok {
				bad("tool %s requires %q", t.Name, name)
			}
		}
		if t.Private && !e.Private {
			bad("tool %s is private, the example is not", t.Name)
		}
	}
	return ps.err()
}

// checkAllExamples checks the skills and prompt blocks of the harness and its overlays.
func (h *Harness) checkAllExamples() error {
	var ps problems
	skills := func(list map[string]*Skill) {
		for _, name := range sortedKeys(list) {
			if s := list[name]; s.File != "" {
				ps.addErr(h.checkExamples(s.File, s.raw))
			}
		}
	}
	prompts := func(dir string, list map[string][]byte) {
		for _, name := range sortedKeys(list) {
			ps.addErr(h.checkExamples(fmt.Sprintf("%sprompts/%s.md", dir, name), list[name]))
		}
	}
	skills(h.skills)
	prompts("", h.prompts)
	for _, merchant := range h.Merchants() {
		skills(h.overlays[merchant].skills)
		prompts(fmt.Sprintf("overlays/%s/", merchant), h.overlays[merchant].prompts)
	}
	return ps.err()
}
