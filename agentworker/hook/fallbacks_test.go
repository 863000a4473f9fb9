package hook_test

import (
	"slices"
	"testing"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/runner"
	"livehost/aggregator/intent"
	"livehost/harness"
	"livehost/harness/harnesstest"
	"livehost/streams/event"
)

// questions that end in a conservative reply, by intent.
var asked = map[string][2]string{
	"price": {"1号多少钱", "how much is link 1"}, "product": {"什么材质", "what is it made of"}, "size": {"我165穿什么码", "what size for 165 cm"},
	"shipping": {"3天能到吗", "can it arrive in 3 days"}, "membership": {"会员有什么好处", "what do members get"}, "purchase": {"怎么下单", "how do I order"},
	"complaint": {"太差了我要投诉", "I want to complain"}, "identity": {"你是真人吗", "are you a real person"}, "greeting": {"你好", "hello"},
	"praise": {"主播真棒", "great show"}, "low_info": {"在吗", "ok"}, harness.DefaultIntent: {"这个怎么样", "is it good"},
}

// TestConservativeRepliesPassEveryHook: whatever failed, what is said then passes
// all hooks of every release, in public and in private, with no evidence at all.
func TestConservativeRepliesPassEveryHook(t *testing.T) {
	t.Parallel()
	h, err := harness.Default()
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	for _, id := range h.Releases() {
		for _, merchant := range append([]event.MerchantID{""}, h.Merchants()...) {
			rel, err := h.ForMerchant(id, merchant)
			if err != nil {
				t.Fatal(err)
			}
			e, err := hook.New(rel.Hooks, guardrail.Checks())
			if err != nil {
				t.Fatal(err)
			}
			prompts := runner.PrivateTexts(rel)
			for lang, byIntent := range rel.Fallbacks {
				for intent, list := range byIntent {
					for _, text := range list {
						for _, private := range []bool{false, true} {
							texts++
							if d := judged(e, prompts, lang, intent, text, private); d.Action != hook.Allow {
								t.Errorf("%s %s.%s: %q is stopped: %+v", id, lang, intent, text, d.Hits)
							}
						}
					}
				}
			}
		}
	}
	if texts < 200 {
		t.Errorf("only %d texts were judged", texts)
	}
}

func judged(e *hook.Engine, prompts *guardrail.Shingles, lang, intent, text string, private bool) hook.Decision {
	question := asked[intent][0]
	if lang == "en" {
		question = asked[intent][1]
	}
	m := event.Member{DanmakuID: "d", ViewerName: "小雨", Text: question, Question: question, Language: lang, Intent: intent}
	ev := &guardrail.Evidence{}
	ev.AddWords(question)
	in := &guardrail.Input{Text: text, Private: private, Language: lang, Members: []event.Member{m}, Evidence: ev, Prompts: prompts}
	return e.NewRun().At(hook.BeforeReply, in, hook.Vars{Kind: "danmaku", Intent: intent, Language: lang, Fallback: "conservative"})
}

// TestConservativeRepliesForEveryIntent: every intent has its own, several and of
// both languages, but chat, which is met with silence; and none is for an intent that no
// danmaku has.
func TestConservativeRepliesForEveryIntent(t *testing.T) {
	t.Parallel()
	rel := harnesstest.Shipped(t, "harness")
	known := []string{harness.DefaultIntent}
	for _, i := range intent.All() {
		known = append(known, string(i))
	}
	for _, lang := range []string{"zh", "en"} {
		said := map[string]string{}
		for _, intent := range known {
			list, listed := rel.Fallbacks[lang][intent]
			if silence := intent == "low_info"; silence != (len(list) == 0) || !listed {
				t.Errorf("%s.%s: listed %v, %q", lang, intent, listed, list)
			} else if len(list) == 1 {
				t.Errorf("%s.%s has %d texts, want at least 2", lang, intent, len(list))
			}
			for _, text := range list {
				if other := said[text]; other != "" {
					t.Errorf("%s: %q is said for %s and %s", lang, text, other, intent)
				}
				said[text] = intent
			}
		}
		for intent := range rel.Fallbacks[lang] {
			if !slices.Contains(known, intent) {
				t.Errorf("%s.%s: no danmaku has that intent", lang, intent)
			}
		}
	}
}
