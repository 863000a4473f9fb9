package mcptoolset

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"livehost/harness"
)

// differences are what of a server's schema our tool does not fit: the release's
// schema stays in force, and calls may be refused there.
func differences(t *harness.Tool, theirs mcp.Tool) []string {
	schema := theirs.InputSchema
	var out []string
	given := map[string]bool{}
	for name, ours := range t.Schema.Properties {
		if name == t.Asker {
			continue // not sent
		}
		if renamed := t.Binding.Params[name]; renamed != "" {
			name = renamed
		}
		given[name] = true
		want, known := schema.Properties[name]
		switch types := typesOf(want); {
		case !known:
			if len(schema.Properties) > 0 || schema.AdditionalProperties == false {
				out = append(out, name+" is not there")
			}
		case len(types) > 0 && ours.Types != nil && !overlap(ours.Types.ToStrings(), types):
			out = append(out, fmt.Sprintf("%s is %v there, not %v", name, types, ours.Types.ToStrings()))
		}
	}
	for _, name := range schema.Required {
		if !given[name] {
			out = append(out, name+" is required")
		}
	}
	slices.Sort(out)
	return out
}

// typesOf are the types of a property's schema; none when it does not say.
func typesOf(property any) []string {
	p, _ := property.(map[string]any)
	switch v := p["type"].(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// overlap reports whether a value can be of a type of both; an integer is a number.
func overlap(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y || x == "integer" && y == "number" || x == "number" && y == "integer" {
				return true
			}
		}
	}
	return false
}

// fingerprint tells lists of tools apart by names and schemas, in any order.
func fingerprint(list []mcp.Tool) string {
	var sums []string
	for _, t := range list {
		b, err := json.Marshal(t.InputSchema)
		if err != nil {
			b = []byte(err.Error())
		}
		sums = append(sums, fmt.Sprintf("%x", sha256.Sum256(append([]byte(t.Name+"\x00"), b...))))
	}
	slices.Sort(sums)
	return fmt.Sprint(sums)
}
