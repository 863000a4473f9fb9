package query

import (
	"fmt"
	"slices"

	"livehost/streams/event"
)

// Counts is how many danmaku ended how, for comparing with the log.
type Counts struct {
	Outcomes  map[event.State]int64 `json:"outcomes"`  // every state, also those with none
	Conflicts int64                 `json:"conflicts"` // danmaku with more than one state; must be 0
}

// Total is the danmaku of all states.
func (c Counts) Total() int64 {
	var n int64
	for _, v := range c.Outcomes {
		n += v
	}
	return n
}

// OutcomeCounts counts outcomes by state.
func OutcomeCounts(s Scope) Statement {
	w := newWhere()
	w.scope(s, "platform_time")
	return Statement{"SELECT state, toInt64(count())\nFROM v_danmaku_outcomes" + w.clause() + "\nGROUP BY state\nORDER BY state", w.params}
}

// OutcomeConflicts counts danmaku that ended in more than one state.
func OutcomeConflicts(room string) Statement {
	w := newWhere()
	w.equal("room_id", "room", room)
	return Statement{"SELECT toInt64(count())\nFROM v_outcome_conflicts" + w.clause(), w.params}
}

// NewCounts has every state.
func NewCounts() Counts {
	c := Counts{Outcomes: map[event.State]int64{}}
	for _, s := range event.States() {
		c.Outcomes[s] = 0
	}
	return c
}

// Table is the counts for people.
func (c Counts) Table() Table {
	t := Table{Header: []string{"STATE", "DANMAKU"}, Right: []int{1}}
	known := event.States()
	for _, s := range known {
		t.Rows = append(t.Rows, []string{string(s), fmt.Sprint(c.Outcomes[s])})
	}
	for s, n := range c.Outcomes {
		if !slices.Contains(known, s) {
			t.Rows = append(t.Rows, []string{string(s), fmt.Sprint(n)})
		}
	}
	t.Rows = append(t.Rows, []string{"conflicts", fmt.Sprint(c.Conflicts)})
	return t
}
