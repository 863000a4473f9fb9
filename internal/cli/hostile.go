package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// HostileOptions are the flags of eval hostile.
type HostileOptions struct {
	Data    string // folder of recorded rooms
	PerRoom int    // danmaku taken of each
	NoHooks bool   // leave the release's hooks out
	JSON    bool
}

func hostile(a Actions, io IO) *cobra.Command {
	var o HostileOptions
	c := &cobra.Command{
		Use:   "hostile",
		Short: "Play recorded rooms against a policy that lies (claims to be human, promises, invents prices, talks about other shops), and count what gets out",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(o.validate(), func() error { return a.EvalHostile(c.Context(), o, io) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.Data, "data", "", "folder with recordings (*.jsonl), e.g. ../shared/data")
	f.IntVar(&o.PerRoom, "per-room", 0, "danmaku taken of each room, evenly over it (0: 12)")
	f.BoolVar(&o.NoHooks, "no-hooks", false, "leave the hooks out, to see that the lies get out without them")
	f.BoolVar(&o.JSON, "json", false, "print one JSON object, and nothing else")
	return c
}

// validate reports flags that nothing could be played with.
func (o HostileOptions) validate() error {
	problems := []error{need("--data", o.Data, "the folder with recordings (*.jsonl)")}
	if o.PerRoom < 0 {
		problems = append(problems, fmt.Errorf("--per-room %d is negative", o.PerRoom))
	}
	return errors.Join(problems...)
}
