package assign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Table is the owners of a layer's slots, one byte each: a variant by its index
// in the definition ('A' is the first), or one of the three states below. Its
// JSON form is the same 10,000 characters as a string. The zero Table is not
// valid; use NewTable.
type Table struct{ owners string }

// The states of a slot without a variant.
const (
	free    = '.'
	holdout = '-' // reserved: kept out of the layer's experiments
	retired = '!' // had a variant in an ended experiment; not reused in this table
)

const maxVariants = 26

// NewTable is a table of free slots.
func NewTable() Table { return Table{strings.Repeat(string(free), Slots)} }

// MarshalText writes the table's 10,000 characters.
func (t Table) MarshalText() ([]byte, error) { return []byte(t.owners), nil }

// UnmarshalText reads a table. Definition.Validate checks it.
func (t *Table) UnmarshalText(b []byte) error {
	t.owners = string(b)
	return nil
}

// Free is the number of slots that can still be given away.
func (t Table) Free() int { return t.count(free) }

// Holdout is the number of reserved slots.
func (t Table) Holdout() int { return t.count(holdout) }

// Retired is the number of slots used up by ended variants.
func (t Table) Retired() int { return t.count(retired) }

func (t Table) count(owner byte) int { return strings.Count(t.owners, string(rune(owner))) }

// variant is the index of the variant that owns slot, false when none does.
func (t Table) variant(slot int) (int, bool) {
	c := t.owners[slot]
	return int(c) - 'A', c >= 'A' && c <= 'Z'
}

func (t Table) validate(variants int) error {
	if len(t.owners) != Slots {
		return fmt.Errorf("slots: %d characters, want %d", len(t.owners), Slots)
	}
	for i := range Slots {
		c := t.owners[i]
		if v, ok := t.variant(i); ok && v < variants || c == free || c == holdout || c == retired {
			continue
		}
		return fmt.Errorf("slots: slot %d has unknown owner %q", i, c)
	}
	return nil
}

// give marks n free slots with owner, taking them from the front of order.
func (t Table) give(order []int, n int, owner byte) Table {
	b := []byte(t.owners)
	for _, slot := range order {
		if n == 0 {
			break
		}
		if b[slot] == free {
			b[slot] = owner
			n--
		}
	}
	return Table{string(b)}
}

// order is all slots in the random order that salt names.
func order(salt string) []int {
	type key struct {
		hash uint32
		slot int
	}
	keys := make([]key, Slots)
	for i := range keys {
		keys[i] = key{hash(salt, strconv.Itoa(i)), i}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.hash != b.hash {
			if a.hash < b.hash {
				return -1
			}
			return 1
		}
		return a.slot - b.slot
	})
	slots := make([]int, Slots)
	for i, k := range keys {
		slots[i] = k.slot
	}
	return slots
}

// ParseShare reads a percentage such as "10.04%" or "10.04" as slots, exactly:
// at most two decimals, no floating point.
func ParseShare(s string) (slots int, err error) {
	whole, frac, _ := strings.Cut(strings.TrimSuffix(s, "%"), ".")
	if len(frac) > 2 {
		return 0, fmt.Errorf("share %q: a slot is 0.01 %%, use at most two decimals", s)
	}
	n, err := strconv.ParseUint(whole+(frac + "00")[:2], 10, 32)
	if err != nil || whole == "" || n > Slots {
		return 0, fmt.Errorf("share %q: want a percentage from 0 to 100", s)
	}
	return int(n), nil
}

func (t Table) replace(old, new byte) Table {
	return Table{strings.ReplaceAll(t.owners, string(rune(old)), string(rune(new)))}
}
