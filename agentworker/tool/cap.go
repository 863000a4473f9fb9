package tool

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// capResult bounds a result to about limit characters: first long texts and lists
// inside it are cut, so that it stays JSON; what is still too long, or was no
// JSON, keeps its head and tail.
func capResult(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	data, err := decodeObject(text)
	if err != nil {
		return headTail(text, limit)
	}
	for textMax, listMax := limit/2, 20; textMax >= 20; textMax, listMax = textMax/2, max(1, listMax/2) {
		b, err := json.Marshal(shorten(data, textMax, listMax))
		if err == nil && utf8.RuneCount(b) <= limit {
			return string(b)
		}
	}
	return encode(map[string]any{
		"error": data["error"], "truncated": true, "text": headTail(text, limit/2),
	})
}

// shorten is v with its texts and lists cut; what was cut is said.
func shorten(v any, textMax, listMax int) any {
	switch v := v.(type) {
	case string:
		return headTail(v, textMax)
	case []any:
		out := make([]any, 0, min(len(v), listMax)+1)
		for _, x := range v[:min(len(v), listMax)] {
			out = append(out, shorten(x, textMax, listMax))
		}
		if n := len(v) - listMax; n > 0 {
			out = append(out, fmt.Sprintf("… %d more", n))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = shorten(x, textMax, listMax)
		}
		return out
	default:
		return v
	}
}

// headTail keeps the first two thirds and the last third of limit characters.
func headTail(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	head := limit * 2 / 3
	return fmt.Sprintf("%s … [%d characters left out] … %s", string(r[:head]), len(r)-limit, string(r[len(r)-(limit-head):]))
}
