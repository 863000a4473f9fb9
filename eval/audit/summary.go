package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"livehost/streams/event"
)

// Options are what the log does not say.
type Options struct {
	// Labels are human labels "wants to buy" of recorded danmaku.
	Labels map[event.DanmakuID]bool
	// Products are the room's catalogue.
	Products []Product
	// Slots is the number of policy requests that can run at once.
	Slots int
	// Room maps append times to room time, so that a stage's own times need not
	// be believed; nil: they are.
	Room func(wall time.Time) time.Time
	// SpeakBy is how long after a danmaku its answer may begin in public, in room time;
	// 0: 20 s, the design's.
	SpeakBy time.Duration
}

// Summary is what a run was worth. Shares are null when nothing was counted.
type Summary struct {
	Accepted            int                              `json:"accepted"`
	Eligible            int                              `json:"eligible"`
	Admitted            int                              `json:"admitted"`
	Outcomes            map[event.State]int              `json:"outcomes"`
	Conflicts           int                              `json:"conflicts"`
	Unaccounted         int                              `json:"unaccounted"`
	AnsweredTwice       int                              `json:"answered_twice"`
	LateSpoken          int                              `json:"late_spoken"`
	Overlaps            int                              `json:"overlaps"`
	UngroundedPrices    int                              `json:"ungrounded_prices"`
	NotInRoom           int                              `json:"not_in_room"`
	FalseNotInRoom      int                              `json:"false_not_in_room"`
	IntentFilteredShare *float64                         `json:"intent_filtered_share"`
	Attainment          *float64                         `json:"attainment"`
	ShedShare           *float64                         `json:"shed_share"`
	CapacityBound       int                              `json:"capacity_bound"`
	ServedShare         *float64                         `json:"served_share"`
	LatencyMs           Latency                          `json:"latency_ms"`
	OverheadMs          Overhead                         `json:"overhead_ms"`
	Variants            map[event.Variant]VariantSummary `json:"variants"`
	Hits                map[string]int                   `json:"hits"`
	Undecodable         int                              `json:"undecodable"`
	Findings            []Finding                        `json:"findings,omitempty"`
	WallS               float64                          `json:"wall_s"`     // the caller's
	MaxRSSMB            float64                          `json:"max_rss_mb"` // the caller's
}

// Latency is room time from a danmaku's platform time to its reply, over what
// attainment is over. A miss is MissMs.
type Latency struct {
	P50 *int64 `json:"p50"`
	P95 *int64 `json:"p95"`
	P99 *int64 `json:"p99"`
}

// MissMs is how a danmaku that got no reply in time counts in percentiles.
const MissMs = answerWithinMs + 1

// Overhead is wall time per answered danmaku that is ours: from danmaku.v1 to
// reply.v1, less waiting for a window, lane or slot and less policy and tools.
type Overhead struct {
	P50 *float64 `json:"p50"`
	P99 *float64 `json:"p99"`
}

// VariantSummary is one arm's share of the run.
type VariantSummary struct {
	Eligible   int                 `json:"eligible"`
	Admitted   int                 `json:"admitted"`
	Outcomes   map[event.State]int `json:"outcomes"`
	Windows    int                 `json:"windows"`
	Attainment *float64            `json:"attainment"`
	P50Ms      *int64              `json:"p50_ms"`
}

// FindingKind is a fault of a run.
type FindingKind string

// The faults, named as in the summary.
const (
	Conflict        FindingKind = "conflicts"
	Unaccounted     FindingKind = "unaccounted"
	AnsweredTwice   FindingKind = "answered_twice"
	LateSpoken      FindingKind = "late_spoken"
	Overlap         FindingKind = "overlaps"
	UngroundedPrice FindingKind = "ungrounded_prices"
	FalseNotInRoom  FindingKind = "false_not_in_room"
	BadRecord       FindingKind = "undecodable"
)

// Finding is one fault: of what, and what is wrong.
type Finding struct {
	Kind FindingKind `json:"kind"`
	ID   string      `json:"id"`
	What string      `json:"what"`
}

// maxFindings bounds the findings of each kind in a summary; the counts are of all.
const maxFindings = 20

// Summarize judges a sorted log.
func Summarize(l *Log, opt Options) Summary {
	v := NewView(l)
	s := Summary{
		Accepted: len(v.keys), Outcomes: map[event.State]int{}, Hits: v.Hits(), Undecodable: len(l.Bad), Variants: map[event.Variant]VariantSummary{},
	}
	for _, state := range event.States() {
		s.Outcomes[state] = 0
	}
	var told []Key
	for _, key := range v.keys {
		if v.NotInRoom(key) {
			told = append(told, key)
		}
		if f := v.fates[key]; f.outcome != nil {
			s.Outcomes[f.outcome.State]++
		}
	}
	s.NotInRoom = len(told)
	s.IntentFilteredShare = v.intentFiltered(opt.Labels)
	v.serve(&s, opt)
	s.OverheadMs = v.overhead()
	for _, found := range [][]Finding{
		v.conflicts(), v.unaccounted(), v.answeredTwice(), v.lateSpoken(opt), v.overlaps(), v.ungrounded(),
		v.falseNotInRoom(told, opt.Products), badRecords(l),
	} {
		s.add(found)
	}
	return s
}

// add counts the findings of one kind.
func (s *Summary) add(found []Finding) {
	if len(found) == 0 {
		return
	}
	counts := map[FindingKind]*int{
		Conflict: &s.Conflicts, Unaccounted: &s.Unaccounted, AnsweredTwice: &s.AnsweredTwice, LateSpoken: &s.LateSpoken,
		Overlap: &s.Overlaps, UngroundedPrice: &s.UngroundedPrices, FalseNotInRoom: &s.FalseNotInRoom, BadRecord: &s.Undecodable,
	}
	*counts[found[0].Kind] = len(found)
	s.Findings = append(s.Findings, found[:min(len(found), maxFindings)]...)
}

func badRecords(l *Log) []Finding {
	var out []Finding
	for _, b := range l.Bad {
		out = append(out, Finding{Kind: BadRecord, ID: fmt.Sprintf("%s[%d]@%d", b.Topic, b.Partition, b.Offset), What: b.Reason})
	}
	return out
}

// intentFiltered is the share of filtered ones among viewers' danmaku that people
// labelled as wanting to buy.
func (v *View) intentFiltered(labels map[event.DanmakuID]bool) *float64 {
	wanted, filtered := 0, 0
	for _, key := range v.keys {
		f := v.fates[key]
		if !labels[key.ID] || f.accepted.V.Host {
			continue
		}
		wanted++
		if f.outcome != nil && f.outcome.State == event.Filtered {
			filtered++
		}
	}
	return share(filtered, wanted)
}

// share is part of whole, null without a whole.
func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	x := math.Round(float64(part)/float64(whole)*10_000) / 10_000
	return &x
}

// percentile is the nearest-rank percentile of sorted values, null without any.
func percentile[T cmp.Ordered](sorted []T, p float64) *T {
	if len(sorted) == 0 {
		return nil
	}
	i := int(math.Ceil(p/100*float64(len(sorted)))) - 1
	return &sorted[max(i, 0)]
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func yuan(fen int64) string { return fmt.Sprintf("¥%d.%02d", fen/100, fen%100) }
