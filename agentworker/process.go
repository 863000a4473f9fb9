package agentworker

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"livehost/agentworker/runner"
	"livehost/agentworker/trajectory"
	"livehost/internal/clock"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// process takes one job to its acknowledgement, or back into the schedule when
// another attempt is alive.
func (a *Agent) process(p *partition, j *job) {
	defer p.runs.Done()
	wait, err := a.guarded(p.ctx, j)
	a.mu.Lock()
	a.sched.finished(j)
	again := wait > 0 && !a.closed && !p.revoked
	if again {
		j.notBefore = time.Now().Add(wait)
		a.sched.add(j)
	} else if wait > 0 {
		err = errStopping
	}
	a.mu.Unlock()
	if !again {
		j.ack(err)
	}
	a.signal()
}

// guarded turns a panic into an error, so that one window stops its partition and
// not the process.
func (a *Agent) guarded(ctx context.Context, j *job) (wait time.Duration, err error) {
	defer func() {
		if v := recover(); v != nil {
			a.log.Error("a run panicked", "window_id", string(j.window.WindowID), "err", v, "stack", string(debug.Stack()))
			wait, err = 0, fault.Errorf(fault.Internal, "window %s: panic: %v", j.window.WindowID, v)
		}
	}()
	return a.handle(ctx, j)
}

// handle claims, runs and publishes one window. wait > 0: try again then.
func (a *Agent) handle(ctx context.Context, j *job) (wait time.Duration, err error) {
	w := j.window
	claim := Claim{RoomID: w.RoomID, WindowID: w.WindowID, Keys: keysOf(&w), Lease: a.cfg.Lease}
	began := time.Now()
	got, degraded := a.claim(ctx, claim)
	switch {
	case got.Wait > 0:
		return got.Wait, nil
	case len(got.Held) == 0:
		return 0, nil // done, or other windows have them all
	}
	claim.Keys = got.Held
	w.Members = membersOf(&w, got.Held)
	runID := event.NewRunID(w.WindowID, got.Attempt)
	ctx, span := a.deps.Telemetry.Window(ctx, &w, runID, got.Attempt, j.received)
	defer func() { span.End(failure(err)) }()
	rec := trajectory.New(a.deps.Publisher, event.Step{RunID: runID, WindowID: w.WindowID, RoomID: w.RoomID, Variant: w.Variant})
	res, err := a.answer(ctx, j, w, got, rec, func() { a.recordClaim(ctx, rec, began, got.Held, degraded) })
	if err == nil {
		err = a.publish(ctx, claim, got.Attempt, res, rec)
	}
	if err != nil {
		claim.Lease = 0 // the next attempt need not wait
		a.renew(ctx, claim, got.Attempt)
		return 0, fmt.Errorf("window %s: %w", w.WindowID, err)
	}
	return 0, nil
}

// failure names an error for a span.
func failure(err error) string {
	if err == nil {
		return ""
	}
	return fault.KindOf(err).String()
}

// answer expires the members whose time is over and has the rest answered.
func (a *Agent) answer(ctx context.Context, j *job, w event.Window, got Claimed, rec *trajectory.Recorder, record func()) (runner.Result, error) {
	release, err := a.deps.Releases.Resolve(w.Variant, w.MerchantID)
	if err != nil {
		a.log.Error("no release for a variant", "variant", string(w.Variant), "err", err)
		record()
		return a.failed(&w, got.Attempt, event.Failed, runner.ReasonNoRelease), nil
	}
	rec.SetVersions(release.Versions())
	record()
	now := a.deps.Clock.Now()
	late, left := a.late(w, now)
	expired := a.failed(&late, got.Attempt, event.Expired, runner.ReasonDeadline)
	w = left
	deadline := a.deadline(&w, now)
	if (w.Kind == event.DanmakuWindow && len(w.Members) == 0) || deadline.Sub(now) < a.cfg.CompactNeeds {
		more := a.failed(&w, got.Attempt, event.Expired, runner.ReasonDeadline)
		expired.Outcomes = append(expired.Outcomes, more.Outcomes...)
		return expired, nil
	}
	res, err := a.deps.Runner.Run(ctx, runner.Task{
		Window: w, Attempt: got.Attempt, Deadline: deadline, Compact: deadline.Sub(now) < a.pace.full(),
		Release: release, Received: j.received, Recorder: rec,
	})
	a.pace.observe(res.Reply)
	res.Outcomes = append(expired.Outcomes, res.Outcomes...)
	return res, err
}

// late splits off the members that no run can answer in time any more.
func (a *Agent) late(w event.Window, now time.Time) (late, left event.Window) {
	late, left = w, w
	late.Members, left.Members = nil, nil
	for _, m := range w.Members {
		if time.UnixMilli(m.AnswerByMs).Add(-a.cfg.AnswerMargin).Sub(now) < a.cfg.CompactNeeds {
			late.Members = append(late.Members, m)
		} else {
			left.Members = append(left.Members, m)
		}
	}
	return late, left
}

// deadline is when a run that starts now ends at the latest.
func (a *Agent) deadline(w *event.Window, now time.Time) time.Time {
	end := now.Add(a.cfg.RunLimit)
	earliest := func(ms int64) {
		if by := time.UnixMilli(ms).Add(-a.cfg.AnswerMargin); by.Before(end) {
			end = by
		}
	}
	if len(w.Members) == 0 {
		earliest(w.AnswerByMs)
	}
	for _, m := range w.Members {
		earliest(m.AnswerByMs)
	}
	return end
}

func (a *Agent) failed(w *event.Window, attempt int, st event.State, reason string) runner.Result {
	var res runner.Result
	now := a.deps.Clock.NowMs()
	for _, m := range w.Members {
		res.Outcomes = append(res.Outcomes, event.Outcome{
			Schema: event.SchemaVersion, DanmakuID: m.DanmakuID, RoomID: w.RoomID, ViewerID: m.ViewerID,
			State: st, Reason: reason, By: runner.By, Eligible: true, Admitted: true,
			WindowID: w.WindowID, RunID: event.NewRunID(w.WindowID, attempt), Variant: w.Variant, Intent: m.Intent,
			PlatformMs: m.PlatformMs, TimeMs: now,
		})
	}
	return res
}

// lastWords is the wall time for the log to take a made reply when the time of a drain
// is over.
const lastWords = 5 * time.Second

// publish puts a run's result into the log, the reply last: it says that the
// window is finished. When the log refuses it, those who have their outcomes are
// finished all the same: the next attempt must not end them another way. Whoever lost
// the claim meanwhile publishes nothing.
func (a *Agent) publish(ctx context.Context, claim Claim, attempt int, res runner.Result, rec *trajectory.Recorder) error {
	ctx, cancel := clock.Outlasting(ctx, lastWords)
	defer cancel()
	if !a.renew(ctx, claim, attempt) {
		a.log.Warn("claim lost, result dropped", "window_id", string(claim.WindowID), "attempt", attempt)
		return rec.Flush(ctx)
	}
	if err := rec.Flush(ctx); err != nil {
		return err
	}
	before := make([]event.Event, 0, len(res.Hits)+len(res.Outcomes))
	for _, h := range res.Hits {
		before = append(before, h)
	}
	for _, o := range res.Outcomes {
		before = append(before, o)
	}
	if len(before) > 0 {
		if err := a.deps.Publisher.Publish(ctx, before...); err != nil {
			return err
		}
	}
	if res.Reply != nil {
		a.mark(ctx, ended(claim, res.Outcomes), attempt, MarkDone)
		if err := a.deps.Publisher.Publish(ctx, *res.Reply); err != nil {
			return err
		}
	}
	done, free := split(claim, res.Reply)
	a.mark(ctx, done, attempt, MarkDone)
	a.mark(ctx, free, attempt, MarkFree)
	return nil
}

// ended is the keys of the danmaku that have their outcomes.
func ended(c Claim, outcomes []event.Outcome) Claim {
	all := c.Keys
	c.Keys = nil
	for _, k := range all {
		if slices.ContainsFunc(outcomes, func(o event.Outcome) bool { return o.DanmakuID == k.DanmakuID }) {
			c.Keys = append(c.Keys, k)
		}
	}
	return c
}

// split separates the keys that are finished from those given back.
func split(c Claim, rep *event.Reply) (done, free Claim) {
	done, free = c, c
	done.Keys, free.Keys = nil, nil
	back := map[event.DanmakuID]bool{}
	if rep != nil {
		for _, id := range rep.NotCovered {
			back[id] = true
		}
	}
	for _, k := range c.Keys {
		if back[k.DanmakuID] {
			free.Keys = append(free.Keys, k)
		} else {
			done.Keys = append(done.Keys, k)
		}
	}
	return done, free
}

func (a *Agent) claim(ctx context.Context, c Claim) (Claimed, bool) {
	ctx, cancel := clock.WithWallTimeout(ctx, a.cfg.ClaimTimeout)
	defer cancel()
	return a.claims.Claim(ctx, c)
}

func (a *Agent) renew(ctx context.Context, c Claim, attempt int) bool {
	ctx, cancel := clock.WithWallTimeout(context.WithoutCancel(ctx), a.cfg.ClaimTimeout)
	defer cancel()
	return a.claims.Renew(ctx, c, attempt)
}

func (a *Agent) mark(ctx context.Context, c Claim, attempt int, m Mark) {
	if len(c.Keys) == 0 {
		return
	}
	ctx, cancel := clock.WithWallTimeout(context.WithoutCancel(ctx), a.cfg.ClaimTimeout)
	defer cancel()
	a.claims.Mark(ctx, c, attempt, m)
}

// recordClaim is the step from which a later assignment learns the attempt.
func (a *Agent) recordClaim(ctx context.Context, rec *trajectory.Recorder, began time.Time, held []ClaimKey, degraded bool) {
	input, err := json.Marshal(held)
	if err != nil {
		a.log.Error("claim step not rendered", "err", err)
		return
	}
	st := event.Step{
		Kind: event.StepClaim, Name: "claim", Input: string(input),
		StartedMs: a.deps.Clock.Room(began).UnixMilli(), EndedMs: a.deps.Clock.NowMs(),
	}
	if degraded {
		st.Cause = "claims_away"
	}
	rec.Add(ctx, st)
}

// keysOf are the keys a window claims; an event window claims itself.
func keysOf(w *event.Window) []ClaimKey {
	if w.Kind == event.EventWindow {
		return []ClaimKey{{DanmakuID: event.DanmakuID("window:" + string(w.WindowID)), Ask: 1}}
	}
	keys := make([]ClaimKey, 0, len(w.Members))
	for _, m := range w.Members {
		keys = append(keys, ClaimKey{m.DanmakuID, m.Ask})
	}
	return keys
}

func membersOf(w *event.Window, held []ClaimKey) []event.Member {
	got := map[ClaimKey]bool{}
	for _, k := range held {
		got[k] = true
	}
	var out []event.Member
	for _, m := range w.Members {
		if got[ClaimKey{m.DanmakuID, m.Ask}] {
			out = append(out, m)
		}
	}
	return out
}
