package guardrail_test

import (
	_ "embed"
	"testing"
)

// unseen was written and labelled by somebody who had seen neither the checks nor replies.txt.
//
//go:embed testdata/unseen.txt
var unseen string

// TestUnseenReplies judges replies that the checks were not written against. Their
// first run had 8.0 % false stops and 25.3 % misses; the kinds of mistakes, not the
// rows, were mended after it.
func TestUnseenReplies(t *testing.T) {
	t.Parallel()
	judgeReplies(t, unseen, 150, mostFalseStops, mostMisses)
}

// unseenSecond was written and labelled by somebody else who had seen neither the
// checks nor the earlier replies, after the checks had been mended with unseen.
//
//go:embed testdata/unseen_second.txt
var unseenSecond string

// TestUnseenSecondReplies judges the second set of replies that the checks were not
// written against. Their first run had 13.3 % false stops and 36.7 % misses; the
// kinds of mistakes, not the rows, were mended after it.
func TestUnseenSecondReplies(t *testing.T) {
	t.Parallel()
	judgeReplies(t, unseenSecond, 120, mostFalseStops, mostMisses)
}

// unseenThird was written and labelled by a third person who had seen neither the
// checks nor the earlier replies, after the checks had been mended with unseenSecond.
//
//go:embed testdata/unseen_third.txt
var unseenThird string

// TestUnseenThirdReplies judges the third set of replies that the checks were not
// written against. Their first run had 16.0 % false stops and 20.0 % misses; the
// kinds of mistakes, not the rows, were mended after it.
func TestUnseenThirdReplies(t *testing.T) {
	t.Parallel()
	judgeReplies(t, unseenThird, 100, mostFalseStops, mostMisses)
}
