package replay

import (
	"fmt"
	"io"
	"strings"
)

// Write prints the report.
func (r Report) Write(out io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("Run %s, made with release %s (harness %s), again with %s (harness %s)",
		r.RunID, r.Recorded.Release, r.Recorded.HarnessHash, r.Replayed.Release, r.Replayed.HarnessHash)
	if d := r.DivergedAt; d != nil {
		line("diverged_at: round %d, request %d: %s", d.Round, d.Request, d.What)
		if d.Recorded != d.Replayed {
			line("  recorded: %s\n  replayed: %s", d.Recorded, d.Replayed)
		}
		if !r.Live {
			line("the recorded answers are for another question from here on; --policy lets a live policy go on")
		}
	} else {
		line("the policy was asked the same all along")
	}
	for _, c := range r.Unrecorded {
		line("not in the recording, refused: %s", c)
	}
	for _, h := range r.Hits {
		line("guardrail: %s", h)
	}
	for _, t := range r.Before {
		line("then: %s", t)
	}
	for _, t := range r.After {
		line("now:  %s", t)
	}
	if r.SameTexts {
		line("the texts are the same")
	}
	_, err := io.WriteString(out, b.String())
	return err
}
