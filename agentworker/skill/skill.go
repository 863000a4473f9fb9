package skill

import (
	"slices"
	"strings"
	"unicode/utf8"

	"livehost/harness"
)

// Block is the text of the skills block: one line a skill. maxDescription, in
// characters, shortens the descriptions; 0 leaves them whole.
func Block(skills []*harness.Skill, maxDescription int, escape func(string) string) string {
	if len(skills) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Skills")
	for _, s := range skills {
		b.WriteString("\n- " + s.Name)
		if len(s.Intents) > 0 {
			b.WriteString(" [intents: " + escape(strings.Join(s.Intents, ", ")) + "]")
		}
		b.WriteString(" " + escape(shorten(strings.Join(strings.Fields(s.Description), " "), maxDescription)))
	}
	return b.String()
}

func shorten(s string, limit int) string {
	if limit <= 0 || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit]) + "…"
}

// Loaded is the skills a run has loaded, in order. The zero value is empty. It is
// not safe for concurrent use.
type Loaded struct{ skills []*harness.Skill }

// Add notes a loaded skill; loading it again changes nothing.
func (l *Loaded) Add(s *harness.Skill) {
	if !slices.Contains(l.skills, s) {
		l.skills = append(l.skills, s)
	}
}

// Names are the loaded skills' names, in the order of loading.
func (l *Loaded) Names() []string {
	names := make([]string, len(l.skills))
	for i, s := range l.skills {
		names[i] = s.Name
	}
	return names
}

// HasReply reports whether a reply skill is loaded, so that a reply may have substance.
func (l *Loaded) HasReply() bool {
	return slices.ContainsFunc(l.skills, func(s *harness.Skill) bool { return s.Kind == harness.ReplySkill })
}

// Required reports whether the release asks for a loaded reply skill at all: one
// without reply skills does not.
func Required(r *harness.Release) bool {
	return slices.ContainsFunc(r.Skills, func(s *harness.Skill) bool { return s.Kind == harness.ReplySkill })
}
