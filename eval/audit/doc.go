// Package audit reads the whole log of a run and says what the run was worth.
//
// It owns the summary (Summarize), the story of one danmaku (Story) and its own
// means of judging: a price extractor, a matcher of product names and a bound of
// what capacity allowed. It shares none of them with the stages it judges and
// takes no figure from them that the log lets it derive: placement comes from
// window.v1, what was heard from delivery.v1, deadlines from platform times.
//
// Invariants: the log is at-least-once, so a repeated record changes nothing; an
// empty denominator is null, never 0 or 1; a miss counts as over 15 s in every
// percentile; Summarize and Story are pure.
package audit
