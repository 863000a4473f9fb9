package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// EvalIntentsOptions are the flags of eval intents.
type EvalIntentsOptions struct {
	Data   string // folder of recorded rooms
	Labels string // file of labels to compare with
	Learnt string // file of the labels that the model was made of; "": texts are not told apart
	Texts  bool   // write the texts instead, as the model is given them
	Own    string // file of invented texts to write instead
	JSON   bool
}

func intents(a Actions, io IO) *cobra.Command {
	var o EvalIntentsOptions
	c := &cobra.Command{
		Use:   "intents",
		Short: "Compare the intents read in recorded danmaku with people's labels",
		Long: "Compare the intents read in recorded danmaku with people's labels.\n\n" +
			"With --texts or --own, write texts as the model is given them, for eval/intents/train.py.",
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(o.validate(), func() error { return a.EvalIntents(c.Context(), o, io) })
		},
	}
	c.Flags().StringVar(&o.Data, "data", "", "folder with recordings (*.jsonl), e.g. ../shared/data")
	c.Flags().StringVar(&o.Labels, "labels", "", "labels to compare with (file:line intent)")
	c.Flags().StringVar(&o.Learnt, "learnt", "", "labels the model was made of: danmaku with other texts are counted apart, too")
	c.Flags().BoolVar(&o.Texts, "texts", false, "write the texts of --data: file:line, a tab, the text")
	c.Flags().StringVar(&o.Own, "own", "", "write the texts of this file (text, a tab, intent): intent, a tab, the text")
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	return c
}

// validate reports every flag that is missing, and those that say nothing together.
func (o EvalIntentsOptions) validate() error {
	var problems []error
	if o.Own != "" || o.Texts {
		problems = append(problems, without("--own and --texts write texts", o.Labels != "" || o.Learnt != "" || o.JSON, "--labels, --learnt and --json"))
	}
	if o.Own != "" {
		return errors.Join(append(problems, without("--own is a file of its own", o.Data != "" || o.Texts, "--data and --texts"))...)
	}
	problems = append(problems, need("--data", o.Data, "the folder with recordings (*.jsonl)"))
	if !o.Texts {
		problems = append(problems, need("--labels", o.Labels, "a file of labels, e.g. eval/intents/labels/test14.labels"))
	}
	return errors.Join(problems...)
}

func without(why string, given bool, flags string) error {
	if !given {
		return nil
	}
	return fmt.Errorf("%s: leave out %s", why, flags)
}
