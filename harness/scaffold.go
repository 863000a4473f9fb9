package harness

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// scaffolds are the least files that validate, by kind; NAME stands for the name.
var scaffolds = map[string]struct{ file, text string }{
	"skill": {"skills/NAME/SKILL.md", `---
name: NAME
description: |
  What this skill is for, and when to load it.
  观众常说：
metadata:
  kind: reply
  intents: product
---

# NAME

What to do, step by step, and what never to say.
`},
	"hook": {"hooks/NAME.yaml", `# What this rule is for.
name: NAME
version: "1"
point: before_reply
check: length
action: retry
retries: 1
then: block
reminder: {zh: "请改短一些", en: "please make it shorter"}
fail: closed
`},
	"tool": {"tools/NAME.yaml", `name: NAME
description: 做什么 / What it does
binding: {kind: mcp, server: commerce, tool: NAME}
parameters:
  type: object
  additionalProperties: false
  required: [link_id]
  properties:
    link_id: {type: string, pattern: "^[0-9]{1,3}$", description: "链接号 / link number"}
`},
	"prompt": {"prompts/NAME.md", "What the policy is told in this block.\n"},
}

// Kinds are the kinds that Scaffold knows, sorted.
func Kinds() []string { return sortedKeys(scaffolds) }

// Scaffold is the file with which content of a kind begins: its path inside the
// harness folder, and a text that validates.
func Scaffold(kind, name string) (file, text string, err error) {
	s, ok := scaffolds[kind]
	if !ok {
		return "", "", fmt.Errorf("there is no kind %q; there is %s", kind, strings.Join(Kinds(), ", "))
	}
	good := identifier.MatchString(name)
	if kind == "skill" {
		good = skillName.MatchString(name) && len(name) <= maxSkillName
	}
	if !good || slices.Contains(dynamicBlocks, name) {
		return "", "", fmt.Errorf("%q is no name for a %s", name, kind)
	}
	return path.Clean(strings.ReplaceAll(s.file, "NAME", name)), strings.ReplaceAll(s.text, "NAME", name), nil
}
