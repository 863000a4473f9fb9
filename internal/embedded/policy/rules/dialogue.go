package rules

import (
	"bytes"
	"encoding/json"
	"html"
	"strconv"
	"strings"
)

// dialogue is the run so far.
type dialogue struct {
	system   string
	asks     []ask
	made     map[string]*made // calls by tool and canonical arguments
	loaded   []string         // texts of the results of the load role, in order
	attempts int              // final answers given before
	refused  bool             // a word came after the last final answer
}

// made is a call that stands in the conversation, with its result when it has one.
type made struct {
	result   *toolResult
	terminal bool
}

// toolResult is what a tool gave: a JSON object; err is its error code.
type toolResult struct {
	fields map[string]any
	err    string
}

const (
	errNoResult  = "UNAVAILABLE" // the call never got a result
	errMalformed = "MALFORMED"   // the result is no JSON object
	errNoValue   = "NO_VALUE"    // the call was not made: a placeholder of it has no value
)

// noValue stands for the result of a call that cannot be made.
var noValue = &toolResult{err: errNoValue, fields: map[string]any{}}

// readDialogue sorts the messages after the last one that holds danmaku or events.
func readDialogue(messages []Message) dialogue {
	d := dialogue{made: map[string]*made{}}
	from := -1
	var system []string
	for i, m := range messages {
		switch m.Role {
		case "system", "developer":
			if from < 0 {
				system = append(system, string(m.Content))
			}
		case "user":
			if asks := readAsks(string(m.Content)); len(asks) > 0 {
				d.asks, from = asks, i
			}
		}
	}
	d.system = strings.Join(system, "\n")
	return d
}

// readTurns reads what came after the asks, knowing the roles.
func (d *dialogue) readTurns(messages []Message, p protocol) {
	from := 0
	for i, m := range messages {
		if m.Role == "user" && askElement.MatchString(string(m.Content)) {
			from = i + 1
		}
	}
	byID := map[string]*made{}
	loads := map[string]bool{}
	for _, m := range messages[from:] {
		switch m.Role {
		case "assistant":
			final := len(m.ToolCalls) == 0
			for _, c := range m.ToolCalls {
				x := &made{terminal: p.terminal(c.Function.Name)}
				final = final || x.terminal
				byID[c.ID] = x
				loads[c.ID] = c.Function.Name == p.load.tool
				d.made[callKey(c.Function.Name, canonical(c.Function.Arguments))] = x
			}
			if final {
				d.attempts++
				d.refused = false
			}
		case "tool":
			text := string(m.Content)
			if x := byID[m.ToolCallID]; x != nil {
				x.result = parseResult(text)
				if x.terminal && x.result.err != "" {
					d.refused = true
				}
			}
			if loads[m.ToolCallID] {
				d.loaded = append(d.loaded, text)
			}
		default:
			d.refused = true
		}
	}
}

// terminal says that the tool ends a run.
func (p protocol) terminal(tool string) bool {
	return tool != "" && (tool == p.public.tool || tool == p.private.tool || tool == p.silent.tool || tool == p.handOver.tool)
}

func callKey(tool, args string) string { return tool + " " + args }

// canonical writes a JSON object with sorted keys; anything else counts as {}.
func canonical(args string) string {
	var v map[string]any
	dec := json.NewDecoder(strings.NewReader(args))
	dec.UseNumber()
	if dec.Decode(&v) != nil || v == nil {
		return "{}"
	}
	return encode(v)
}

// encode is compact JSON without HTML escapes.
func encode(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "{}"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// parseResult reads a tool's text: a JSON object, perhaps escaped as data and
// wrapped in an element.
func parseResult(text string) *toolResult {
	fields, ok := parseObject(text)
	if !ok {
		inner := strings.TrimSpace(text)
		if strings.HasPrefix(inner, "<") {
			if i, j := strings.IndexByte(inner, '>'), strings.LastIndex(inner, "</"); i > 0 && j > i {
				inner = inner[i+1 : j]
			}
		}
		if fields, ok = parseObject(inner); !ok {
			fields, ok = parseObject(html.UnescapeString(inner))
		}
	}
	if !ok {
		return &toolResult{err: errMalformed, fields: map[string]any{}}
	}
	r := &toolResult{fields: fields}
	switch e := fields["error"].(type) {
	case string:
		r.err = e
	case map[string]any:
		r.err, _ = e["code"].(string)
		if r.err == "" {
			r.err = errMalformed
		}
	}
	return r
}

func parseObject(text string) (map[string]any, bool) {
	var v map[string]any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil || v == nil {
		return nil, false
	}
	return v, true
}

// field is the text at a dotted path, "" when it is missing, null or no scalar.
func (r *toolResult) field(path string) string {
	var v any = r.fields
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(x) {
				return ""
			}
			v = x[i]
		default:
			return ""
		}
	}
	switch x := v.(type) {
	case string:
		return strings.TrimSpace(html.UnescapeString(x))
	case json.Number:
		return x.String()
	case bool:
		return strconv.FormatBool(x)
	default:
		return ""
	}
}
