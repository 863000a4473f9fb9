package harness

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Hook is one hooks/<name>.yaml: a rule at a lifecycle point.
type Hook struct {
	Name     string            `yaml:"name"`
	Version  string            `yaml:"version"`
	Point    string            `yaml:"point"` // one of Points
	When     string            `yaml:"when"`  // CEL; empty: always
	Check    string            `yaml:"check"` // one of Checks, or empty: the condition alone decides
	Action   string            `yaml:"action"`
	Retries  int               `yaml:"retries"`
	Then     string            `yaml:"then"`     // after the retries: block or suppress
	Reminder map[string]string `yaml:"reminder"` // by language
	Fail     string            `yaml:"fail"`     // "open" or "closed"
	Safety   bool              `yaml:"safety"`   // runs again after rewrites
	File     string            `yaml:"-"`
	WhenLine int               `yaml:"-"` // of File, where When stands

	raw []byte
}

// The closed sets of the hook format.
var (
	hookPoints  = []string{"run_start", "before_model", "after_model", "before_tool", "after_tool", "before_reply", "stop"}
	hookActions = []string{"allow", "rewrite", "retry", "block", "suppress"}
	hookChecks  = []string{
		"input_validity", "reply_format", "length", "required_skill", "grounding", "identity", "leakage", "sensitive",
		"unsupported_claims", "contact_bait", "language", "not_in_room", "tool_params",
		"injection", "repeated_failure", "event_reply",
	}
)

func parseHook(file, stem string, data []byte) (*Hook, error) {
	var h Hook
	doc, err := decodeYAML(file, data, &h)
	if err != nil {
		return nil, err
	}
	h.File, h.WhenLine, h.raw = file, doc.line("when"), data
	if h.Fail == "" {
		h.Fail = "closed"
	}
	var ps problems
	checkName(&ps, doc, h.Name, stem)
	oneOf := func(key, value string, allowed []string) {
		if !slices.Contains(allowed, value) {
			ps.add(file, doc.line(key), "%s is %q, want one of %s", key, value, strings.Join(allowed, ", "))
		}
	}
	if h.Version == "" {
		ps.add(file, 1, "version is empty")
	}
	oneOf("point", h.Point, hookPoints)
	oneOf("action", h.Action, hookActions)
	oneOf("fail", h.Fail, []string{"open", "closed"})
	if h.Check != "" {
		oneOf("check", h.Check, hookChecks)
	}
	if h.Check == "" && h.When == "" {
		ps.add(file, 1, "neither check nor when: nothing decides")
	}
	if h.Action == "retry" {
		oneOf("then", h.Then, []string{"block", "suppress"})
		if h.Retries < 1 {
			ps.add(file, doc.line("retries"), "retries is %d, want at least 1 for action retry", h.Retries)
		}
		for _, lang := range []string{"zh", "en"} {
			if h.Reminder[lang] == "" {
				ps.add(file, doc.line("reminder"), "reminder.%s is empty; action retry needs one", lang)
			}
		}
	}
	return &h, ps.err()
}

// compiled is parseHook, and what compile (nil: nothing) says of a hook without another problem.
func compiled(compile func(*Hook) error) func(file, stem string, data []byte) (*Hook, error) {
	return func(file, stem string, data []byte) (*Hook, error) {
		h, err := parseHook(file, stem, data)
		if err == nil && compile != nil {
			err = compile(h)
		}
		return h, err
	}
}

// Same reports whether two hooks are the same file, byte for byte.
func (h *Hook) Same(other *Hook) bool { return bytes.Equal(h.raw, other.raw) }

// LoadHooks reads hooks outside a harness, to try them: one file, or every *.yaml of
// a folder. Its error lists every Problem; compile is that of Known.
func LoadHooks(path string, compile func(*Hook) error) (hooks []*Hook, folder bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, fmt.Errorf("hooks: %w; name a hook's file or a folder of them", err)
	}
	files := []string{path}
	if info.IsDir() {
		if files, err = fs.Glob(os.DirFS(path), "*.yaml"); err != nil {
			return nil, true, fmt.Errorf("hooks: %w", err)
		}
		for i, name := range files {
			files[i] = filepath.Join(path, name)
		}
	}
	var ps problems
	if len(files) == 0 {
		ps.add(path, 0, "there is no *.yaml; name a hook's file or a folder of them")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			ps.add(file, 0, "cannot be read: %v", err)
			continue
		}
		h, err := compiled(compile)(file, strings.TrimSuffix(filepath.Base(file), ".yaml"), data)
		ps.addErr(err)
		hooks = append(hooks, h)
	}
	return hooks, info.IsDir(), ps.err()
}

// UseHooks is h with these hooks in the place of those of the same name. A hook
// that no release binds is added to every release, at the end; with all, hooks that
// are not among these are taken out.
func (h *Harness) UseHooks(hooks []*Hook, all bool) *Harness {
	out := *h
	out.hooks, out.manifests = map[string]*Hook{}, map[string]*manifest{}
	if !all {
		out.hooks = maps.Clone(h.hooks)
	}
	bound := map[string]bool{}
	for _, m := range h.manifests {
		for _, name := range m.Hooks {
			bound[name] = true
		}
	}
	var added []string
	for _, hook := range hooks {
		out.hooks[hook.Name] = hook
		if !bound[hook.Name] {
			added = append(added, hook.Name)
		}
	}
	for id, m := range h.manifests {
		use := *m
		use.Hooks = slices.DeleteFunc(slices.Clone(m.Hooks), func(name string) bool { return out.hooks[name] == nil })
		use.Hooks = append(use.Hooks, added...)
		out.manifests[id] = &use
	}
	out.resolveAll()
	return &out
}

// Hooks are all hooks of the folder, sorted by name, bound by a release or not.
func (h *Harness) Hooks() []*Hook {
	var out []*Hook
	for _, name := range sortedKeys(h.hooks) {
		out = append(out, h.hooks[name])
	}
	return out
}
