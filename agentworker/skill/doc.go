// Package skill shows a release's skills in the prompt and keeps what a run has
// loaded of them.
//
// It owns the skill lines and the rule that a reply with substance needs a loaded
// reply skill. It does not load anything: the load_skill tool does, and the
// required_skill hook decides what follows when the rule is broken.
//
// Invariants: only names, intents and descriptions are in the prompt, one line a
// skill, escaped; bodies come on demand.
package skill
