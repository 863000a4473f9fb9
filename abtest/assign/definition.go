package assign

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"livehost/streams/event"
)

// Definition is one version of one experiment and the table of its layer.
// Definitions are values: operations return a changed copy.
type Definition struct {
	Experiment string         `json:"experiment"`
	Version    int            `json:"version"` // from 1; any switch of a release inside a running experiment opens the next
	Layer      string         `json:"layer"`   // experiments of one layer exclude each other
	Unit       event.UnitKind `json:"unit"`
	Control    event.Variant  `json:"control"`  // what units without a variant get
	Variants   []Variant      `json:"variants"` // append only within a version: the table refers to them by position
	Slots      Table          `json:"slots"`
}

// Variant is one arm.
type Variant struct {
	Name    event.Variant `json:"name"`
	Weight  int           `json:"weight"`  // slots it owns: percent x 100
	Release string        `json:"release"` // harness/releases/<id>.yaml that serves it
}

// Assignment is what the table says of one unit that is enrolled.
type Assignment struct {
	Variant event.Variant
	Slot    int
}

func (d Definition) layerSalt() string   { return "layer/" + d.Layer + "/" }
func (d Definition) variantSalt() string { return "variant/" + d.Experiment + "/" }
func (d Definition) holdoutSalt() string { return "holdout/" + d.Layer + "/" }

// Slot is the unit's slot in the layer.
func (d Definition) Slot(unit string) int { return Bucket(d.layerSalt(), unit) }

// Assign is the unit's variant. It reports false when the unit's slot has none
// (the unit then gets Control, without enrolment).
func Assign(d Definition, unit string) (Assignment, bool) {
	slot := d.Slot(unit)
	if i, ok := d.Slots.variant(slot); ok {
		return Assignment{Variant: d.Variants[i].Name, Slot: slot}, true
	}
	return Assignment{Variant: d.Control, Slot: slot}, false
}

// Validate lists everything that is wrong with the definition.
func (d Definition) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if d.Experiment == "" {
		bad("experiment: empty")
	}
	if d.Version < 1 {
		bad("version: %d, want 1 or more", d.Version)
	}
	if d.Layer == "" {
		bad("layer: empty")
	}
	if d.Unit != event.UnitViewer && d.Unit != event.UnitRoom {
		bad("unit: %q is not viewer or room", d.Unit)
	}
	if len(d.Variants) < 2 || len(d.Variants) > maxVariants {
		bad("variants: %d, want 2 to %d", len(d.Variants), maxVariants)
	}
	if d.index(d.Control) < 0 {
		bad("control: %q is not a variant", d.Control)
	}
	tableErr := d.Slots.validate(len(d.Variants))
	if tableErr != nil {
		errs = append(errs, tableErr)
	}
	seen := map[event.Variant]bool{}
	for i, v := range d.Variants {
		if v.Name == "" || v.Release == "" {
			bad("variants[%d]: name and release are required", i)
		}
		if seen[v.Name] {
			bad("variants[%d]: %q is there twice", i, v.Name)
		}
		seen[v.Name] = true
		if owned := d.Slots.count(owner(i)); tableErr == nil && owned != v.Weight {
			bad("variants[%d]: weight %d but %d slots", i, v.Weight, owned)
		}
	}
	return errors.Join(errs...)
}

// Has reports whether name is one of the variants.
func (d Definition) Has(name event.Variant) bool { return d.index(name) >= 0 }

func (d Definition) index(name event.Variant) int {
	return slices.IndexFunc(d.Variants, func(v Variant) bool { return v.Name == name })
}

func owner(variant int) byte { return byte('A' + variant) }

// Ramp gives free slots to variants until each owns its weight (slots; variants
// not named keep theirs). It refuses to take a slot away and to give more than
// is free: weights only grow.
func Ramp(d Definition, weights map[event.Variant]int) (Definition, error) {
	var errs []error
	need := 0
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		i := d.index(name)
		if i < 0 {
			errs = append(errs, fmt.Errorf("variant %q is not in %s", name, d.Experiment))
			continue
		}
		if w, have := weights[name], d.Variants[i].Weight; w < have {
			errs = append(errs, fmt.Errorf("variant %q owns %d slots: shrinking to %d would move units; retire it instead", name, have, w))
		} else {
			need += w - have
		}
	}
	if free := d.Slots.Free(); need > free {
		errs = append(errs, fmt.Errorf("%d more slots wanted, %d free", need, free))
	}
	if len(errs) > 0 {
		return d, errors.Join(errs...)
	}
	front := order(d.variantSalt())
	back := slices.Clone(front)
	slices.Reverse(back)
	d.Variants = slices.Clone(d.Variants)
	for i := range d.Variants {
		v := &d.Variants[i]
		w, named := weights[v.Name]
		if !named {
			continue
		}
		from := front
		if v.Name == d.Control {
			from = back
		}
		d.Slots = d.Slots.give(from, w-v.Weight, owner(i))
		v.Weight = w
	}
	return d, nil
}

// Reserve makes n free slots the layer's holdout.
func Reserve(d Definition, n int) (Definition, error) {
	if n < 0 || n > d.Slots.Free() {
		return d, fmt.Errorf("%d holdout slots wanted, %d free", n, d.Slots.Free())
	}
	d.Slots = d.Slots.give(order(d.holdoutSalt()), n, holdout)
	return d, nil
}

// Retire ends a variant: its units get control, and its slots are not given to
// anybody else.
func Retire(d Definition, name event.Variant) (Definition, error) {
	i := d.index(name)
	if i < 0 {
		return d, fmt.Errorf("variant %q is not in %s", name, d.Experiment)
	}
	d.Slots = d.Slots.replace(owner(i), retired)
	d.Variants = slices.Clone(d.Variants)
	d.Variants[i].Weight = 0
	return d, nil
}
