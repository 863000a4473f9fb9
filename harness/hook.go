package harness

import (
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

	raw []byte
}

// The closed sets of the hook format.
var (
	hookPoints  = []string{"run_start", "before_model", "after_model", "before_tool", "after_tool", "before_reply", "stop"}
	hookActions = []string{"allow", "rewrite", "retry", "block", "suppress"}
	hookChecks  = []string{
		"reply_format", "length", "required_skill", "grounding", "identity", "leakage", "sensitive",
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
	h.File, h.raw = file, data
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
