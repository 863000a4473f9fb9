package harness

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxResource bounds a resource, in characters: the policy reads it whole, within a
// run's time.
const maxResource = 8000

// Resource is the text of a file of the skill's folder, by its path there as the
// skill writes it. There is nothing outside the folder.
func (s *Skill) Resource(file string) (string, bool) {
	text, ok := s.resources[path.Clean(file)]
	return text, ok
}

// Resources are the paths of the skill's further files, sorted.
func (s *Skill) Resources() []string { return sortedKeys(s.resources) }

// loadResources reads the files beside SKILL.md. They are texts; scripts are not run,
// and a link may lead out of the folder.
func (l *loader) loadResources(dir string) map[string]string {
	out := map[string]string{}
	err := fs.WalkDir(l.fsys, dir, func(file string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(file, dir+"/")
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), "."): // an editor's, or a version control's
			return nil
		case d.IsDir() || name == "SKILL.md":
			return nil
		case !d.Type().IsRegular():
			l.ps.add(file, 0, "is no regular file; a skill's resources are files of its own folder")
			return nil
		}
		data, ok := l.read(file)
		if !ok {
			return nil
		}
		text := blockText(data)
		switch n := utf8.RuneCountInString(text); {
		case !utf8.ValidString(text):
			l.ps.add(file, 0, "is not UTF-8 text, and the policy reads only that")
		case n == 0:
			l.ps.add(file, 0, "is empty")
		case n > maxResource:
			l.ps.add(file, 0, "has %d characters, at most %d are allowed; split it by what is read together", n, maxResource)
		}
		out[name] = text
		return nil
	})
	if err != nil {
		l.ps.add(dir, 0, "cannot be read: %v", err)
	}
	return out
}

// reference finds what a text refers to: the target of a Markdown link, and a path
// into one of the format's folders in backquotes.
var reference = regexp.MustCompile("\\]\\(([^)\\s]+)\\)|`((?:\\./)?(?:references|assets|scripts)/[^`\\s]+)`")

// checkReferences reports what a skill's texts refer to and is not there, with its
// line, and resources that nothing refers to: the policy cannot know of them.
func (l *loader) checkReferences(dir string, s *Skill) {
	known := map[string]bool{}
	check := func(file, text string, base string) {
		fenced := false
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			}
			if fenced {
				continue // examples
			}
			for _, m := range reference.FindAllStringSubmatch(line, -1) {
				target, _, _ := strings.Cut(m[1]+m[2], "#")
				if target == "" || strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
					continue
				}
				name := path.Join(base, target)
				if m[2] != "" {
					name = path.Clean(target) // in backquotes it is written from the skill's folder
				}
				if _, ok := s.resources[name]; !ok && name != "SKILL.md" {
					l.ps.add(file, i+1, "refers to %q, which is not in the skill's folder", target)
				}
				known[name] = true
			}
		}
	}
	check(path.Join(dir, "SKILL.md"), strings.ReplaceAll(string(trimBOM(s.raw)), "\r\n", "\n"), "")
	for _, name := range s.Resources() {
		check(path.Join(dir, name), s.resources[name], path.Dir(name))
	}
	for _, name := range s.Resources() {
		if !known[name] {
			l.ps.add(path.Join(dir, name), 0, "SKILL.md does not refer to it, so that the policy cannot know of it; name its path where it is of use")
		}
	}
}

// checkReaders reports skills of the manifest, and of overlays over it, whose
// resources no tool of it gives the policy.
func (h *Harness) checkReaders(ps *problems, file string, doc *yamlDoc, m *manifest) {
	loader := h.skillLoader(m)
	if loader.reads() {
		return
	}
	const why = "skill %q has resources that no tool reads; give the tool bound to %s a parameter %s"
	for i, name := range m.Skills {
		if s := h.skills[name]; s != nil && len(s.resources) > 0 {
			ps.add(file, doc.line("skills", i), why, name, BuiltinLoadSkill, ParamPath)
		}
	}
	if loader == nil {
		return // overlays add no skills then
	}
	for _, merchant := range h.Merchants() {
		for _, name := range sortedKeys(h.overlays[merchant].skills) {
			if s := h.overlays[merchant].skills[name]; len(s.resources) > 0 {
				ps.add(file, doc.line("tools"), "overlay "+string(merchant)+": "+why, name, BuiltinLoadSkill, ParamPath)
			}
		}
	}
}

// skillLoader is the manifest's tool that brings skills, nil when it has none.
func (h *Harness) skillLoader(m *manifest) *Tool {
	for _, name := range m.Tools {
		if t := h.tools[name]; t != nil && t.Binding.Kind == BindBuiltin && t.Binding.Name == BuiltinLoadSkill {
			return t
		}
	}
	return nil
}

// reads reports whether the tool takes the path of a resource.
func (t *Tool) reads() bool {
	if t == nil || t.Schema == nil {
		return false
	}
	for ours := range t.Schema.Properties {
		if theirs := t.Binding.Params[ours]; theirs == ParamPath || ours == ParamPath && theirs == "" {
			return true
		}
	}
	return false
}
