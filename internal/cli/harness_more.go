package cli

import (
	"github.com/spf13/cobra"
)

// harnessMore are the commands that compare and begin content.
func harnessMore(a Actions, dir *string, io IO) []*cobra.Command {
	return []*cobra.Command{
		dryRun(a, dir, io),
		{
			Use: "diff OTHER", Args: exactly(1),
			Short: "What each release of another harness folder binds differently from --dir",
			RunE: func(c *cobra.Command, args []string) error {
				return a.HarnessDiff(c.Context(), *dir, args[0], io)
			},
		},
		{
			Use: "new KIND NAME", Args: exactly(2),
			Short: "Begin a skill, hook, tool or prompt in --dir, in a form that validates",
			RunE: func(c *cobra.Command, args []string) error {
				return a.HarnessNew(c.Context(), *dir, args[0], args[1], io)
			},
		},
	}
}
