package abtest

import (
	"sync"

	"livehost/abtest/assign"
	"livehost/streams/event"
)

// The variants of the default experiment, named after the releases that serve them.
const (
	ReactBaseline event.Variant = "react-baseline" // control
	Harness       event.Variant = "harness"
)

// Default is the first experiment: the harness against one prompt with all the
// tools, half of the viewers each.
func Default() assign.Definition { return defaultDefinition() }

// Computed once: ordering 10,000 slots takes milliseconds, and tests ask often.
var defaultDefinition = sync.OnceValue(func() assign.Definition {
	d := assign.Definition{
		Experiment: "harness-vs-react", Version: 1, Layer: "harness", Unit: event.UnitViewer,
		Control: ReactBaseline,
		Variants: []assign.Variant{
			{Name: ReactBaseline, Release: "react-baseline"},
			{Name: Harness, Release: "harness"},
		},
		Slots: assign.NewTable(),
	}
	half := assign.Slots / 2
	d, _ = assign.Ramp(d, map[event.Variant]int{ReactBaseline: half, Harness: half}) // constants: TestDefault
	return d
})
