package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// TrajectoryOptions are the flags of trajectory show.
type TrajectoryOptions struct {
	ShowOptions
	Restricted bool // reasoning, prompts and raw policy output too
}

// ReplayOptions are the flags of replay.
type ReplayOptions struct {
	ShowOptions
	Release string // to make the run with
	Dir     string // harness folder; "": what ships with the binary
	Policy  string // OpenAI-compatible address that answers from the first difference on; "": stop there
	Model   string // the name it knows the policy by
}

func logFlags(c *cobra.Command, o *ShowOptions) {
	f := c.Flags()
	f.StringVar(&o.Config, "config", "", "YAML file with the Kafka to read from")
	f.StringVar(&o.Data, "data", "", "data directory of an embedded run that has ended")
	f.BoolVar(&o.JSON, "json", false, "print JSON")
}

func trajectory(a Actions, io IO) *cobra.Command {
	var o TrajectoryOptions
	show := &cobra.Command{
		Use:   "show ID",
		Short: "A run as a waterfall: times, tokens, budget left, tools, versions; ID is a run, a window or a danmaku",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.ID = args[0]
			return a.TrajectoryShow(c.Context(), o, io)
		},
	}
	logFlags(show, &o.ShowOptions)
	show.Flags().BoolVar(&o.Restricted, "restricted", false, "show reasoning, prompts and raw policy output")
	c := &cobra.Command{Use: "trajectory", Short: "Look at what runs of the agent did"}
	c.AddCommand(show)
	return c
}

// validate reports a policy that could not be asked.
func (o ReplayOptions) validate() error {
	if o.Policy != "" && o.Model == "" {
		return errors.New("--policy needs --model: the name the policy is known by there")
	}
	return nil
}

func replay(a Actions, io IO) *cobra.Command {
	var o ReplayOptions
	c := &cobra.Command{
		Use:   "replay RUN",
		Short: "Make a recorded run again with a changed harness and the recorded answers; nothing is called or published",
		Args:  exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.ID = args[0]
			return checked(o.validate(), func() error { return a.Replay(c.Context(), o, io) })
		},
	}
	logFlags(c, &o.ShowOptions)
	f := c.Flags()
	f.StringVar(&o.Release, "release", "", "release to make the run with (default: that of its variant)")
	f.StringVar(&o.Dir, "dir", "", "harness folder (default: what ships with the binary)")
	f.StringVar(&o.Policy, "policy", "", "OpenAI-compatible address, up to and including /v1, that answers from the first difference on")
	f.StringVar(&o.Model, "model", "", "the name that policy is known by there")
	return c
}
