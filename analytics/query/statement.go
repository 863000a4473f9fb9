package query

import (
	"strconv"
	"strings"
	"time"
)

// Statement is SQL with the values of its {name:Type} parameters.
type Statement struct {
	SQL    string
	Params map[string]any // string, int64 or uint64
}

// Columns are the names and types of a table's columns.
func Columns(table string) Statement {
	return Statement{"SELECT name, type\nFROM system.columns\nWHERE database = currentDatabase() AND table = {table:String}\nORDER BY position", map[string]any{"table": table}}
}

// Scope is what part of the data a question is about; zero values do not restrict.
type Scope struct {
	Room    string
	Variant string
	Since   time.Time // inclusive, room time
	Until   time.Time // exclusive
}

// where collects conditions and their parameters.
type where struct {
	conditions []string
	params     map[string]any
}

func newWhere() *where { return &where{params: map[string]any{}} }

// equal restricts column to value, unless that is empty.
func (w *where) equal(column, name, value string) {
	if value == "" {
		return
	}
	w.conditions = append(w.conditions, column+" = {"+name+":String}")
	w.params[name] = value
}

// between restricts the time column to [since, until); zero times are open ends.
func (w *where) between(column string, since, until time.Time) {
	for _, b := range []struct {
		name, op string
		at       time.Time
	}{{"since", ">=", since}, {"until", "<", until}} {
		if b.at.IsZero() {
			continue
		}
		w.conditions = append(w.conditions, column+" "+b.op+" fromUnixTimestamp64Milli({"+b.name+":Int64}, 'UTC')")
		w.params[b.name] = b.at.UnixMilli()
	}
}

func (w *where) scope(s Scope, timeColumn string) {
	w.equal("room_id", "room", s.Room)
	w.equal("variant", "variant", s.Variant)
	w.between(timeColumn, s.Since, s.Until)
}

// clause is "WHERE ..." on a line of its own, or nothing.
func (w *where) clause() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return "\nWHERE " + strings.Join(w.conditions, " AND ")
}

// percentiles is SQL for the values of those ranks, nearest rank: each is the smallest
// value that so many per cent of all do not exceed. quantilesExact has the next value
// where the rank is a whole number: of two values, the larger as their median.
func percentiles(column string, ranks ...int) string {
	parts := make([]string, len(ranks))
	for i, p := range ranks {
		sorted := "sorted"
		if i == 0 {
			sorted = "(arraySort(groupArray(" + column + ")) AS sorted)"
		}
		parts[i] = sorted + "[intDiv(count() * " + strconv.Itoa(p) + " + 99, 100)]"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
