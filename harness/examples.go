package harness

import (
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
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

var (
	examplesHeading = regexp.MustCompile(`(?m)^## Examples[ \t]*$`)
	yamlFence       = regexp.MustCompile("(?ms)^```ya?ml[ \t]*\n(.*?)^```[ \t]*$")
)

// ParseExamples reads the examples of a Markdown text, none when it has no such
// block. file is only for messages.
func ParseExamples(file string, data []byte) ([]Example, error) {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	at := examplesHeading.FindStringIndex(text)
	if at == nil {
		return nil, nil
	}
	m := yamlFence.FindStringSubmatchIndex(text[at[1]:])
	if m == nil {
		return nil, Problem{file, lineAt([]byte(text), int64(at[0])), "## Examples holds no fenced yaml block"}
	}
	body := text[at[1]+m[2] : at[1]+m[3]]
	first := lineAt([]byte(text), int64(at[1]+m[2]))
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(body), &root); err != nil {
		return nil, yamlProblems(file, first, err)
	}
	var out []Example
	dec := yaml.NewDecoder(strings.NewReader(body))
	dec.KnownFields(true)
	if err := dec.Decode(&out); err != nil {
		return nil, yamlProblems(file, first, err)
	}
	doc := yamlDoc{file: file, root: &root}
	for i := range out {
		out[i].Line = first + doc.line(i) - 1
	}
	return out, nil
}

// checkExamples reports examples that no policy could follow with the tools.
func (h *Harness) checkExamples(file string, data []byte) error {
	examples, err := ParseExamples(file, data)
	if err != nil {
		return err
	}
	var ps problems
	for _, e := range examples {
		bad := func(format string, args ...any) { ps.add(file, e.Line, "example: "+format, args...) }
		if (len(e.Viewer) == 0) == (len(e.Event) == 0) {
			bad("needs viewer or event, one of the two")
		}
		if len(e.Reply) == 0 && e.Silent == "" && e.Hand == "" {
			bad("has no reply, silent or hand_over")
		}
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
