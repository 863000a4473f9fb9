package query

import (
	"fmt"
	"io"
	"strings"
)

// Write prints the report for people. Money is in yuan.
func (r ABReport) Write(w io.Writer) error {
	p := &printer{w: w}
	p.printf("experiment %s, version %d, control %s: %d bucketed %ss, %d of them in several variants and left out", r.Experiment, r.Version, r.Control, r.Units, r.UnitName(), r.Mixed)
	p.section("populations", r.populations())
	p.section("what they were given", r.given())
	p.section("effects against "+r.Control, r.effects())
	assumed := ""
	if r.SRM.Assumed {
		assumed = " (planned split not known, equal shares assumed)"
	}
	if r.SRM.Reason != "" {
		p.printf("\nsample ratio: not checked, %s%s", r.SRM.Reason, assumed)
	} else {
		p.printf("\nsample ratio: chi-square %.2f, p = %.3g%s", r.SRM.ChiSquare, r.SRM.P, assumed)
	}
	p.printf("verdict: %s", r.Verdict)
	return p.err
}

func (r ABReport) populations() Table {
	t := Table{Header: []string{"VARIANT", "BUCKETED", "EXPOSED", "DEGRADED", "GMV/BUCKETED", "ORDERS/BUCKETED", "GMV/EXPOSED", "ORDERS/EXPOSED"}, Right: []int{1, 2, 3, 4, 5, 6, 7}}
	for _, v := range r.Variants {
		t.Rows = append(t.Rows, []string{v.Variant, fmt.Sprint(v.Bucketed), fmt.Sprint(v.Exposed), fmt.Sprint(v.Degraded),
			yuan(v.GMVPerUser), decimal(v.OrdersPerUser), yuan(v.GMVPerExposed), decimal(v.OrdersPerExposed)})
	}
	return t
}

func (r ABReport) given() Table {
	t := Table{Header: []string{"VARIANT", "WINDOWS", "SIZE", "MULTI", "PUBLIC", "PRIVATE", "SPEECH", "HEARD OTHER", "DILUTION"}, Right: []int{1, 2, 3, 4, 5, 6, 7, 8}}
	for _, v := range r.Variants {
		t.Rows = append(t.Rows, []string{v.Variant, fmt.Sprint(v.Windows), decimal(v.MeanWindowSize), percent(v.MultiShare), fmt.Sprint(v.Spoken),
			fmt.Sprint(v.PrivateTexts), percent(v.SpeechShare), fmt.Sprint(v.HeardOtherVariant), percent(v.DilutedPublicAnswer)})
	}
	return t
}

func (r ABReport) effects() Table {
	t := Table{Header: []string{"METRIC", "VARIANT", "CONTROL", "TREATMENT", "DIFFERENCE", "RELATIVE", "95 % INTERVAL", "P"}, Right: []int{2, 3, 4, 5, 6, 7}}
	for _, e := range r.Effects {
		show, name := decimal, e.Metric
		if base, ok := strings.CutSuffix(e.Metric, "_fen"); ok {
			show, name = yuan, base
		}
		row := []string{name, e.Variant, show(&e.Control), show(&e.Treatment), show(&e.Diff), percent(e.Relative)}
		if e.Interval == nil {
			row = append(row, e.Reason.String(), "-")
		} else {
			row = append(row, show(&e.Interval[0])+" .. "+show(&e.Interval[1]), fmt.Sprintf("%.3g", e.P))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func yuan(fen *float64) string {
	if fen == nil {
		return "-"
	}
	return fmt.Sprintf("¥%.2f", *fen/100)
}

func decimal(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *x)
}

func percent(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", *x*100)
}
