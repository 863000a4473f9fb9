package query

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"livehost/abtest/stats"
	"livehost/streams/event"
)

// When a verdict is blocked.
const (
	srmAlpha       = 0.001 // sample ratio mismatch
	mixedShare     = 0.01  // units seen in several variants: this share
	mixedUnits     = 10    // and at least as many
	sizeDifference = 0.10  // mean window size, relative to control
	modeDifference = 0.05  // share of multi windows, in points
	dilutionLimit  = 0.05  // share of a variant's public answers heard from another variant
	fewWindows     = 30    // below it windows are not compared
	confidence     = 0.95
)

// Plan is what the experiment's definition says.
type Plan struct {
	Version
	Control string             // empty: the first variant by name
	Split   map[string]float64 // planned shares by variant; nil: not known, equal shares are assumed
	SplitOf uint32             // the only version that Split is of; 0: the one that is asked for
}

// ABInput is the answers a report is made of.
type ABInput struct {
	Units     []VariantUnits
	SeenUnits int64 // all units, mixed ones too
	Mixed     int64
	Windows   []VariantWindows
	Speech    []VariantSpeech
}

// ABReport is the state of an experiment.
type ABReport struct {
	Experiment     string      `json:"experiment"`
	Version        uint32      `json:"version"`
	Control        string      `json:"control"`
	ControlAssumed bool        `json:"assumed_control"` // the plan did not say: the first by name was taken
	Unit           string      `json:"unit"`            // viewer or room; empty: no unit was seen. Means are per unit
	Variants       []ABVariant `json:"variants"`
	Units          int64       `json:"units"`       // all bucketed units, mixed ones too
	Mixed          int64       `json:"mixed_units"` // seen in several variants, left out of everything else
	SRM            SRM         `json:"srm"`
	Effects        []Effect    `json:"effects"`
	Blocked        []string    `json:"blocked"` // why there is no verdict; empty when there is one
	Verdict        string      `json:"verdict"`
}

// ABVariant is one variant's population and what it was given. Money is in fen.
type ABVariant struct {
	Variant             string   `json:"variant"`
	Bucketed            int64    `json:"bucketed_units"`
	Exposed             int64    `json:"exposed_units"`
	Degraded            int64    `json:"degraded_units"`
	GMVPerUser          *float64 `json:"gmv_per_bucketed_user_fen"`
	OrdersPerUser       *float64 `json:"orders_per_bucketed_user"`
	GMVPerExposed       *float64 `json:"gmv_per_exposed_user_fen"`
	OrdersPerExposed    *float64 `json:"orders_per_exposed_user"`
	Windows             int64    `json:"windows"`
	MeanWindowSize      *float64 `json:"mean_window_size"`
	MultiShare          *float64 `json:"multi_share"`
	Spoken              int64    `json:"public_answers"`
	PrivateTexts        int64    `json:"private_deliveries"`
	SpeechShare         *float64 `json:"speech_share"` // of all variants' spoken time
	HeardOtherVariant   int64    `json:"heard_other_variant"`
	DilutedPublicAnswer *float64 `json:"dilution"` // share of public answers heard from another variant
}

// SRM is the check that units arrived in the planned shares.
type SRM struct {
	ChiSquare float64      `json:"chi_square"`
	P         float64      `json:"p"`
	Assumed   bool         `json:"assumed_equal_split"` // the plan was not known
	Reason    stats.Reason `json:"reason,omitempty"`
}

// Effect is the naive comparison of one variant with control.
type Effect struct {
	Metric    string       `json:"metric"`
	Variant   string       `json:"variant"`
	Control   float64      `json:"control_mean"`
	Treatment float64      `json:"treatment_mean"`
	Diff      float64      `json:"difference"`
	Relative  *float64     `json:"relative"`
	Interval  *[2]float64  `json:"interval_95"` // of the difference; nil with a reason
	P         float64      `json:"p"`
	Reason    stats.Reason `json:"reason,omitempty"`
}

// metrics are compared in this order; the first is the success metric.
var metrics = []struct {
	name string
	of   func(VariantUnits) Moments
}{
	{"gmv_per_bucketed_user_fen", func(v VariantUnits) Moments { return v.GMV }},
	{"orders_per_bucketed_user", func(v VariantUnits) Moments { return v.Orders }},
	{"gmv_per_exposed_user_fen", func(v VariantUnits) Moments { return v.GMVExposed }},
	{"orders_per_exposed_user", func(v VariantUnits) Moments { return v.OrdersExposed }},
}

// NewABReport judges what was counted.
func NewABReport(p Plan, in ABInput) ABReport {
	if p.SplitOf != 0 && p.SplitOf != p.Version.Version {
		p.Split = nil
	}
	r := ABReport{Experiment: p.Experiment, Version: p.Version.Version, Units: in.SeenUnits, Mixed: in.Mixed, Effects: []Effect{}, Blocked: []string{}}
	units := p.units(in.Units)
	r.Control = p.Control
	if r.Control == "" && len(units) > 0 {
		r.Control, r.ControlAssumed = units[0].Variant, true
	}
	for _, u := range in.Units {
		r.Unit = u.Unit
	}
	r.Variants = variants(units, in)
	r.SRM = p.srm(units)
	r.Effects = effects(r.Control, units)
	r.Blocked = append(r.Blocked, r.populationProblems(units)...)
	r.Blocked = append(r.Blocked, r.deliveryProblems()...)
	r.Verdict = r.verdict()
	return r
}

// units has a row for every planned variant, also for one nobody came to.
func (p Plan) units(seen []VariantUnits) []VariantUnits {
	out := slices.Clone(seen)
	for name := range p.Split {
		if !slices.ContainsFunc(out, func(v VariantUnits) bool { return v.Variant == name }) {
			out = append(out, VariantUnits{Variant: name})
		}
	}
	slices.SortFunc(out, func(a, b VariantUnits) int { return strings.Compare(a.Variant, b.Variant) })
	for i := range out {
		out[i].complete()
	}
	return out
}

func (p Plan) srm(units []VariantUnits) SRM {
	observed, planned := make([]int64, len(units)), make([]float64, len(units))
	for i, v := range units {
		observed[i], planned[i] = v.Units, p.Split[v.Variant]
		if p.Split == nil {
			planned[i] = 1
		}
	}
	m := stats.SampleRatio(observed, planned)
	return SRM{ChiSquare: m.ChiSquare, P: m.P, Reason: m.Reason, Assumed: p.Split == nil}
}

func variants(units []VariantUnits, in ABInput) []ABVariant {
	var spokenMs int64
	for _, s := range in.Speech {
		spokenMs += s.SpeechMs
	}
	out := make([]ABVariant, len(units))
	for i, u := range units {
		v := ABVariant{Variant: u.Variant, Bucketed: u.Units, Exposed: u.Exposed, Degraded: u.Degraded}
		if u.Units > 0 {
			v.GMVPerUser, v.OrdersPerUser = finite(u.GMV.Mean), finite(u.Orders.Mean)
		}
		if u.Exposed > 0 {
			v.GMVPerExposed, v.OrdersPerExposed = finite(u.GMVExposed.Mean), finite(u.OrdersExposed.Mean)
		}
		for _, w := range in.Windows {
			if w.Variant == u.Variant {
				v.Windows, v.MeanWindowSize, v.MultiShare = w.Windows, ratio(w.Members, w.Windows), ratio(w.Multi, w.Windows)
			}
		}
		for _, s := range in.Speech {
			if s.Variant == u.Variant {
				v.Spoken, v.PrivateTexts, v.HeardOtherVariant = s.Spoken, s.Private, s.HeardOther
				v.SpeechShare, v.DilutedPublicAnswer = ratio(s.SpeechMs, spokenMs), ratio(s.HeardOther, s.HeardOther+s.Spoken)
			}
		}
		out[i] = v
	}
	return out
}

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// ratio is nil when there is nothing to divide by.
func ratio(a, b int64) *float64 {
	if b == 0 {
		return nil
	}
	return finite(float64(a) / float64(b))
}

func effects(control string, units []VariantUnits) []Effect {
	out := []Effect{}
	at := slices.IndexFunc(units, func(v VariantUnits) bool { return v.Variant == control })
	if at < 0 {
		return out
	}
	for _, m := range metrics {
		for _, v := range units {
			if v.Variant != control {
				out = append(out, effect(m.name, v.Variant, m.of(units[at]), m.of(v)))
			}
		}
	}
	return out
}

func effect(metric, variant string, control, treatment Moments) Effect {
	d := stats.Welch(stats.Sample(control), stats.Sample(treatment), confidence)
	e := Effect{Metric: metric, Variant: variant, Control: control.Mean, Treatment: treatment.Mean, Diff: d.Diff, Relative: d.Relative, P: d.P, Reason: d.Reason}
	if d.Reason == "" {
		e.Interval = &[2]float64{d.Lo, d.Hi}
	}
	return e
}

// populationProblems are why the populations cannot be compared.
func (r ABReport) populationProblems(units []VariantUnits) []string {
	var out []string
	switch {
	case len(units) < 2:
		out = append(out, "fewer than two variants have units")
	case !slices.ContainsFunc(units, func(v VariantUnits) bool { return v.Variant == r.Control }):
		out = append(out, fmt.Sprintf("nobody is in control (%s)", r.Control))
	case r.SRM.Reason != "":
		out = append(out, "sample ratio not checked: "+r.SRM.Reason.String())
	case r.SRM.P < srmAlpha:
		from := ""
		if r.SRM.Assumed {
			from = " from equal shares, which are assumed: the planned split of this version is not known"
		}
		out = append(out, fmt.Sprintf("sample ratio mismatch (p = %.2g): the populations differ by more than chance%s", r.SRM.P, from))
	}
	if r.Mixed >= mixedUnits && float64(r.Mixed) >= mixedShare*float64(r.Units) {
		out = append(out, fmt.Sprintf("%d of %d units were seen in several variants", r.Mixed, r.Units))
	}
	return out
}

// deliveryProblems are why a difference cannot be put down to the variant alone:
// its askers were given something else than control's in form, or heard the other
// variant.
func (r ABReport) deliveryProblems() []string {
	var out []string
	at := slices.IndexFunc(r.Variants, func(v ABVariant) bool { return v.Variant == r.Control })
	for i, v := range r.Variants {
		if d := v.DilutedPublicAnswer; d != nil && *d > dilutionLimit {
			out = append(out, fmt.Sprintf("dilution: %.1f %% of %s's public answers were heard from another variant", *d*100, v.Variant))
		}
		if at < 0 || i == at || v.Windows < fewWindows || r.Variants[at].Windows < fewWindows {
			continue
		}
		c := r.Variants[at]
		if a, b := *v.MeanWindowSize, *c.MeanWindowSize; math.Abs(a-b) > sizeDifference*b {
			out = append(out, fmt.Sprintf("window size differs: %s %.2f, %s %.2f members", v.Variant, a, c.Variant, b))
		}
		if a, b := *v.MultiShare, *c.MultiShare; math.Abs(a-b) > modeDifference {
			out = append(out, fmt.Sprintf("mode differs: %s %.1f %%, %s %.1f %% multi windows", v.Variant, a*100, c.Variant, b*100))
		}
	}
	return out
}

// guessed says that control is one that nobody named; empty when somebody did.
func (r ABReport) guessed() string {
	if !r.ControlAssumed {
		return ""
	}
	return "; which variant is control is not known, " + r.Control + " is taken: --control names it"
}

func (r ABReport) verdict() string {
	if len(r.Blocked) > 0 {
		return "none: " + strings.Join(r.Blocked, "; ") + r.guessed()
	}
	var parts []string
	for _, e := range r.Effects {
		if e.Metric != metrics[0].name {
			continue
		}
		parts = append(parts, e.sentence(r.UnitName()))
	}
	return strings.Join(parts, "; ") + " (naive: no variance reduction, no correction for looking early or at several figures)" + r.guessed()
}

// UnitName is what one unit is called in texts.
func (r ABReport) UnitName() string {
	if r.Unit == string(event.UnitRoom) {
		return "room"
	}
	return "user"
}

// sentence is an effect on GMV in words.
func (e Effect) sentence(unit string) string {
	switch {
	case e.Reason != "":
		return fmt.Sprintf("%s: no difference can be stated, %s", e.Variant, e.Reason)
	case e.Interval[0] > 0:
		return fmt.Sprintf("%s: GMV per bucketed %s is higher, p = %.2g", e.Variant, unit, e.P)
	case e.Interval[1] < 0:
		return fmt.Sprintf("%s: GMV per bucketed %s is lower, p = %.2g", e.Variant, unit, e.P)
	}
	return fmt.Sprintf("%s: no difference in GMV per bucketed %s is shown, p = %.2g", e.Variant, unit, e.P)
}
