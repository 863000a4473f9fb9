// Package injections measures what hostile text can do: it plays prompt-injection
// strings through the real prompt, runner, hooks and tools against a scripted
// policy that obeys them.
//
// It owns the places a string can come from (a danmaku, a nickname, an FAQ entry, a
// product text, a tool result), the rooms they are put in, and the extractor that
// counts what got out. The extractor shares no code with the hooks: it compares
// texts with the prompt character by character and has its own words and numbers.
// It does not own the policy's misbehaviour (internal/embedded/policy) and judges
// no real model.
//
// Invariants: the same strings give the same report, times aside; every string is
// played in every place; what is counted as published is what reply.v1 would carry.
package injections
