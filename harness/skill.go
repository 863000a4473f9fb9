package harness

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// SkillKind says what a skill is for.
type SkillKind string

// The kinds: a substantive reply needs a loaded reply skill; strategy skills only
// add to one.
const (
	ReplySkill    SkillKind = "reply"
	StrategySkill SkillKind = "strategy"
)

// Skill is one skills/<name>/SKILL.md.
type Skill struct {
	Name        string
	Description string // shown in the prompt
	Kind        SkillKind
	Intents     []string // intents of danmaku it is meant for
	Body        string   // Markdown, what load_skill returns
	File        string

	raw       []byte
	resources map[string]string // by path in the skill's folder
}

// FrontMatter is the Agent Skills header of a SKILL.md.
type FrontMatter struct {
	Name          string         `yaml:"name"`
	Description   string         `yaml:"description"`
	License       any            `yaml:"license"`
	Compatibility any            `yaml:"compatibility"`
	AllowedTools  any            `yaml:"allowed-tools"`
	Metadata      map[string]any `yaml:"metadata"`
	Extra         map[string]any `yaml:",inline"` // keys outside the format, tolerated
}

// The limits of the Agent Skills format, in characters.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024
)

var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ParseFrontMatter reads the front matter of a SKILL.md and returns it with the
// body. A byte order mark and CRLF are tolerated. file is only for messages.
func ParseFrontMatter(file string, data []byte) (FrontMatter, string, error) {
	fm, doc, body, err := readFrontMatter(file, data)
	if err != nil {
		return fm, "", err
	}
	return fm, body, fm.check(doc)
}

// readFrontMatter reads it without the format's own rules.
func readFrontMatter(file string, data []byte) (fm FrontMatter, doc *yamlDoc, body string, err error) {
	head, body, err := splitFrontMatter(file, data)
	if err != nil {
		return fm, nil, "", err
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(head), &root); err != nil {
		return fm, nil, "", yamlProblems(file, 2, err)
	}
	if len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		return fm, nil, "", Problem{file, 2, "front matter is not a list of keys; write name: and description:"}
	}
	if err := root.Decode(&fm); err != nil {
		return fm, nil, "", yamlProblems(file, 2, err)
	}
	return fm, &yamlDoc{file: file, root: &root}, body, nil
}

// check holds the front matter to the Agent Skills format.
func (fm FrontMatter) check(doc *yamlDoc) error {
	var ps problems
	file := doc.file
	switch n := utf8.RuneCountInString(fm.Name); {
	case n == 0:
		ps.add(file, 1, "front matter has no name")
	case n > maxSkillName:
		ps.add(file, doc.line("name")+1, "name has %d characters, at most %d are allowed", n, maxSkillName)
	case !skillName.MatchString(fm.Name):
		ps.add(file, doc.line("name")+1, "name %q is not lower-case letters, digits and single hyphens", fm.Name)
	}
	switch n := utf8.RuneCountInString(strings.TrimSpace(fm.Description)); {
	case n == 0:
		ps.add(file, 1, "front matter has no description")
	case n > maxSkillDescription:
		ps.add(file, doc.line("description")+1, "description has %d characters, at most %d are allowed", n, maxSkillDescription)
	}
	return ps.err()
}

// splitFrontMatter cuts the text between the two --- lines from the body.
func splitFrontMatter(file string, data []byte) (head, body string, err error) {
	text := strings.ReplaceAll(string(trimBOM(data)), "\r\n", "\n")
	if !utf8.ValidString(text) {
		return "", "", Problem{file, 1, "the file is not UTF-8"}
	}
	first, rest, ok := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" || !ok {
		return "", "", Problem{file, 1, "no front matter: the first line must be ---"}
	}
	for at := 0; at <= len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		if strings.TrimRight(line, " \t") == "---" {
			if end := at + len(line) + 1; more {
				body = rest[end:]
			}
			return rest[:at], strings.TrimLeft(body, "\n"), nil
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return "", "", Problem{file, 1, "front matter is unterminated: a second line --- is missing"}
}

// parseSkill checks a SKILL.md against folder and our metadata.
func parseSkill(file, folder string, data []byte, known Known) (*Skill, error) {
	fm, doc, body, err := readFrontMatter(file, data)
	if err != nil {
		return nil, err
	}
	var ps problems
	ps.addErr(fm.check(doc))
	if fm.Name != folder {
		ps.add(file, doc.line("name")+1, "name %q is not the folder's name %q", fm.Name, folder)
	}
	s := &Skill{Name: fm.Name, Description: strings.TrimSpace(fm.Description), Body: body, File: file, raw: data}
	metadata := func(key string) string {
		switch v := fm.Metadata[key].(type) {
		case nil:
			return ""
		case []any, map[string]any: // the format's metadata are texts
			ps.add(file, doc.line("metadata", key)+1, "metadata.%s is a list or a map; write a text, several values with commas: %s: price, size", key, key)
			return ""
		default:
			return fmt.Sprint(v)
		}
	}
	s.Kind = SkillKind(metadata("kind"))
	if s.Kind != ReplySkill && s.Kind != StrategySkill {
		ps.add(file, doc.line("metadata", "kind")+1, "metadata.kind is %q, want reply or strategy", s.Kind)
	}
	for intent := range strings.SplitSeq(metadata("intents"), ",") {
		if intent = strings.TrimSpace(intent); intent != "" {
			s.Intents = append(s.Intents, intent)
		}
	}
	known.checkIntents(&ps, file, doc.line("metadata", "intents")+1, "metadata.intents", s.Intents...)
	if s.Kind == ReplySkill && len(s.Intents) == 0 {
		ps.add(file, doc.line("metadata")+1, "metadata.intents is empty; a reply skill names the intents it answers")
	}
	if strings.TrimSpace(body) == "" {
		ps.add(file, 1, "the body is empty")
	}
	return s, ps.err()
}
