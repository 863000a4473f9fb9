package rules

import (
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Example is one entry of an examples list: how to treat what these viewers say.
type Example struct {
	Viewer  texts    `yaml:"viewer"`
	Event   texts    `yaml:"event"`
	Call    *Invoke  `yaml:"call"`
	When    []Branch `yaml:"when"`
	Private bool     `yaml:"private"`
	Answer  `yaml:",inline"`
	Line    int `yaml:"-"` // where it begins in its YAML text, from 1
}

// Answer is what to do at the end: reply with one of several texts, say nothing,
// or hand over. At most one of the three is set.
type Answer struct {
	Reply    texts  `yaml:"reply"`
	Silent   string `yaml:"silent"`
	HandOver string `yaml:"hand_over"`
}

func (a Answer) empty() bool { return len(a.Reply) == 0 && a.Silent == "" && a.HandOver == "" }

// Invoke is the tool call of an example; strings in Args may hold placeholders.
type Invoke struct {
	Tool string         `yaml:"tool"`
	Args map[string]any `yaml:"args"`
}

// Branch replaces the answer when all its conditions hold.
type Branch struct {
	If     map[string]texts `yaml:"if"`
	Answer `yaml:",inline"`
}

// texts is one text or a list of texts. Numbers and booleans are taken as written.
type texts []string

// UnmarshalYAML takes a scalar or a sequence of scalars.
func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	for _, item := range nodes {
		if item.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: want a text or a list of texts", item.Line)
		}
		if item.Tag == "!!null" {
			*t = append(*t, "")
			continue
		}
		*t = append(*t, item.Value)
	}
	return nil
}

// ParseExamples reads the YAML of an examples block. Every problem is reported
// with its line; entries without a problem are returned all the same.
func ParseExamples(text string) ([]Example, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, fmt.Errorf("examples: %w", err)
	}
	if len(root.Content) == 0 {
		return nil, nil
	}
	list := root.Content[0]
	if list.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("examples: line %d: want a list of examples", list.Line)
	}
	var (
		out  []Example
		errs []error
	)
	for _, n := range list.Content {
		e := Example{Line: n.Line}
		err := knownKeys(n)
		if err == nil {
			err = n.Decode(&e)
		}
		if err == nil {
			err = e.check()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("examples: line %d: %w", n.Line, err))
			continue
		}
		out = append(out, e)
	}
	return out, errors.Join(errs...)
}

var exampleKeys = []string{"viewer", "event", "call", "when", "private", "reply", "silent", "hand_over"}

func knownKeys(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("want a mapping with viewer and reply")
	}
	for i := 0; i < len(n.Content); i += 2 {
		if k := n.Content[i].Value; !slices.Contains(exampleKeys, k) {
			return fmt.Errorf("unknown key %q", k)
		}
	}
	return nil
}

func (e Example) check() error {
	var errs []error
	if len(e.Viewer)+len(e.Event) == 0 {
		errs = append(errs, errors.New("viewer is missing"))
	}
	for _, v := range e.Viewer {
		if _, err := parseTemplate(v); err != nil {
			errs = append(errs, fmt.Errorf("viewer %q: %w", v, err))
		}
	}
	if e.Call != nil && e.Call.Tool == "" {
		errs = append(errs, errors.New("call: tool is missing"))
	}
	if e.empty() && len(e.When) == 0 {
		errs = append(errs, errors.New("one of reply, silent and hand_over is missing"))
	}
	errs = append(errs, e.Answer.check("")...)
	for i, w := range e.When {
		at := fmt.Sprintf("when %d: ", i+1)
		if len(w.If) == 0 {
			errs = append(errs, errors.New(at+"if is missing"))
		}
		if w.empty() {
			errs = append(errs, errors.New(at+"one of reply, silent and hand_over is missing"))
		}
		errs = append(errs, w.Answer.check(at)...)
	}
	return errors.Join(errs...)
}

func (a Answer) check(at string) []error {
	var errs []error
	set := 0
	for _, is := range []bool{len(a.Reply) > 0, a.Silent != "", a.HandOver != ""} {
		if is {
			set++
		}
	}
	if set > 1 {
		errs = append(errs, errors.New(at+"only one of reply, silent and hand_over may be set"))
	}
	for _, r := range a.Reply {
		if _, err := parseTemplate(r); err != nil {
			errs = append(errs, fmt.Errorf("%sreply %q: %w", at, r, err))
		}
	}
	return errs
}

// examplesIn finds the fenced YAML of every "## Examples" section of text.
func examplesIn(text string) []string {
	var out []string
	for {
		at := strings.Index(text, "## Examples")
		if at < 0 {
			return out
		}
		text = text[at+len("## Examples"):]
		open := strings.Index(text, "```")
		if open < 0 {
			return out
		}
		nl := strings.IndexByte(text[open:], '\n')
		if nl < 0 {
			return out
		}
		body := text[open+nl+1:]
		end := strings.Index(body, "\n```")
		if end < 0 {
			return out
		}
		out = append(out, body[:end+1])
		text = body[end+4:]
	}
}

// readExamples parses one fenced YAML text, which may have been escaped as data
// on its way.
func readExamples(text string) ([]Example, error) {
	list, err := ParseExamples(text)
	if err != nil && strings.ContainsRune(text, '&') {
		if plain, plainErr := ParseExamples(html.UnescapeString(text)); plainErr == nil {
			return plain, nil
		}
	}
	return list, err
}
