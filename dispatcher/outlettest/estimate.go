package outlettest

import (
	"context"
	_ "embed"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"livehost/dispatcher"
	"livehost/dispatcher/pacing"
	"livehost/dispatcher/speech"
)

//go:embed testdata/replies.txt
var replies string

// Replies are more than 500 different replies of our own demo: the evening, and two rooms in
// which viewers ask everything about every product, in Chinese and in English.
func Replies() []string { return strings.Split(strings.TrimSpace(replies), "\n") }

// Estimate is by how much the length of speech that is estimated before synthesis differs
// from the audio's, as a share of the audio's.
type Estimate struct{ P50, P95 float64 }

// Estimates holds the estimated lengths of texts against a voice that synthesises one
// sentence of a language and says how long it is.
func Estimates(ctx context.Context, texts []string, synthesise func(context.Context, dispatcher.Sentence, string) (time.Duration, error)) (Estimate, error) {
	off := make([]float64, len(texts))
	var all errgroup.Group
	all.SetLimit(2)
	for i, text := range texts {
		all.Go(func() error {
			clean := speech.Clean(text)
			var estimated, real time.Duration
			for _, s := range speech.Script(clean) {
				length, err := synthesise(ctx, dispatcher.Sentence{Text: s.Heard, Spoken: s.Spoken}, speech.Language(clean))
				if err != nil {
					return err
				}
				estimated, real = estimated+pacing.Length(s.Spoken), real+length
			}
			off[i] = math.Abs(estimated.Seconds()/real.Seconds() - 1)
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return Estimate{}, err
	}
	slices.Sort(off)
	return Estimate{P50: off[len(off)/2], P95: off[len(off)*95/100]}, nil
}
