package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	Variants      int                 `json:"variants"`   // that had windows; one alone cannot be mixed
	Unfinished    int64               `json:"unfinished"` // records that consumer groups have not finished in the end
	RecoveryS     float64             `json:"recovery_s"` // until all that was in the log at the end of the fault was finished
	Outcomes      map[event.State]int `json:"outcomes"`
	Attainment    *float64            `json:"attainment"`
	WallS         float64             `json:"wall_s"`
	Also          map[string]int      `json:"also,omitempty"`     // counts of the fault's own
	Findings      []string            `json:"findings,omitempty"` // what is not as it must be

	stories map[string]string // of those the findings are about, by id
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
	r.stories = make(map[string]string)
	for _, f := range s.Findings {
		if f.Kind != audit.BadRecord && f.Kind != audit.FalseNotInRoom && f.Kind != audit.UngroundedPrice {
			r.Findings = append(r.Findings, fmt.Sprintf("%s: %s %s", f.Kind, f.ID, f.What))
			if story, err := audit.Story(l, f.ID); err == nil { // a delivery's id has none
				r.stories[f.ID] = story
			}
		}
	}
	variants := make(map[event.Variant]bool)
	for _, w := range l.Windows {
		variants[w.V.Variant] = true
	}
	r.Variants = len(variants)
	for _, what := range mixed(l) {
		r.MixedVariants++
		r.Findings = append(r.Findings, "mixed_variants: "+what)
	}
}

// writeStories leaves the stories of what was found beside the logs.
func (r *result) writeStories(dir string) error {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(r.stories)) {
		b.WriteString(r.stories[id] + "\n")
	}
	return os.WriteFile(filepath.Join(dir, r.Name+".stories"), []byte(b.String()), 0o600)
}

// mixed lists the viewers, danmaku and windows that more than one variant claims.
// Whom a viewer belongs to is also known from exposure.v1, which does not depend on
// windows; the suite runs one experiment.
func mixed(l *audit.Log) []string {
	c := claims{by: make(map[string]event.Variant)}
	viewers := make(map[string]bool)
	for _, d := range l.Danmaku {
		if !d.V.ViewerID.Anonymous() {
			viewers[string(d.V.ViewerID)] = true
		}
	}
	for _, e := range l.Exposures {
		if viewers[e.V.Unit] {
			c.claim("viewer "+e.V.Unit, e.V.Variant, "exposure "+e.V.ExposureID)
		}
	}
	for _, w := range l.Windows {
		window := "window " + string(w.V.WindowID)
		c.claim(window, w.V.Variant, "a repeated record")
		for _, m := range w.V.Members {
			c.claim("danmaku "+string(m.DanmakuID), w.V.Variant, window)
			if !m.ViewerID.Anonymous() {
				c.claim("viewer "+string(m.ViewerID), w.V.Variant, window)
			}
		}
	}
	for _, rep := range l.Replies {
		c.claim("window "+string(rep.V.ReplyID), rep.V.Variant, "reply "+string(rep.V.RunID))
	}
	for _, d := range l.Deliveries {
		c.claim("window "+string(d.V.ReplyID), d.V.Variant, "delivery "+string(d.V.DeliveryID))
		for _, id := range d.V.DanmakuIDs {
			c.claim("danmaku "+string(id), d.V.Variant, "delivery "+string(d.V.DeliveryID))
		}
	}
	for _, o := range l.Outcomes {
		c.claim("danmaku "+string(o.V.DanmakuID), o.V.Variant, "its outcome")
	}
	return c.contradictions
}

// claims is which variant claims whom, and who is claimed by two.
type claims struct {
	by             map[string]event.Variant
	contradictions []string
}

func (c *claims) claim(who string, v event.Variant, by string) {
	if v == "" {
		return
	}
	if had, ok := c.by[who]; ok && had != v {
		c.contradictions = append(c.contradictions, fmt.Sprintf("%s is of %s, and of %s by %s", who, had, v, by))
		return
	}
	c.by[who] = v
}
