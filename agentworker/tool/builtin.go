package tool

import (
	"fmt"
	"slices"
	"strings"

	"livehost/harness"
)

// maxFAQ bounds the answers search_faq gives.
const maxFAQ = 3

// builtin runs a built-in tool. Flow control is only checked here.
func builtin(run *Run, r Result) Result {
	str := func(key string) string { s, _ := r.Args[key].(string); return s }
	switch r.Tool.Binding.Name {
	case harness.BuiltinLoadSkill:
		return loadSkill(run, r, str("name"), str(harness.ParamPath))
	case harness.BuiltinSearchFAQ:
		return searchFAQ(run, r, str("query"))
	case harness.BuiltinAnswer:
		covers, _ := r.Args["covers"].([]any)
		for _, v := range covers {
			if id, _ := v.(string); !inRun(run, id) {
				return failure(r, BadArgs, fmt.Sprintf("%q is not a danmaku of this run", id), map[string]any{"field": "covers"})
			}
		}
	case harness.BuiltinReplyPrivate:
		if id := str("danmaku_id"); !inRun(run, id) {
			return failure(r, BadArgs, fmt.Sprintf("%q is not a danmaku of this run", id), map[string]any{"field": "danmaku_id"})
		}
	}
	r.Full = `{"ok":true}`
	r.Data = map[string]any{"ok": true}
	return r
}

// loadSkill brings a skill's body, or one of its resources.
func loadSkill(run *Run, r Result, name, path string) Result {
	s, ok := run.Release.Skill(name)
	if !ok {
		return failure(r, NotFound, "there is no skill "+name, map[string]any{"name": name})
	}
	if path == "" {
		r.Skill, r.Text, r.Full = s, s.Body, s.Body
		return r
	}
	text, ok := s.Resource(path)
	if !ok {
		return failure(r, NotFound, "the skill has no file of that path", map[string]any{"path": path, "files": strings.Join(s.Resources(), ", ")})
	}
	r.Resource, r.Text, r.Full = path, text, text
	return r
}

func inRun(run *Run, id string) bool {
	return slices.ContainsFunc(run.Askers, func(a Asker) bool { return string(a.DanmakuID) == id })
}

func searchFAQ(run *Run, r Result, query string) Result {
	found := run.Release.SearchFAQ(query, maxFAQ)
	if len(found) == 0 {
		return failure(r, NotFound, "the FAQ does not say", map[string]any{"query": query})
	}
	items := make([]any, len(found))
	for i, e := range found {
		items[i] = map[string]any{"id": e.ID, "question": e.Question[0], "answer": e.Answer, "answer_en": e.AnswerEN}
	}
	best := items[0].(map[string]any)
	r.Data = map[string]any{"id": best["id"], "question": best["question"], "answer": best["answer"], "answer_en": best["answer_en"]}
	if len(items) > 1 {
		r.Data["others"] = items[1:]
	}
	r.Full = encode(r.Data)
	return r
}
