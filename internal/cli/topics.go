package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// TopicsOptions are the flags of topics.
type TopicsOptions struct {
	Config string
	JSON   bool
}

// topicsAction is what a command of topics does.
type topicsAction = func(context.Context, TopicsOptions, IO) error

func topics(a Actions, io IO) *cobra.Command {
	var o TopicsOptions
	c := &cobra.Command{Use: "topics", Short: "Look at the topics of Kafka, and set them up"}
	c.PersistentFlags().StringVar(&o.Config, "config", "", "YAML file with the Kafka brokers; LIVEHOST_KAFKA__* variables go over it")
	c.PersistentFlags().BoolVar(&o.JSON, "json", false, "print JSON")
	sub := func(use, short string, action topicsAction) {
		c.AddCommand(&cobra.Command{
			Use: use, Short: short, Args: noArgs,
			RunE: func(c *cobra.Command, _ []string) error { return action(c.Context(), o, io) },
		})
	}
	sub("apply", "Create the missing topics and give the others the catalogue's settings", a.TopicsApply)
	sub("check", "List what is missing or differs from the catalogue; exit code 1 when anything does", a.TopicsCheck)
	sub("lag", "How far each consumer group is behind, and how old its oldest unfinished record is", a.TopicsLag)
	return c
}
