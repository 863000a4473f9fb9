package cli

import "github.com/spf13/cobra"

// InjectionsOptions are the flags of eval injections.
type InjectionsOptions struct {
	Data    string // folder that holds injections/injections.jsonl
	NoHooks bool   // leave the release's hooks out
	JSON    bool
}

func injections(a Actions, io IO) *cobra.Command {
	var o InjectionsOptions
	c := &cobra.Command{
		Use:   "injections",
		Short: "Play prompt injections in every place they can come from, against a policy that obeys them, and count what gets out",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(need("--data", o.Data, "the folder that holds injections/injections.jsonl"), func() error { return a.EvalInjections(c.Context(), o, io) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.Data, "data", "", "folder that holds injections/injections.jsonl")
	f.BoolVar(&o.NoHooks, "no-hooks", false, "leave the hooks out, to see that the strings do something")
	f.BoolVar(&o.JSON, "json", false, "print one JSON object, and nothing else")
	return c
}
