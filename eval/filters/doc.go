// Package filters tries the aggregator's filters on recorded rooms.
//
// It owns the count of what would be filtered and why, above all of danmaku that
// people labelled as wanting to buy. It judges nothing itself: words, rates, what counts
// as a question and normalisation are the aggregator's own, and so is their order (filter.Check).
//
// Invariants: the host's danmaku are not counted; each room has a limiter of its
// own that runs on the recording's time; an empty denominator is null.
package filters
