package main

import (
	"fmt"
	"time"

	"livehost/eval/audit"
	"livehost/streams/event"
)

// result is one fault's line of the report.
type result struct {
	Name          string              `json:"name"`
	Seed          uint64              `json:"seed"`
	Injected      int                 `json:"injected"`
	Accepted      int                 `json:"accepted"`
	Unaccounted   int                 `json:"unaccounted"`
	Conflicts     int                 `json:"conflicts"`
	HeardTwice    int                 `json:"heard_twice"`
	Overlaps      int                 `json:"overlaps"`
	LateSpoken    int                 `json:"late_spoken"`
	MixedVariants int                 `json:"mixed_variants"`
	Unfinished    int64               `json:"unfinished"` // records that consumer groups have not finished in the end
	RecoveryS     float64             `json:"recovery_s"` // until all that was in the log at the end of the fault was finished
	Outcomes      map[event.State]int `json:"outcomes"`
	Attainment    *float64            `json:"attainment"`
	WallS         float64             `json:"wall_s"`
	Also          map[string]int      `json:"also,omitempty"`     // counts of the fault's own
	Findings      []string            `json:"findings,omitempty"` // what is not as it must be
}

// good says that nothing is wrong, and that the fault did happen under load.
func (r *result) good() bool {
	return r.Injected > 0 && r.Accepted > 0 && r.Unfinished == 0 && len(r.Findings) == 0 &&
		r.Unaccounted+r.Conflicts+r.HeardTwice+r.Overlaps+r.LateSpoken+r.MixedVariants == 0
}

// judge fills in what the log of the fault's rooms says.
func (r *result) judge(l *audit.Log, slots int) {
	s := audit.Summarize(l, audit.Options{Slots: slots, Room: func(wall time.Time) time.Time { return wall }})
	r.Accepted, r.Unaccounted, r.Conflicts = s.Accepted, s.Unaccounted, s.Conflicts
	r.HeardTwice, r.Overlaps, r.LateSpoken = s.AnsweredTwice, s.Overlaps, s.LateSpoken
	r.Outcomes, r.Attainment = s.Outcomes, s.Attainment
	for _, f := range s.Findings {
		if f.Kind != audit.BadRecord && f.Kind != audit.FalseNotInRoom && f.Kind != audit.UngroundedPrice {
			r.Findings = append(r.Findings, fmt.Sprintf("%s: %s %s", f.Kind, f.ID, f.What))
		}
	}
	for _, what := range mixed(l) {
		r.MixedVariants++
		r.Findings = append(r.Findings, "mixed_variants: "+what)
	}
}

// mixed lists the viewers and danmaku that more than one variant claims.
func mixed(l *audit.Log) []string {
	seen := make(map[string]event.Variant)
	var out []string
	claim := func(who string, v event.Variant, by string) {
		if v == "" {
			return
		}
		if had, ok := seen[who]; ok && had != v {
			out = append(out, fmt.Sprintf("%s is of %s, and of %s in %s", who, had, v, by))
			return
		}
		seen[who] = v
	}
	for _, w := range l.Windows {
		claim("window "+string(w.V.WindowID), w.V.Variant, "a repeated record")
		for _, m := range w.V.Members {
			claim("danmaku "+string(m.DanmakuID), w.V.Variant, "window "+string(w.V.WindowID))
			claim("viewer "+string(m.ViewerID), w.V.Variant, "window "+string(w.V.WindowID))
		}
	}
	for _, rep := range l.Replies {
		claim("window "+string(rep.V.ReplyID), rep.V.Variant, "reply "+string(rep.V.RunID))
	}
	for _, o := range l.Outcomes {
		claim("danmaku "+string(o.V.DanmakuID), o.V.Variant, "its outcome")
	}
	return out
}
