package analytics

import (
	"fmt"
	"time"
)

// Block is the rows of one table that are inserted together, by column: a batch
// of tens of thousands of rows is a few slices and not a million values.
type Block struct {
	Table   string
	Columns []string
	// Data has one slice a column, each of Rows values: []string, [][]string, []uint8,
	// []uint16, []uint32, []uint64, or []int64, which is milliseconds where the
	// column is a time. The store may not keep them.
	Data []any
	Rows int
	// Token is never used for another block: a store that answers counts one once that
	// comes again.
	Token string
}

// NewBlock puts rows (values in the order of Columns[table]) into a block.
func NewBlock(table, token string, rows ...[]any) Block {
	b := newBuilder(table)
	for _, r := range rows {
		b.add(r)
	}
	return b.block(token)
}

// builder collects rows and can be used again.
type builder struct {
	table   string
	columns []column
	rows    int
}

func newBuilder(table string) *builder {
	return &builder{table: table, columns: make([]column, len(Columns[table]))}
}

func (b *builder) add(values []any) {
	for i, v := range values {
		if b.columns[i] == nil {
			b.columns[i] = columnOf(v)
		}
		b.columns[i].add(v)
	}
	b.rows++
}

func (b *builder) block(token string) Block {
	out := Block{Table: b.table, Columns: Columns[b.table], Rows: b.rows, Token: token, Data: make([]any, len(b.columns))}
	for i, c := range b.columns {
		out.Data[i] = c.data()
	}
	return out
}

// reset empties the builder and keeps its memory.
func (b *builder) reset() {
	for _, c := range b.columns {
		c.reset()
	}
	b.rows = 0
}

// column is one column's values.
type column interface {
	add(v any)
	data() any
	reset()
}

// columnOf is a column for values like v.
func columnOf(v any) column {
	switch v.(type) {
	case string:
		return &typed[string]{}
	case []string:
		return &typed[[]string]{}
	case uint8:
		return &typed[uint8]{}
	case uint16:
		return &typed[uint16]{}
	case uint32:
		return &typed[uint32]{}
	case uint64:
		return &typed[uint64]{}
	case int64:
		return &typed[int64]{}
	case time.Time:
		return &times{}
	}
	panic(fmt.Sprintf("analytics: no column holds a %T", v)) //nolint:forbidigo // a mapping of ours is wrong; its test says so
}

type typed[T any] struct{ values []T }

func (c *typed[T]) add(v any) { c.values = append(c.values, v.(T)) }
func (c *typed[T]) data() any { return c.values }
func (c *typed[T]) reset()    { clear(c.values); c.values = c.values[:0] }

// times holds milliseconds: numbers are nothing to the garbage collector.
type times struct{ typed[int64] }

func (c *times) add(v any) { c.values = append(c.values, v.(time.Time).UnixMilli()) }
