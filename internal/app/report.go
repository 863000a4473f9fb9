package app

import (
	"fmt"
	"io"
	"syscall"
	"time"

	"livehost/eval/audit"
	"livehost/eval/roomscript"
	"livehost/streams/event"
)

// demoSummary is the one object of `demo --json`.
type demoSummary struct {
	audit.Summary
	Room         string        `json:"room"`
	Speed        float64       `json:"speed"`
	Profile      string        `json:"profile"`
	Policy       string        `json:"policy"`     // the model, or that it is scripted and its latencies simulated
	ClickHouse   *stored       `json:"clickhouse"` // what analysts would count; null without the engine
	Expectations *expectations `json:"expectations,omitempty"`
}

// slowed is the room time, in seconds, that our own work cost 1 in 100 answers.
func (s demoSummary) slowed() float64 {
	if s.OverheadMs.P99 == nil {
		return 0
	}
	return *s.OverheadMs.P99 / 1000 * s.Speed
}

// expectations says how a script's own expectations fared.
type expectations struct {
	Total   int      `json:"total"`
	Facts   int      `json:"facts"`    // of prices and stock
	Failed  []string `json:"failed"`   // one line each
	Late    int      `json:"late"`     // of the failed: a tool or the policy had no answer in time
	NotSent int      `json:"not_sent"` // of danmaku that were never sent: the room was stopped early
}

// write says it for people.
func (e *expectations) write(w io.Writer) {
	fmt.Fprintf(w, "\nRoom script: %d of %d expectations met; %d are about prices and stock\n", e.Total-len(e.Failed)-e.NotSent, e.Total, e.Facts)
	if e.NotSent > 0 {
		fmt.Fprintf(w, "  %d about danmaku that were never sent, because the room was stopped early\n", e.NotSent)
	}
	if len(e.Failed) > 0 {
		fmt.Fprintf(w, "  %d not met, %d of these because a tool or the policy had no answer in time:\n", len(e.Failed), e.Late)
	}
	for _, f := range e.Failed {
		fmt.Fprintf(w, "    %s\n", f)
	}
}

// introduce says what is played and how its lines are read.
func (r *demoRun) introduce() {
	if r.opts.JSON {
		return
	}
	from := "from its beginning"
	if r.resumed {
		from = "going on where the last run ended"
	}
	fmt.Fprintf(r.std.Out, `%s at speed %g, %s. Policy: %s
Each line: room time, what happened, who or how, the text. [NAME] is the variant of the A/B experiment that the viewer is in.

`, r.room.Name, r.opts.Speed, from, r.servers.policyName(r.cfg.Policy))
}

// report prints the summary and fails when an invariant is broken.
func (r *demoRun) report(s demoSummary) error {
	if err := r.print(s); err != nil {
		return err
	}
	if broken := s.Conflicts + s.Unaccounted + s.AnsweredTwice + s.LateSpoken + s.Overlaps + s.UngroundedPrices; broken > 0 {
		return fmt.Errorf("%d broken invariants, listed above as findings", broken)
	}
	if s.ClickHouse != nil && !s.ClickHouse.EqualToLog {
		return fmt.Errorf("ClickHouse and the log disagree: %v stored, %v in the log", s.ClickHouse.Outcomes, s.Outcomes)
	}
	if e := s.Expectations; r.opts.Strict && e != nil && len(e.Failed) > 0 {
		return fmt.Errorf("%d of %d expectations of the script failed, listed above", len(e.Failed), e.Total)
	}
	if s.Accepted == 0 {
		return fmt.Errorf("no danmaku was accepted")
	}
	return nil
}

// summarize judges the log.
func (r *demoRun) summarize(log *audit.Log) demoSummary {
	s := demoSummary{
		Summary: audit.Summarize(log, audit.Options{
			Labels: r.room.Labels, Products: audit.Products(r.catalog), Slots: r.cfg.Policy.slots(), Room: r.clk.Room, SpeakBy: r.cfg.Aggregator.SpeakBy,
		}),
		Room: r.room.Name, Speed: r.opts.Speed, Profile: r.opts.Profile,
		Policy: r.servers.policyName(r.cfg.Policy),
	}
	s.WallS = time.Since(r.started).Seconds()
	s.MaxRSSMB = maxRSSMB()
	if r.room.Script != nil {
		s.Expectations = check(r.room.Script, log)
	}
	return s
}

// check compares the script's expectations with the log. Those of danmaku that were
// never sent, because the room was stopped early, are only counted.
func check(script *roomscript.Script, log *audit.Log) *expectations {
	e := &expectations{Failed: []string{}}
	for _, x := range script.Expects {
		e.Total++
		if x.Facts() {
			e.Facts++
		}
	}
	sent := map[event.DanmakuID]bool{}
	for _, d := range log.Danmaku {
		sent[d.V.DanmakuID] = true
	}
	for _, f := range roomscript.Check(script, log) {
		if f.ID != "" && !sent[f.ID] {
			e.NotSent++
			continue
		}
		if e.Failed = append(e.Failed, f.Error()); f.Late != "" {
			e.Late++
		}
	}
	return e
}

func (r *demoRun) print(s demoSummary) error {
	if r.opts.JSON {
		return writeJSON(r.std.Out, s)
	}
	fmt.Fprintf(r.std.Out, "\n%s at speed %g, latency profile %s; policy: %s\n", s.Room, s.Speed, s.Profile, s.Policy)
	if lost := s.slowed(); lost > 1 {
		fmt.Fprintf(r.std.Out, "This machine was busy: of our own work 1 in 100 answers needed %.0f ms and more, at speed %g %.1f s of room time. All figures are worse for it; a lower speed helps.\n",
			*s.OverheadMs.P99, s.Speed, lost)
	}
	if err := s.Summary.Write(r.std.Out); err != nil {
		return err
	}
	if c := s.ClickHouse; c != nil {
		same := map[bool]string{true: "the same outcomes as the log", false: "other outcomes than the log"}[c.EqualToLog]
		fmt.Fprintf(r.std.Out, "\nClickHouse, read back: %s, %d conflicts\n", same, c.Conflicts)
	}
	if e := s.Expectations; e != nil {
		e.write(r.std.Out)
	}
	return nil
}

// maxRSSMB is the largest resident size this process has had.
func maxRSSMB() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024
}
