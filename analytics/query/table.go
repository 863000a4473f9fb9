package query

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Table is an answer for people: columns aligned by display width, so that
// Chinese text lines up.
type Table struct {
	Header []string
	Rows   [][]string
	Right  []int // columns that are aligned to the right
}

// Write prints the table, or "none" when it has no rows.
func (t Table) Write(w io.Writer) error {
	if len(t.Rows) == 0 {
		_, err := fmt.Fprintln(w, "none")
		return err
	}
	widths := make([]int, len(t.Header))
	lines := append([][]string{t.Header}, t.Rows...)
	for _, line := range lines {
		for i, cell := range line {
			if w := uniseg.StringWidth(printable(cell)); w <= widest {
				widths[i] = max(widths[i], w)
			}
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line {
			cell = printable(cell)
			pad := strings.Repeat(" ", max(widths[i]-uniseg.StringWidth(cell), 0))
			if slices.Contains(t.Right, i) {
				cell = pad + cell
			} else {
				cell += pad
			}
			b.WriteString(cell)
			b.WriteString("  ")
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// widest is the longest cell that others are aligned to: a text of thousands of
// characters would make every line as long as itself.
const widest = 200

// printable is s without what would move a terminal's cursor, end the line or turn its
// direction: cells hold what viewers wrote.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// Clip shortens s to at most n runes.
func Clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// printer prints lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = printable(s)
		}
	}
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// section prints a table under a title; nothing when it is empty.
func (p *printer) section(title string, t Table) {
	if len(t.Rows) == 0 {
		return
	}
	p.printf("\n%s", title)
	if p.err == nil {
		p.err = t.Write(p.w)
	}
}

// Result is the answer to somebody's own SQL.
type Result struct {
	Columns   []string `json:"columns"`
	Types     []string `json:"types"`
	Rows      [][]any  `json:"rows"`
	Truncated bool     `json:"truncated"` // there were more rows
}

// Table is the result for people.
func (r Result) Table() Table {
	t := Table{Header: r.Columns}
	for i, typ := range r.Types {
		if strings.HasPrefix(typ, "Int") || strings.HasPrefix(typ, "UInt") || strings.HasPrefix(typ, "Float") || strings.HasPrefix(typ, "Decimal") {
			t.Right = append(t.Right, i)
		}
	}
	for _, row := range r.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = oneLine(fmt.Sprint(v))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
