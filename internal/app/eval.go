package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"livehost/aggregator"
	"livehost/aggregator/filter"
	"livehost/eval/filters"
	"livehost/internal/cli"
)

// runEvalFilters is `livehost eval filters`.
func runEvalFilters(ctx context.Context, o cli.EvalFiltersOptions, std cli.IO) error {
	opts := filters.Options{Dir: o.Data, Rate: aggregator.DefaultConfig().Rate()}
	if o.Words != "" {
		data, err := os.ReadFile(o.Words)
		if err != nil {
			return fmt.Errorf("--words: %w", err)
		}
		if opts.Lists, err = filter.ParseLists(o.Words, data); err != nil {
			return err
		}
	}
	r, err := filters.Evaluate(ctx, opts)
	if err != nil {
		return err
	}
	if o.JSON {
		return writeJSON(std.Out, r)
	}
	fmt.Fprintf(std.Out, "%d of %d danmaku in %d recordings would be filtered (words %s)\n", r.Filtered, r.Danmaku, r.Files, r.Version)
	printReasons(std, r.AllReasons)
	if r.IntentFilteredShare != nil {
		fmt.Fprintf(std.Out, "of the %d that want to buy, %d (%.2f %%)\n", r.Wanted, r.WantedFiltered, 100**r.IntentFilteredShare)
		printReasons(std, r.Reasons)
	}
	for _, e := range r.Examples {
		fmt.Fprintf(std.Out, "  %s:%d %s %s\n", e.File, e.Line, e.Reason, e.Span)
	}
	return nil
}

// writeJSON writes a report for people and programs: indented.
func writeJSON(w io.Writer, report any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}

// printReasons lists the reasons, the most frequent first.
func printReasons(std cli.IO, reasons map[string]int) {
	for _, name := range mostFrequent(reasons) {
		fmt.Fprintf(std.Out, "  %6d %s\n", reasons[name], name)
	}
}

// mostFrequent are the names of counts, the most frequent first.
func mostFrequent(counts map[string]int) []string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	return names
}
