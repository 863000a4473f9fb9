package audit

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"livehost/streams/event"
)

// row is one line of the readable summary.
type row struct{ name, value, means string }

// Write renders the summary for people: a figure and what it means on each line,
// then the faults that were found.
func (s Summary) Write(w io.Writer) error {
	var b strings.Builder
	section(&b, "Danmaku", s.danmakuRows())
	section(&b, "Faults (all of them must be 0)", s.faultRows())
	section(&b, "Service", s.serviceRows())
	for _, name := range sortedKeys(s.Variants) {
		section(&b, "Variant "+string(name), s.Variants[name].rows())
	}
	if len(s.Hits) > 0 {
		var rows []row
		for _, rule := range sortedKeys(s.Hits) {
			rows = append(rows, row{rule, strconv.Itoa(s.Hits[rule]), ""})
		}
		section(&b, "Guardrail hits (how often a rule fired)", rows)
	}
	if len(s.Findings) > 0 {
		b.WriteString("What was wrong\n")
		for _, f := range s.Findings {
			fmt.Fprintf(&b, "  %s: %s %s\n", f.Kind, f.ID, f.What)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func section(b *strings.Builder, title string, rows []row) {
	name, value := 0, 0
	for _, r := range rows {
		name, value = max(name, len(r.name)), max(value, len(r.value))
	}
	fmt.Fprintln(b, title)
	for _, r := range rows {
		fmt.Fprintln(b, strings.TrimRight(fmt.Sprintf("  %-*s  %*s  %s", name, r.name, value, r.value, r.means), " "))
	}
}

// stateMeans says what each terminal state is.
var stateMeans = map[event.State]string{
	event.Answered: "heard aloud or sent in private", event.Merged: "the same question was answered for somebody else",
	event.Filtered: "nothing to answer: spam, emoji, noise, the host's own", event.Shed: "more was asked than could be answered",
	event.Expired: "too late to be of use", event.Silent: "the agent chose to say nothing", event.HandedOver: "given to a person",
	event.Suppressed: "a guardrail kept the answer back", event.Retracted: "withdrawn by the viewer or the platform",
	event.Failed: "something broke",
}

func (s Summary) danmakuRows() []row {
	rows := []row{
		{"accepted", strconv.Itoa(s.Accepted), "distinct danmaku in the log"},
		{"eligible", strconv.Itoa(s.Eligible), "passed the filters, not withdrawn"},
		{"admitted", strconv.Itoa(s.Admitted), "placed in a window for the agent"},
	}
	for _, state := range event.States() {
		rows = append(rows, row{string(state), strconv.Itoa(s.Outcomes[state]), stateMeans[state]})
	}
	toldShare := "told that the product is not in this room"
	if n := s.Outcomes[event.Answered]; n > 0 {
		toldShare += fmt.Sprintf(" (%.1f %% of the answered)", 100*float64(s.NotInRoom)/float64(n))
	}
	rows = append(rows, row{"not_in_room", strconv.Itoa(s.NotInRoom), toldShare})
	if s.IntentFilteredShare != nil { // recordings with labels have it
		rows = append(rows, row{"intent_filtered_share", percent(s.IntentFilteredShare), "of the viewers who want to buy (by human label), filtered"})
	}
	return rows
}

func (s Summary) faultRows() []row {
	return []row{
		{"unaccounted", strconv.Itoa(s.Unaccounted), "danmaku that ended in no state"},
		{"conflicts", strconv.Itoa(s.Conflicts), "danmaku whose records contradict each other"},
		{"answered_twice", strconv.Itoa(s.AnsweredTwice), "viewers who heard an answer twice"},
		{"late_spoken", strconv.Itoa(s.LateSpoken), "answers that began more than 20 s after the danmaku"},
		{"overlaps", strconv.Itoa(s.Overlaps), "two voices at once in a room"},
		{"ungrounded_prices", strconv.Itoa(s.UngroundedPrices), "prices stated that no tool result of the run holds"},
		{"false_not_in_room", strconv.Itoa(s.FalseNotInRoom), "told not in this room, although it is"},
		{"undecodable", strconv.Itoa(s.Undecodable), "records that are not what their topic says"},
	}
}

func (s Summary) serviceRows() []row {
	rows := []row{
		{"attainment", percent(s.Attainment), "of what was admitted, answered within 15 s"},
		{"served_share", percent(s.ServedShare), fmt.Sprintf("answered or merged, of the %d that capacity allowed", s.CapacityBound)},
		{"shed_share", percent(s.ShedShare), "of the eligible, left out"},
		{"latency p50", millis(s.LatencyMs.P50), "room time from danmaku to reply"},
		{"latency p95", millis(s.LatencyMs.P95), ""},
		{"latency p99", millis(s.LatencyMs.P99), ""},
		{"overhead p50", wallMillis(s.OverheadMs.P50), "our own wall time per answer: no waiting, policy or tools"},
		{"overhead p99", wallMillis(s.OverheadMs.P99), ""},
	}
	if s.WallS > 0 {
		rows = append(rows, row{"wall time", fmt.Sprintf("%.1f s", s.WallS), "the whole run"})
	}
	if s.MaxRSSMB > 0 {
		rows = append(rows, row{"memory", fmt.Sprintf("%.0f MB", s.MaxRSSMB), "the most that was resident"})
	}
	return rows
}

func (v VariantSummary) rows() []row {
	return []row{
		{"eligible", strconv.Itoa(v.Eligible), ""},
		{"admitted", strconv.Itoa(v.Admitted), fmt.Sprintf("in %d windows", v.Windows)},
		{"answered", strconv.Itoa(v.Outcomes[event.Answered]), fmt.Sprintf("and %d merged", v.Outcomes[event.Merged])},
		{"attainment", percent(v.Attainment), ""},
		{"latency p50", millis(v.P50Ms), ""},
	}
}

func percent(x *float64) string {
	if x == nil {
		return "none"
	}
	return fmt.Sprintf("%.1f %%", 100**x)
}

func millis(x *int64) string {
	switch {
	case x == nil:
		return "none"
	case *x >= MissMs:
		return "> 15 s"
	default:
		return fmt.Sprintf("%.2f s", float64(*x)/1000)
	}
}

func wallMillis(x *float64) string {
	if x == nil {
		return "none"
	}
	return fmt.Sprintf("%.1f ms", *x)
}
