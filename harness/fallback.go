package harness

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Fallbacks are conservative replies by language and intent; the intent "default"
// serves every other.
type Fallbacks map[string]map[string]Texts

// fallbacksFile holds them, in a folder of prompts.
const fallbacksFile = "fallbacks.yaml"

// DefaultIntent is the fallback intent for intents without their own.
const DefaultIntent = "default"

// Texts is one text or several to choose from, or an empty list: nothing is said.
type Texts []string

// UnmarshalYAML takes a string or a list of strings.
func (t *Texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*t = Texts{n.Value}
		return nil
	}
	*t = Texts{} // an empty list is not a missing one
	return n.Decode((*[]string)(t))
}

// blank reports a text that says nothing.
func (t Texts) blank() bool {
	return slices.ContainsFunc(t, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// For is what may be said when nothing better can be: texts to choose from, empty where
// silence is wanted, nil when there is nothing for the language.
func (f Fallbacks) For(language, intent string) []string {
	if t := f[language][intent]; t != nil {
		return t
	}
	return f[language][DefaultIntent]
}

func parseFallbacks(file string, data []byte, complete bool, known Known) (Fallbacks, error) {
	var f Fallbacks
	doc, err := decodeYAML(file, data, &f)
	if err != nil {
		return nil, err
	}
	var ps problems
	for _, lang := range sortedKeys(f) {
		if lang != "zh" && lang != "en" {
			ps.add(file, doc.line(lang), "%q is no language of a room; it is zh or en", lang)
		}
		for _, intent := range sortedKeys(f[lang]) {
			if intent != DefaultIntent {
				known.checkIntents(&ps, file, doc.line(lang, intent), lang, intent)
			}
			switch t := f[lang][intent]; {
			case t == nil || t.blank():
				ps.add(file, doc.line(lang, intent), "%s.%s has an empty text, which cannot be said; [] is silence", lang, intent)
			case len(t) == 0 && intent == DefaultIntent:
				ps.add(file, doc.line(lang, intent), "%s.%s is empty: without it every intent that has no text of its own would be met with silence", lang, intent)
			}
		}
	}
	for _, lang := range []string{"zh", "en"} {
		if complete && len(f.For(lang, DefaultIntent)) == 0 {
			ps.add(file, doc.line(lang), "%s.%s is missing", lang, DefaultIntent)
		}
	}
	return f, ps.err()
}

// over is f with other's entries put over it.
func (f Fallbacks) over(other Fallbacks) Fallbacks {
	if len(other) == 0 {
		return f
	}
	out := Fallbacks{}
	for _, src := range []Fallbacks{f, other} {
		for lang, byIntent := range src {
			if out[lang] == nil {
				out[lang] = map[string]Texts{}
			}
			for intent, texts := range byIntent {
				out[lang][intent] = texts
			}
		}
	}
	return out
}
