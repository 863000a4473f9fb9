package stats_test

import (
	"math"
	"testing"

	"livehost/abtest/stats"
)

func near(a, b, rel float64) bool { return math.Abs(a-b) <= rel*math.Abs(b) }

func TestWelch(t *testing.T) {
	t.Parallel()
	// Equal sides have 2n - 2 degrees of freedom, and then tables know the quantile:
	// the difference below is exactly significant at 5 %.
	for n, quantile := range map[int64]float64{2: 4.302652729911275, 16: 2.0422724563012373} {
		side := stats.Sample{N: n, Mean: 5, Variance: float64(n) / 2} // standard error 1
		other := side
		other.Mean += quantile
		d := stats.Welch(side, other, 0.95)
		if d.Reason != "" || !near(d.DF, float64(2*n-2), 1e-12) || !near(d.P, 0.05, 1e-9) || math.Abs(d.Lo) > 1e-9 || !near(d.Hi, 2*quantile, 1e-9) {
			t.Errorf("n = %d: %+v", n, d)
		}
		if d.Relative == nil || !near(*d.Relative, quantile/5, 1e-9) {
			t.Errorf("n = %d: relative %v", n, d.Relative)
		}
	}
	// Unequal ones have fewer, and the larger variance counts for more.
	d := stats.Welch(stats.Sample{N: 4, Mean: 0, Variance: 4}, stats.Sample{N: 9, Mean: 0, Variance: 9}, 0.95)
	if want := 4 / (1./3 + 1./8); !near(d.DF, want, 1e-12) || d.P != 1 {
		t.Errorf("%+v, want %v degrees of freedom and p 1", d, want)
	}
}

func TestWelchDegenerate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		control, treatment stats.Sample
		want               stats.Reason
	}{
		"nobody":          {stats.Sample{}, stats.Sample{N: 5, Mean: 1, Variance: 1}, stats.NoUnits},
		"one each":        {stats.Sample{N: 1, Mean: 1}, stats.Sample{N: 1, Mean: 2}, stats.TooFewUnits},
		"no conversions":  {stats.Sample{N: 3}, stats.Sample{N: 2}, stats.NoVariation},
		"one, NaN":        {stats.Sample{N: 1, Mean: 1, Variance: math.NaN()}, stats.Sample{N: 9, Mean: 2, Variance: 1}, stats.TooFewUnits},
		"no variance":     {stats.Sample{N: 9, Mean: 1, Variance: math.NaN()}, stats.Sample{N: 9, Mean: 2, Variance: 1}, stats.NoVariation},
		"below zero":      {stats.Sample{N: 2, Mean: 698, Variance: -923_000}, stats.Sample{N: 3461, Mean: 1, Variance: 4e9}, stats.NoVariation}, // gbstats: ZERO_NEGATIVE_VARIANCE
		"all pay the one": {stats.Sample{N: 3, Mean: 5}, stats.Sample{N: 3, Mean: 7}, stats.NoVariation},
	} {
		d := stats.Welch(tt.control, tt.treatment, 0.95)
		if d.Reason != tt.want || d.P != 1 || d.Lo != 0 || d.Hi != 0 {
			t.Errorf("%s: %+v, want %s", name, d, tt.want)
		}
		if math.IsNaN(d.Diff) || d.Relative != nil && math.IsNaN(*d.Relative) {
			t.Errorf("%s: NaN in %+v", name, d)
		}
	}
}

// The degrees of freedom do not hang on the scale, down to variances whose squares are
// no numbers any more. p is scipy.stats.ttest_ind_from_stats(equal_var=False).
func TestWelchHasNoScale(t *testing.T) {
	t.Parallel()
	for _, scale := range []float64{1, 1e-170, 1e170} {
		d := stats.Welch(stats.Sample{N: 4, Variance: 4 * scale}, stats.Sample{N: 9, Mean: math.Sqrt(scale), Variance: 9 * scale}, 0.95)
		if want := 4 / (1./3 + 1./8); !near(d.DF, want, 1e-12) || !near(d.P, 0.4979445529016882, 1e-9) {
			t.Errorf("scale %g: %+v, want %v degrees of freedom", scale, d, want)
		}
	}
}

func TestNegativeBaselineIsAGain(t *testing.T) {
	t.Parallel()
	d := stats.Welch(stats.Sample{N: 5, Mean: -10, Variance: 1}, stats.Sample{N: 5, Mean: -5, Variance: 1}, 0.95)
	if d.Relative == nil || *d.Relative != 0.5 {
		t.Errorf("%+v, want +50 %%", d)
	}
}

func TestSampleRatio(t *testing.T) {
	t.Parallel()
	m := stats.SampleRatio([]int64{9463, 7681}, []float64{1, 1})
	if !near(m.P, 3.5e-42, 0.05) {
		t.Errorf("p = %g, want 3.5e-42", m.P)
	}
	if m := stats.SampleRatio([]int64{678_598, 75_754}, []float64{8996, 1004}); m.P < 0.001 {
		t.Errorf("the real split is refused: %+v", m)
	}
	if m := stats.SampleRatio([]int64{50, 50}, []float64{1, 1}); m.P != 1 || m.Reason != "" {
		t.Errorf("%+v", m)
	}
	for name, tt := range map[string]struct {
		observed []int64
		planned  []float64
		want     stats.Reason
	}{
		"nobody":       {[]int64{0, 0}, []float64{1, 1}, stats.NoUnits},
		"one variant":  {[]int64{5}, []float64{1}, stats.BadSplit},
		"zero share":   {[]int64{5, 5}, []float64{1, 0}, stats.BadSplit},
		"NaN":          {[]int64{5, 5}, []float64{1, math.NaN()}, stats.BadSplit},
		"other number": {[]int64{5, 5}, []float64{1, 1, 1}, stats.BadSplit},
	} {
		if m := stats.SampleRatio(tt.observed, tt.planned); m.Reason != tt.want || m.P != 1 {
			t.Errorf("%s: %+v, want %s", name, m, tt.want)
		}
	}
}
