package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// VoiceOptions are the flags of voice. Exactly one of Room, Variant and All says which
// voices are meant; list needs none.
type VoiceOptions struct {
	Config  string
	Redis   string // host:port instead of the configuration's
	Data    string // data directory of a process with embedded servers; empty: the usual one
	Room    string
	Variant string
	All     bool
	Reason  string
	JSON    bool
}

func voice(a Actions, io IO) *cobra.Command {
	var o VoiceOptions
	c := &cobra.Command{Use: "voice", Short: "Stop voices, and let them speak again; private text goes on"}
	f := c.PersistentFlags()
	f.StringVar(&o.Config, "config", "", "YAML file with the Redis to use; LIVEHOST_* variables go over it")
	f.StringVar(&o.Redis, "redis", "", "host:port of Redis instead of the configuration's")
	f.StringVar(&o.Data, "data", "", "data directory of a process with embedded servers, whose Redis is used when no other is named")
	stop := &cobra.Command{
		Use: "stop", Short: "Silence voices within a second, in the middle of a sentence", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Reason == "" {
				return &usageError{errors.New("--reason: say why, for whoever finds the room silent")}
			}
			if err := o.which(); err != nil {
				return err
			}
			return a.VoiceStop(c.Context(), o, io)
		},
	}
	resume := &cobra.Command{
		Use: "resume", Short: "End a stop with the same --room, --variant or --all", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.which(); err != nil {
				return err
			}
			return a.VoiceResume(c.Context(), o, io)
		},
	}
	list := &cobra.Command{
		Use: "list", Short: "The stops in force", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.VoiceList(c.Context(), o, io) },
	}
	for _, sub := range []*cobra.Command{stop, resume} {
		sub.Flags().StringVar(&o.Room, "room", "", "the voice of this room")
		sub.Flags().StringVar(&o.Variant, "variant", "", "what this variant says, in every room")
		sub.Flags().BoolVar(&o.All, "all", false, "every voice")
	}
	stop.Flags().StringVar(&o.Reason, "reason", "", "why")
	list.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	c.AddCommand(stop, resume, list)
	return c
}

// which checks that the flags name exactly one kind of voices.
func (o VoiceOptions) which() error {
	n := 0
	for _, set := range []bool{o.Room != "", o.Variant != "", o.All} {
		if set {
			n++
		}
	}
	if n != 1 {
		return &usageError{errors.New("name one of --room, --variant and --all")}
	}
	return nil
}
