package guardrail_test

import (
	_ "embed"
	"testing"
)

// unseen was written and labelled by somebody who had seen neither the checks nor replies.txt.
//
//go:embed testdata/unseen.txt
var unseen string

// Bounds as measured at the first run, 6 and 19 of 75: to become mostFalseStops and mostMisses as
// the kinds of mistakes are mended.
const (
	unseenFalseStops = 0.08
	unseenMisses     = 0.254
)

// TestUnseenReplies judges replies that the checks were not written against.
func TestUnseenReplies(t *testing.T) {
	t.Parallel()
	judgeReplies(t, unseen, 150, unseenFalseStops, unseenMisses)
}
