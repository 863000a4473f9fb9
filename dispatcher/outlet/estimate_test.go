package outlet_test

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/dispatcher/outlettest"
	"livehost/dispatcher/speech"
	"livehost/internal/testkit"
)

// TestEstimateAgainstEspeak holds the estimated length, which decides what is late,
// against real audio: within 15 % at the median and 30 % at P95, in either language. All
// of the replies are measured with the figures of the dispatcher's benchmark.
func TestEstimateAgainstEspeak(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Skip("espeak-ng is not installed")
	}
	cfg := outlet.DefaultEspeakConfig()
	cfg.Timeout = testkit.Patience
	e, err := outlet.NewEspeak(cfg)
	if err != nil {
		t.Fatal(err)
	}
	all := outlettest.Replies()
	if n := len(slices.Compact(slices.Sorted(slices.Values(all)))); n < 500 {
		t.Errorf("%d different replies, want more than 500", n)
	}
	texts := map[string][]string{}
	for i, text := range all {
		if i%8 == 0 {
			language := speech.Language(text)
			texts[language] = append(texts[language], text)
		}
	}
	for language, some := range texts {
		got, err := outlettest.Estimates(t.Context(), some, func(ctx context.Context, s dispatcher.Sentence, language string) (time.Duration, error) {
			clip, err := e.Synthesise(ctx, s, language)
			return clip.Length, err
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d replies, off by %.1f %% at the median and %.1f %% at P95", language, len(some), 100*got.P50, 100*got.P95)
		if got.P50 > 0.15 || got.P95 > 0.30 {
			t.Errorf("%s: off by %.0f %% at the median and %.0f %% at P95, want 15 and 30", language, 100*got.P50, 100*got.P95)
		}
	}
}
