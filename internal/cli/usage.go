package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
)

// usageError is a command line that cannot be meant: exit code 2.
type usageError struct{ error }

// refuseMisuse makes a wrong command line an error with exit code 2 in every
// command under c. Without it a mistyped subcommand prints help and succeeds, so
// that a script believes a voice stopped that still speaks.
func refuseMisuse(c *cobra.Command) {
	if args := c.Args; args != nil {
		c.Args = func(c *cobra.Command, given []string) error {
			if err := args(c, given); err != nil {
				return &usageError{err}
			}
			return nil
		}
	}
	if c.HasSubCommands() && !c.Runnable() {
		c.Args, c.RunE = cobra.ArbitraryArgs, onlySubcommands
	}
	for _, sub := range c.Commands() {
		refuseMisuse(sub)
	}
}

func onlySubcommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return &usageError{fmt.Errorf("%s has no command %q; there is %s", c.CommandPath(), args[0], strings.Join(names, ", "))}
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}

func exactly(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("need %d argument(s), got %d", n, len(args))
		}
		return nil
	}
}

// need refuses an empty value of a flag that must be given.
func need(flag, value, what string) error {
	if value == "" {
		return fmt.Errorf("%s is missing: name %s", flag, what)
	}
	return nil
}

// validate reports every flag of demo that no room could be played with.
func (o DemoOptions) validate() error {
	var problems []error
	if !(o.Speed >= 0) || math.IsInf(o.Speed, 1) {
		problems = append(problems, fmt.Errorf("--speed %v: give a positive number, or leave it out", o.Speed))
	}
	if o.From < 0 || o.For < 0 || o.Busiest < 0 {
		problems = append(problems, fmt.Errorf("--from %v, --for %v, --busiest %v: one is negative", o.From, o.For, o.Busiest))
	}
	if o.Busiest > 0 && (o.From != 0 || o.For != 0) {
		problems = append(problems, errors.New("--busiest chooses the stretch itself: leave out --from and --for"))
	}
	for _, p := range []struct {
		flag string
		port int
	}{{"--console", o.Console}, {"--clickhouse-port", o.ClickHousePort}} {
		if p.port < 0 || p.port > math.MaxUint16 {
			problems = append(problems, fmt.Errorf("%s %d is no port: 1 to 65535, or 0", p.flag, p.port))
		}
	}
	return errors.Join(problems...)
}

// validate reports flags that no query could be made of.
func (o StoreOptions) validate() error {
	if o.Timeout <= 0 {
		return fmt.Errorf("--timeout %v: must be more than 0", o.Timeout)
	}
	return nil
}

// atLeastOne refuses a --limit that asks for nothing.
func atLeastOne(limit int) error {
	if limit < 1 {
		return fmt.Errorf("--limit %d: must be 1 or more", limit)
	}
	return nil
}

// validate reports flags that no incident could match.
func (o IncidentOptions) validate() error {
	problems := []error{o.StoreOptions.validate(), atLeastOne(o.Limit)}
	if o.Kind != "" && o.Kind != "guardrail" && o.Kind != "fallback" && o.Kind != "outcome" {
		problems = append(problems, fmt.Errorf("--kind %q is none of guardrail, fallback, outcome", o.Kind))
	}
	return errors.Join(problems...)
}

// validate reports flags that no statement could be run with.
func (o SQLOptions) validate() error {
	return errors.Join(o.StoreOptions.validate(), atLeastOne(o.Limit))
}

// checked runs the action when the options are good.
func checked(problem error, action func() error) error {
	if problem != nil {
		return &usageError{problem}
	}
	return action()
}
