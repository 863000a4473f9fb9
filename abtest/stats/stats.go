package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Reason says why there is no figure; empty when there is one.
type Reason string

// The reasons.
const (
	TooFewUnits Reason = "too_few_units" // fewer than two on a side
	NoVariation Reason = "no_variation"  // every unit of both sides has the same value
	NoUnits     Reason = "no_units"
	BadSplit    Reason = "bad_split" // the planned shares are not positive numbers, one a variant
)

// Sample is one side of a comparison.
type Sample struct {
	N        int64
	Mean     float64
	Variance float64 // of the sample, n - 1 below; ignored when N < 2
}

// Difference is treatment less control. Lo, Hi and P mean nothing with a Reason.
type Difference struct {
	Diff     float64
	Relative *float64 // Diff / |control mean|; nil when that is zero
	Lo, Hi   float64  // confidence interval of Diff
	P        float64  // two-sided
	DF       float64  // Welch's degrees of freedom
	Reason   Reason
}

// Welch compares two means without assuming equal variances.
func Welch(control, treatment Sample, confidence float64) Difference {
	d := Difference{Diff: treatment.Mean - control.Mean, P: 1}
	if control.N == 0 || treatment.N == 0 {
		return Difference{P: 1, Reason: NoUnits}
	}
	if base := math.Abs(control.Mean); base > 0 {
		relative := d.Diff / base
		d.Relative = &relative
	}
	if control.N < 2 || treatment.N < 2 {
		d.Reason = TooFewUnits
		return d
	}
	a, b := control.Variance/float64(control.N), treatment.Variance/float64(treatment.N)
	if !(a >= 0 && b >= 0 && a+b > 0) { // nor can a variance be negative or no number
		d.Reason = NoVariation
		return d
	}
	share := a / (a + b) // squares of a and b themselves may be too small or too large
	d.DF = 1 / (share*share/float64(control.N-1) + (1-share)*(1-share)/float64(treatment.N-1))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: d.DF}
	se := math.Sqrt(a + b)
	half := t.Quantile(1-(1-confidence)/2) * se
	d.Lo, d.Hi = d.Diff-half, d.Diff+half
	d.P = 2 * t.CDF(-math.Abs(d.Diff)/se)
	return d
}

// Mismatch is the chi-square test of observed against planned counts.
type Mismatch struct {
	ChiSquare float64
	P         float64
	Reason    Reason
}

// SampleRatio tests whether observed counts can have come from the planned
// shares, which need not add up to one.
func SampleRatio(observed []int64, planned []float64) Mismatch {
	var units int64
	var shares float64
	if len(observed) != len(planned) || len(observed) < 2 {
		return Mismatch{P: 1, Reason: BadSplit}
	}
	for i := range observed {
		if !(planned[i] > 0) || math.IsInf(planned[i], 0) {
			return Mismatch{P: 1, Reason: BadSplit}
		}
		units += observed[i]
		shares += planned[i]
	}
	if units == 0 {
		return Mismatch{P: 1, Reason: NoUnits}
	}
	var chi float64
	for i := range observed {
		want := float64(units) * planned[i] / shares
		diff := float64(observed[i]) - want
		chi += diff * diff / want
	}
	return Mismatch{ChiSquare: chi, P: distuv.ChiSquared{K: float64(len(observed) - 1)}.Survival(chi)}
}

// String is for people.
func (r Reason) String() string {
	switch r {
	case TooFewUnits:
		return "fewer than two units on a side"
	case NoVariation:
		return "every unit has the same value"
	case NoUnits:
		return "no units"
	case BadSplit:
		return "the planned split does not fit the variants"
	case "":
		return ""
	}
	return fmt.Sprintf("reason %q", string(r))
}
