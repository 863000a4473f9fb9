package web

import (
	"context"
	"time"

	"livehost/streams"
	"livehost/streams/event"
)

// LiveSource is where the live page learns what happens: a streams.Reader.
type LiveSource interface {
	Follow(ctx context.Context, topics []string, fromEnd bool, fn func(streams.Record)) error
}

// RoomClock tells room time.
type RoomClock interface{ NowMs() int64 }

// Scope is what part of the data a page is about; zero values do not restrict.
type Scope struct {
	Room    string
	Variant string
	Since   time.Time // inclusive, room time
}

// Minutes is the outcomes and latencies over time, from the analytics store.
type Minutes interface {
	// Minutes are in order; minutes in which nothing was asked may be left out.
	Minutes(ctx context.Context, s Scope) ([]Minute, error)
}

// Minute is the danmaku that were asked in one minute.
type Minute struct {
	Start   time.Time
	Ended   map[event.State]int64
	P50Ms   *float64 // latency to the reply, misses counted as over 15 s; nil: nothing to measure
	P95Ms   *float64
	Missed  int64 // late or never, of Counted
	Counted int64
}

// Incidents is guardrail hits, fallbacks and danmaku that were suppressed, failed
// or expired.
type Incidents interface {
	// Incidents are newest first.
	Incidents(ctx context.Context, f IncidentFilter) ([]Incident, error)
}

// Traces is what is stored of one run, window or danmaku.
type Traces interface {
	// Trace is empty when nothing is stored under the id. Steps hold no prompt, and
	// reasoning and raw output only when restricted.
	Trace(ctx context.Context, id string, restricted bool) (Trace, error)
}

// Trace is one or several runs of the agent and what became of them.
type Trace struct {
	Steps []event.Step     // by run and number
	Heard []event.Delivery // each in its latest state
	Ended []event.Outcome
	Hits  []event.GuardrailHit
}

// IncidentFilter is which incidents; zero values do not restrict.
type IncidentFilter struct {
	Scope
	Kind    string // guardrail, fallback or outcome
	Rule    string
	Cause   string
	Version string // of rule, release, policy or harness
	Limit   int
}

// Incident is one of them.
type Incident struct {
	Time    time.Time
	Kind    string
	ID      string // of the hit, run or danmaku
	Room    string
	Run     event.RunID
	Rule    string
	Version string
	Stage   string
	Action  string
	Span    string
	Cause   string
	Variant string
	Release string
	Policy  string
	Harness string
	Danmaku []event.DanmakuID
}

// Experiments is what the experiments have shown so far.
type Experiments interface {
	Experiments(ctx context.Context) ([]Experiment, error)
}

// Experiment is one experiment in its newest version. Money is in fen.
type Experiment struct {
	Name     string
	Version  int
	Control  string
	Unit     string // user or room: what means are per
	Units    int64
	Mixed    int64 // units seen in several variants
	Variants []Variant
	Effects  []Effect
	SRMP     *float64 // p of the sample ratio; nil: see SRMNote
	SRMNote  string
	Blocked  []string // why no verdict may be read
	Verdict  string
}

// Variant is one variant's population. Shares and means are nil when there is
// nothing to divide by.
type Variant struct {
	Name             string
	Bucketed         int64
	Exposed          int64
	GMVPerUser       *float64
	OrdersPerUser    *float64
	GMVPerExposed    *float64
	OrdersPerExposed *float64
	WindowSize       *float64
	MultiShare       *float64
	SpeechShare      *float64
	Dilution         *float64 // share of public answers heard from another variant
}

// Effect is a naive difference of one metric against control.
type Effect struct {
	Metric             string
	Variant            string
	Control, Treatment float64
	Diff               float64
	Lo, Hi             *float64 // 95 % interval; nil: see Reason
	P                  float64
	Reason             string
}
