package modeltest_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"livehost/agentworker/model/modeltest"
)

// raw is what the features of a stream are told by: presence, null and emptiness.
type raw = map[string]json.RawMessage

// odd are the features that the index of recorded transcripts names, by what a
// tool-call delta, a chunk's delta or a chunk looks like.
var odd = struct {
	call, delta, chunk map[string]func(raw) bool
}{
	call: map[string]func(raw) bool{
		"tool_call":            func(raw) bool { return true },
		"tc_id_null":           func(c raw) bool { return string(c["id"]) == "null" },
		"tc_id_empty_string":   func(c raw) bool { return string(c["id"]) == `""` },
		"tc_name_empty_string": func(c raw) bool { return string(function(c)["name"]) == `""` },
		"tc_args_empty":        func(c raw) bool { return string(function(c)["arguments"]) == `""` },
		"tc_args_missing":      func(c raw) bool { f := function(c); return f != nil && f["arguments"] == nil },
		"tc_args_with_name": func(c raw) bool {
			f := function(c)
			return len(f["name"]) > 2 && len(f["arguments"]) > 2
		},
	},
	delta: map[string]func(raw) bool{
		"reasoning":            func(d raw) bool { return len(d["reasoning"]) > 2 },
		"reasoning_content":    func(d raw) bool { return len(d["reasoning_content"]) > 2 },
		"reasoning_details":    func(d raw) bool { return len(d["reasoning_details"]) > 2 },
		"tc_many_in_one_delta": func(d raw) bool { return len(list(d["tool_calls"])) > 1 },
	},
	chunk: map[string]func(raw) bool{
		"no_choices":    func(c raw) bool { return c["choices"] == nil && c["error"] == nil },
		"empty_choices": func(c raw) bool { return string(c["choices"]) == "[]" && !isObject(c["usage"]) },
		"empty_choices_usage": func(c raw) bool {
			return string(c["choices"]) == "[]" && isObject(c["usage"])
		},
		"error_midstream": func(c raw) bool { return c["error"] != nil },
		"usage_with_finish": func(c raw) bool {
			return isObject(c["usage"]) && len(finish(c)) > 2
		},
		"finish_stop":       func(c raw) bool { return finish(c) == `"stop"` },
		"finish_tool_calls": func(c raw) bool { return finish(c) == `"tool_calls"` },
	},
}

// across are features that only several deltas show.
var across = []string{"comment_keepalive", "parallel_tc", "tc_id_repeated", "tc_name_repeated"}

func object(b json.RawMessage) raw {
	var o raw
	_ = json.Unmarshal(b, &o) // no object: nil
	return o
}

func list(b json.RawMessage) []json.RawMessage {
	var l []json.RawMessage
	_ = json.Unmarshal(b, &l) // no list: nil
	return l
}

func isObject(b json.RawMessage) bool { return bytes.HasPrefix(b, []byte("{")) }

func function(c raw) raw { return object(c["function"]) }

func finish(c raw) string {
	for _, ch := range list(c["choices"]) {
		return string(object(ch)["finish_reason"])
	}
	return ""
}

// features are those of a stream.
func features(body string) map[string]bool {
	have := map[string]bool{}
	note := func(kinds map[string]func(raw) bool, v raw) {
		for name, is := range kinds {
			if is(v) {
				have[name] = true
			}
		}
	}
	ids, names := map[string]int{}, map[string]int{}
	for line := range strings.Lines(body) {
		have["comment_keepalive"] = have["comment_keepalive"] || strings.HasPrefix(line, ":")
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:")
		c := object(json.RawMessage(data))
		if !ok || c == nil {
			continue
		}
		note(odd.chunk, c)
		for _, ch := range list(c["choices"]) {
			d := object(object(ch)["delta"])
			note(odd.delta, d)
			for _, tc := range list(d["tool_calls"]) {
				call := object(tc)
				note(odd.call, call)
				ids[string(call["id"])]++
				names[string(call["index"])+string(function(call)["name"])]++
			}
		}
	}
	distinct := 0
	for id, n := range ids {
		if len(id) > 2 && id != "null" {
			distinct++
			have["tc_id_repeated"] = have["tc_id_repeated"] || n > 1
		}
	}
	have["parallel_tc"] = distinct > 1
	for name, n := range names {
		have["tc_name_repeated"] = have["tc_name_repeated"] || n > 1 && strings.HasSuffix(name, `"`) && !strings.HasSuffix(name, `""`)
	}
	return have
}

func TestOurStreamsCoverEveryFeature(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, s := range modeltest.Streams(t) {
		for name, is := range features(s.Body) {
			have[name] = have[name] || is
		}
	}
	want := slices.Concat(across, slices.Collect(maps.Keys(odd.call)), slices.Collect(maps.Keys(odd.delta)), slices.Collect(maps.Keys(odd.chunk)))
	for _, name := range want {
		if !have[name] {
			t.Errorf("no stream has %s", name)
		}
	}
	if len(want) != 22 {
		t.Errorf("%d features, the index names 22", len(want))
	}
}
