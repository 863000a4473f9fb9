package tool

import (
	"encoding/json"
	"fmt"
	"strings"

	"livehost/harness"
	"livehost/streams/event"
)

// facts are the facts a result holds by the tool's declaration. A fact is about
// the product of the nearest object that names one.
func facts(t *harness.Tool, data map[string]any) []event.Fact {
	var out []event.Fact
	for _, f := range t.Facts {
		out = appendFacts(out, f.Kind, strings.Split(f.Field, "."), data, event.Fact{})
	}
	return out
}

func appendFacts(out []event.Fact, kind string, path []string, v any, about event.Fact) []event.Fact {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			out = appendFacts(out, kind, path, x, about)
		}
		return out
	case map[string]any:
		if link := scalar(v["link_id"]); link != "" {
			about = event.Fact{LinkID: event.LinkID(link), ProductID: event.ProductID(scalar(v["product_id"]))}
		}
		if len(path) > 0 {
			return appendFacts(out, kind, path[1:], v[path[0]], about)
		}
		return out
	}
	if value := scalar(v); len(path) == 0 && value != "" {
		about.Kind, about.Value = kind, value
		out = append(out, about)
	}
	return out
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	}
	return ""
}
