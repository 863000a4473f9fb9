// Package rules decides what the scripted policy says, from one chat-completions
// request and nothing else.
//
// It owns the reading of the harness's text (protocol, skills, examples, room
// status, danmaku and event elements), the lexical matching of danmaku against
// examples, the choice of tool calls and the filling of replies. It does not know
// HTTP, latency, or any product, intent, skill, tool or parameter: the phrases
// left of the colon in the protocol block, the keys of room status and of
// examples, and function words of Chinese and English are all it has built in.
//
// Invariants: Decide is a pure function of the request and the engine's seed, so
// every round of one run sees the same plan; a call that stands in the
// conversation is never issued again; a run ends: every refused answer takes the
// next candidate, and after the last one it says nothing.
package rules
