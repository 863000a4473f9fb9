package assign_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/abtest/assign"
	"livehost/streams/event"
)

const (
	control   = event.Variant("c")
	treatment = event.Variant("t")
)

func definition() assign.Definition {
	return assign.Definition{
		Experiment: "e", Version: 1, Layer: "l", Unit: event.UnitViewer, Control: control,
		Variants: []assign.Variant{{Name: control, Release: "rc"}, {Name: treatment, Release: "rt"}},
		Slots:    assign.NewTable(),
	}
}

func ramp(t *testing.T, d assign.Definition, c, tr int) assign.Definition {
	t.Helper()
	weights := map[event.Variant]int{treatment: tr}
	if c > 0 {
		weights[control] = c
	}
	d, err := assign.Ramp(d, weights)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestBucketOwnVectors(t *testing.T) {
	t.Parallel()
	// Computed independently: fnv32a(str(fnv32a(seed+id))) % 10000 over UTF-8 bytes.
	for _, tt := range []struct {
		seed, id string
		want     int
	}{
		{"layer/harness/", "u1", 724}, {"layer/harness/", "用户1", 1842},
		{"layer/harness/", "9223372036854775807", 4787}, {"", "", 2305}, {"盐", "😀", 5319},
	} {
		if got := assign.Bucket(tt.seed, tt.id); got != tt.want {
			t.Errorf("Bucket(%q, %q) = %d, want %d", tt.seed, tt.id, got, tt.want)
		}
	}
}

// TestBucketPublicVectors runs when the shared reference vectors are there.
func TestBucketPublicVectors(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../shared/data/abtest/growthbook_cases.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no shared vectors here")
	}
	if err != nil {
		t.Fatal(err)
	}
	var cases struct {
		Hash [][]any `json:"hash"`
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range cases.Hash {
		if c[2].(float64) != 2 {
			continue
		}
		n++
		if got, want := float64(assign.Bucket(c[0].(string), c[1].(string)))/assign.Slots, c[3].(float64); got != want {
			t.Errorf("hash(%q, %q) = %v, want %v", c[0], c[1], got, want)
		}
	}
	if n == 0 {
		t.Error("no version 2 vectors")
	}
}

// CASES A/B 1: enrolment and variant must not share a hash.
func TestRolloutThenSplitIsBalanced(t *testing.T) {
	t.Parallel()
	d := ramp(t, definition(), 500, 500)
	counts := map[event.Variant]int{}
	for i := range 100_000 {
		if a, ok := assign.Assign(d, fmt.Sprintf("user-%d", i)); ok {
			counts[a.Variant]++
		}
	}
	for _, v := range []event.Variant{control, treatment} {
		if math.Abs(float64(counts[v]-5000)) > 220 {
			t.Errorf("variant %s has %d units, want 5000 +- 220", v, counts[v])
		}
	}
}

// CASES A/B 3: a ramp moves nobody who had a variant.
func TestRampMovesNobody(t *testing.T) {
	t.Parallel()
	before := ramp(t, definition(), 1000, 1000)
	after := ramp(t, before, 1000, 2000)
	joined := map[int]bool{}
	for i := range 200_000 {
		unit := fmt.Sprintf("用户%d", i)
		was, had := assign.Assign(before, unit)
		is, has := assign.Assign(after, unit)
		if had && (!has || is != was) {
			t.Fatalf("%s went from %+v to %+v (enrolled %v)", unit, was, is, has)
		}
		if !had && has {
			if is.Variant != treatment {
				t.Fatalf("%s joined %s, only treatment grew", unit, is.Variant)
			}
			joined[is.Slot] = true
		}
	}
	if len(joined) != 1000 {
		t.Errorf("units of %d slots joined, want exactly the 1000 new ones", len(joined))
	}
	full := ramp(t, definition(), 9000, 1000)
	if _, err := assign.Ramp(full, map[event.Variant]int{control: 8000, treatment: 2000}); err == nil ||
		!strings.Contains(err.Error(), "would move units") || !strings.Contains(err.Error(), "0 free") {
		t.Errorf("90/10 -> 80/20 without free slots: %v, want both reasons", err)
	}
}

// CASES A/B 4: a 10 % rollout and a 90/10 split agree, at both ends too.
func TestRolloutAndSplitAgree(t *testing.T) {
	t.Parallel()
	rollout, split := ramp(t, definition(), 0, 1000), ramp(t, definition(), 9000, 1000)
	ends := map[int]bool{}
	for i := range 200_000 {
		unit := fmt.Sprint(i)
		a, _ := assign.Assign(rollout, unit)
		b, enrolled := assign.Assign(split, unit)
		if a.Variant != b.Variant || !enrolled {
			t.Fatalf("unit %s (slot %d): rollout %s, split %s (enrolled %v)", unit, a.Slot, a.Variant, b.Variant, enrolled)
		}
		ends[a.Slot] = true
	}
	if !ends[0] || !ends[9999] {
		t.Error("no unit fell on the first or the last slot")
	}
}

func TestHoldoutAndRetired(t *testing.T) {
	t.Parallel()
	d, err := assign.Reserve(definition(), 500)
	if err != nil {
		t.Fatal(err)
	}
	d = ramp(t, d, 0, 9500)
	counts := map[bool]int{}
	for i := range 20_000 {
		_, ok := assign.Assign(d, fmt.Sprint(i))
		counts[ok]++
	}
	if counts[false] < 850 || counts[false] > 1150 {
		t.Errorf("%d of 20000 held out, want about 1000", counts[false])
	}
	d, err = assign.Retire(d, treatment)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	if a, ok := assign.Assign(d, "x"); ok || a.Variant != control {
		t.Errorf("after retiring: %+v, %v", a, ok)
	}
	if _, err := assign.Ramp(d, map[event.Variant]int{control: 1}); err == nil {
		t.Error("a retired slot was given away")
	}
}

// Holdout and variant use different salts: the holdout does not thin one variant.
func TestHoldoutIsIndependentOfVariant(t *testing.T) {
	t.Parallel()
	plain := ramp(t, definition(), 5000, 5000)
	held, err := assign.Reserve(definition(), 2000)
	if err != nil {
		t.Fatal(err)
	}
	held = ramp(t, held, 4000, 4000) // whoever is not enrolled is held out
	lost := map[event.Variant]int{}
	for i := range 50_000 {
		unit := fmt.Sprint(i)
		if _, ok := assign.Assign(held, unit); !ok {
			a, _ := assign.Assign(plain, unit)
			lost[a.Variant]++
		}
	}
	if r := float64(lost[control]) / float64(lost[treatment]); r < 0.93 || r > 1.07 {
		t.Errorf("holdout takes %d of control and %d of treatment", lost[control], lost[treatment])
	}
}

func TestJSONRoundTripAndValidate(t *testing.T) {
	t.Parallel()
	d := ramp(t, definition(), 8996, 1004)
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var got assign.Definition
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got, cmp.AllowUnexported(assign.Table{})); diff != "" {
		t.Errorf("round trip (-want +got):\n%s", diff)
	}
	var bad assign.Definition
	if err := json.Unmarshal([]byte(`{"unit":"dog","variants":[{"name":"a"},{"name":"a","release":"r"}],"slots":"A"}`), &bad); err != nil {
		t.Fatal(err)
	}
	err = bad.Validate()
	for _, want := range []string{"experiment", "version", "layer", "unit", "control", "slots", "variants[0]", "twice"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate = %v, want a problem with %q", err, want)
		}
	}
}

func TestParseShare(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{"10.04%": 1004, "10.04": 1004, "0": 0, "100%": 10000, "0.1": 10, "99.99": 9999} {
		if got, err := assign.ParseShare(in); err != nil || got != want {
			t.Errorf("ParseShare(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "%", "-1", "100.01", "1.005", "a", ".5x"} {
		if got, err := assign.ParseShare(in); err == nil {
			t.Errorf("ParseShare(%q) = %d, want an error", in, got)
		}
	}
}

func BenchmarkAssign(b *testing.B) {
	d, err := assign.Ramp(definition(), map[event.Variant]int{control: 5000, treatment: 5000})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		assign.Assign(d, "7312345678901234567")
	}
}
