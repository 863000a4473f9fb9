package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// DryRunOptions are the flags of harness dry-run.
type DryRunOptions struct {
	ShowOptions
	Dir     string        // harness folder; "": what ships with the binary
	Hooks   string        // file or folder of hooks to try; "": those of Dir
	Since   time.Duration // how far back, by the log's append time
	Release string        // only runs of this release; "": all
	FailOn  []string      // kinds of changes that make the exit code 1
}

// changeKinds are the kinds of changes that --fail-on takes.
var changeKinds = []string{"stopped", "vanished", "rewritten", "otherwise"}

func dryRun(a Actions, dir *string, io IO) *cobra.Command {
	o := DryRunOptions{Since: 7 * 24 * time.Hour}
	c := &cobra.Command{
		Use:   "dry-run",
		Short: "Try hooks on recorded runs: replies that would be stopped now, stops that would vanish, other rewrites; nothing is called",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, kind := range o.FailOn {
				if !slices.Contains(changeKinds, kind) {
					return &usageError{fmt.Errorf("--fail-on %q is none of %s", kind, strings.Join(changeKinds, ", "))}
				}
			}
			if o.Dir = *dir; o.Dir == "" && o.Hooks == "" {
				return &usageError{fmt.Errorf("name what to try: --hooks, a hook's file or a folder of them, or --dir, a harness folder")}
			}
			return a.HarnessDryRun(c.Context(), o, io)
		},
	}
	logFlags(c, &o.ShowOptions)
	f := c.Flags()
	f.StringVar(&o.Hooks, "hooks", "", "hooks to try: a file, put in the place of the hook of its name; or a folder, in the place of all")
	f.Var((*days)(&o.Since), "since", "how far back to look, e.g. 7d or 12h")
	f.StringVar(&o.Release, "release", "", "judge only runs of this release")
	f.StringSliceVar(&o.FailOn, "fail-on", nil, "exit with 1 when there are changes of these kinds: "+strings.Join(changeKinds, ", "))
	return c
}

// days is a duration that may be given in days.
type days time.Duration

// String implements pflag.Value.
func (d *days) String() string {
	if v := time.Duration(*d); v%(24*time.Hour) == 0 && v > 0 {
		return strconv.Itoa(int(v/(24*time.Hour))) + "d"
	}
	return time.Duration(*d).String()
}

// Set implements pflag.Value.
func (d *days) Set(s string) error {
	v, err := time.ParseDuration(s)
	if n, ok := strings.CutSuffix(s, "d"); ok {
		var count float64
		count, err = strconv.ParseFloat(n, 64)
		v = time.Duration(count * 24 * float64(time.Hour))
	}
	if err != nil || v <= 0 {
		return fmt.Errorf("%q is no duration such as 7d or 12h", s)
	}
	*d = days(v)
	return nil
}

// Type implements pflag.Value.
func (d *days) Type() string { return "duration" }
