package guardrail

import (
	"encoding/json"
	"fmt"
	"strings"

	"livehost/agentworker/guardrail/quantity"
)

// ToolParams objects to arguments that are not an object, and to link numbers that
// neither a viewer, the focus nor an earlier result named: a model that invents one
// would answer about another product. What the schema demands, the toolset checks.
func ToolParams(in *Input) (Finding, bool) {
	var obj map[string]any
	if err := json.Unmarshal(in.Tool.Args, &obj); err != nil || obj == nil {
		return found(string(in.Tool.Args), "arguments are not an object")
	}
	for _, p := range in.Tool.LinkParams {
		for _, link := range linksOf(obj[p]) {
			if !in.Evidence.namesLink(link) {
				return found(link, fmt.Sprintf("%s: nobody named link %s", p, link))
			}
		}
	}
	return fine, true
}

func linksOf(v any) []string {
	if list, ok := v.([]any); ok {
		var out []string
		for _, x := range list {
			out = append(out, linksOf(x)...)
		}
		return out
	}
	if s := strings.TrimSpace(text(v)); s != "" {
		return []string{s}
	}
	return nil
}

func (e *Evidence) namesLink(link string) bool {
	qs := quantity.Read(link)
	if len(qs) != 1 {
		return strings.Contains(e.wordsText.String(), link) || e.says(link)
	}
	if among(e.words, qs[0]) || among(e.facts, qs[0]) {
		return true
	}
	for _, r := range e.Results {
		for _, rec := range r.records {
			if string(rec.link) == link || among(rec.numbers, qs[0]) {
				return true
			}
		}
	}
	return false
}
