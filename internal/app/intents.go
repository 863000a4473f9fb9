package app

import (
	"context"
	"fmt"
	"os"

	"livehost/eval/intents"
	"livehost/internal/cli"
)

// runEvalIntents is `livehost eval intents`.
func runEvalIntents(ctx context.Context, o cli.EvalIntentsOptions, std cli.IO) error {
	switch {
	case o.Own != "":
		f, err := os.Open(o.Own)
		if err != nil {
			return fmt.Errorf("--own: %w", err)
		}
		defer f.Close()
		return intents.WriteOwn(o.Own, f, std.Out)
	case o.Texts:
		return intents.WriteTexts(ctx, o.Data, std.Out)
	}
	labels, err := readLabels("--labels", o.Labels)
	if err != nil {
		return err
	}
	var learnt []intents.Label
	if o.Learnt != "" {
		if learnt, err = readLabels("--learnt", o.Learnt); err != nil {
			return err
		}
	}
	r, err := intents.Evaluate(ctx, o.Data, labels, learnt)
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(std.Out, r)
	}
	fmt.Fprintf(std.Out, "%d of %d danmaku are read as labelled (%.1f %%); %d labels name no viewer's danmaku\n", r.Right, r.Labels, 100*r.Accuracy, r.Missing)
	if len(learnt) > 0 {
		fmt.Fprintf(std.Out, "%d of %d whose text was not learnt from (%.1f %%)\n", r.NewTextsRight, r.NewTexts, 100*r.NewTextsAccuracy)
	}
	fmt.Fprintf(std.Out, "%-12s %7s %7s %7s  read as\n", "intent", "labels", "right", "found")
	for _, c := range r.Intents {
		fmt.Fprintf(std.Out, "%-12s %7d %7d %7d ", c.Intent, c.Labels, c.Right, c.Found)
		for _, name := range mostFrequent(c.ReadAs) {
			fmt.Fprintf(std.Out, " %s %d", name, c.ReadAs[name])
		}
		fmt.Fprintln(std.Out)
	}
	for _, w := range r.Wrong {
		fmt.Fprintf(std.Out, "  %s:%d %s, labelled %v\n", w.File, w.Line, w.Got, w.Want)
	}
	return nil
}

func readLabels(flag, path string) ([]intents.Label, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	defer f.Close()
	return intents.ParseLabels(path, f)
}
