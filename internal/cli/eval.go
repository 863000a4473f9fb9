package cli

import "github.com/spf13/cobra"

// EvalFiltersOptions are the flags of eval filters.
type EvalFiltersOptions struct {
	Data  string // folder of recorded rooms
	Words string // file of more words to try; "": the built-in ones only
	JSON  bool
}

func eval(a Actions, io IO) *cobra.Command {
	var o EvalFiltersOptions
	filters := &cobra.Command{
		Use:   "filters",
		Short: "Try the filters on recorded rooms: who would be filtered, and why",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(need("--data", o.Data, "the folder with recordings (*.jsonl)"), func() error { return a.EvalFilters(c.Context(), o, io) })
		},
	}
	filters.Flags().StringVar(&o.Data, "data", "", "folder with recordings (*.jsonl), e.g. ../shared/data")
	filters.Flags().StringVar(&o.Words, "words", "", "words file to try before it goes live (aggregator.words)")
	filters.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	c := &cobra.Command{Use: "eval", Short: "Evaluate offline, on recorded data"}
	c.AddCommand(filters, intents(a, io), injections(a, io), hostile(a, io))
	return c
}
