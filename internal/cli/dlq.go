package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

// DLQOptions are the flags and arguments of dlq.
type DLQOptions struct {
	Config  string
	JSON    bool
	Topic   string  // whose dead letters; "": all topics'
	Offsets []int64 // of the dead letters
	All     bool    // replay all of the topic's that were not replayed
}

func dlq(a Actions, io IO) *cobra.Command {
	var o DLQOptions
	c := &cobra.Command{Use: "dlq", Short: "Look at dead letters: records that could not be handled"}
	c.PersistentFlags().StringVar(&o.Config, "config", "", "YAML file with the Kafka brokers; LIVEHOST_KAFKA__* variables go over it")
	c.PersistentFlags().BoolVar(&o.JSON, "json", false, "print JSON")
	list := &cobra.Command{
		Use: "list [TOPIC]", Short: "List the dead letters of a topic, or of all, with their reasons", Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Topic = args[0]
			}
			return a.DLQList(c.Context(), o, io)
		},
	}
	show := &cobra.Command{
		Use: "show TOPIC OFFSET", Short: "Print one dead letter whole", Args: exactly(2),
		RunE: func(c *cobra.Command, args []string) error { return withOffsets(c, &o, args, a.DLQShow, io) },
	}
	replay := &cobra.Command{
		Use: "replay TOPIC [OFFSET...]", Short: "Put dead letters back into the topic they came from; what was late then stays late and is never spoken",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.All == (len(args) > 1) {
				return &usageError{fmt.Errorf("name the offsets to replay, or --all")}
			}
			return withOffsets(c, &o, args, a.DLQReplay, io)
		},
	}
	replay.Flags().BoolVar(&o.All, "all", false, "replay every record of the topic's dead letters that was not replayed before")
	c.AddCommand(list, show, replay)
	return c
}

// withOffsets reads TOPIC OFFSET... and acts.
func withOffsets(c *cobra.Command, o *DLQOptions, args []string, action func(context.Context, DLQOptions, IO) error, io IO) error {
	o.Topic, o.Offsets = args[0], nil
	for _, arg := range args[1:] {
		n, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || n < 0 {
			return &usageError{fmt.Errorf("%q is no offset", arg)}
		}
		o.Offsets = append(o.Offsets, n)
	}
	return action(c.Context(), *o, io)
}
