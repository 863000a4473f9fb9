package guardrail

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"livehost/agentworker/guardrail/quantity"
)

// ToolParams objects to arguments that do not fit the tool's schema, and to link
// numbers that neither a viewer, the focus nor an earlier result named: a model
// that invents one would answer about another product.
func ToolParams(in *Input) (Finding, bool) {
	args, err := jsonschema.UnmarshalJSON(bytes.NewReader(in.Tool.Args))
	if err != nil {
		return found(string(in.Tool.Args), "arguments are not JSON")
	}
	obj, ok := args.(map[string]any)
	if !ok {
		return found(string(in.Tool.Args), "arguments are not an object")
	}
	if in.Tool.Schema != nil {
		if err := in.Tool.Schema.Validate(obj); err != nil {
			return found(string(in.Tool.Args), schemaReason(err))
		}
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

// schemaReason is the first cause of a validation error on one line.
func schemaReason(err error) string {
	lines := strings.Split(err.Error(), "\n")
	return strings.TrimSpace(strings.TrimPrefix(lines[len(lines)-1], "- "))
}
