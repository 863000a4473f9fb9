package app

import (
	"context"
	"strings"

	"livehost/abtest"
	"livehost/abtest/assign"
	"livehost/analytics/clickhouse"
	"livehost/analytics/query"
	"livehost/streams/event"
	"livehost/web"
)

// webStore answers the console's questions from ClickHouse.
type webStore struct{ client *clickhouse.Client }

var (
	_ web.Minutes     = webStore{}
	_ web.Incidents   = webStore{}
	_ web.Traces      = webStore{}
	_ web.Experiments = webStore{}
)

func scopeOf(s web.Scope) query.Scope {
	return query.Scope{Room: s.Room, Variant: s.Variant, Since: s.Since}
}

// Minutes implements web.Minutes.
func (s webStore) Minutes(ctx context.Context, sc web.Scope) ([]web.Minute, error) {
	list, err := s.client.Minutes(ctx, scopeOf(sc))
	out := make([]web.Minute, len(list))
	for i, m := range list {
		out[i] = web.Minute{Start: m.Start, Ended: m.Ended, P50Ms: m.P50, P95Ms: m.P95, Missed: m.Misses, Counted: m.Counted}
	}
	return out, err
}

// Incidents implements web.Incidents.
func (s webStore) Incidents(ctx context.Context, f web.IncidentFilter) ([]web.Incident, error) {
	list, err := s.client.Incidents(ctx, query.IncidentFilter{
		Scope: scopeOf(f.Scope), Kind: f.Kind, Rule: f.Rule, Cause: f.Cause, Version: f.Version, Limit: f.Limit,
	})
	out := make([]web.Incident, len(list))
	for i, x := range list {
		out[i] = web.Incident{
			Time: x.Time, Kind: x.Kind, ID: x.ID, Room: x.RoomID, Run: event.RunID(x.RunID), Rule: x.Rule, Version: x.Version, Stage: x.Stage,
			Action: x.Action, Span: x.Span, Cause: x.Cause, Variant: x.Variant, Release: x.Release, Policy: x.PolicyVersion, Harness: x.HarnessHash,
			Danmaku: danmakuIDs(x.DanmakuIDs),
		}
	}
	return out, err
}

func danmakuIDs(ids []string) []event.DanmakuID {
	out := make([]event.DanmakuID, len(ids))
	for i, id := range ids {
		out[i] = event.DanmakuID(id)
	}
	return out
}

// Trace implements web.Traces.
func (s webStore) Trace(ctx context.Context, id string, restricted bool) (web.Trace, error) {
	t, err := s.client.Trace(ctx, id, restricted)
	var out web.Trace
	for _, st := range t.Steps {
		out.Steps = append(out.Steps, st.Event())
	}
	for _, d := range t.Said {
		out.Heard = append(out.Heard, event.Delivery{
			DeliveryID: event.DeliveryID(d.DeliveryID), ReplyID: event.WindowID(d.ReplyID), RunID: event.RunID(d.RunID), RoomID: event.RoomID(d.RoomID),
			Channel: event.Channel(d.Channel), State: event.DeliveryState(d.State), Reason: d.Reason, Text: d.Text, DanmakuIDs: danmakuIDs(d.DanmakuIDs),
			Variant: event.Variant(d.Variant), HeardVariant: event.Variant(d.HeardVariant), FirstAudioMs: d.FirstAudio.UnixMilli(), EndMs: d.End.UnixMilli(), TimeMs: d.At.UnixMilli(),
		})
	}
	for _, o := range t.Ended {
		out.Ended = append(out.Ended, event.Outcome{
			DanmakuID: event.DanmakuID(o.DanmakuID), RoomID: event.RoomID(o.RoomID), State: event.State(o.State), Reason: o.Reason, By: o.By,
			WindowID: event.WindowID(o.WindowID), RunID: event.RunID(o.RunID), CoverID: event.DanmakuID(o.CoverID), Variant: event.Variant(o.Variant),
			PlatformMs: o.Asked.UnixMilli(), TimeMs: o.At.UnixMilli(),
		})
	}
	for _, h := range t.Hits {
		out.Hits = append(out.Hits, event.GuardrailHit{
			HitID: h.ID, RunID: event.RunID(h.RunID), RoomID: event.RoomID(h.RoomID), Rule: h.Rule, Version: h.Version, Stage: h.Stage, Point: h.Point,
			Action: h.Action, Span: h.Span, Cause: h.Cause, TimeMs: h.At.UnixMilli(),
		})
	}
	return out, err
}

// Experiments implements web.Experiments.
func (s webStore) Experiments(ctx context.Context) ([]web.Experiment, error) {
	names, err := s.client.ExperimentNames(ctx)
	if err != nil {
		return nil, err
	}
	var out []web.Experiment
	for _, name := range names {
		r, err := s.client.ABReport(ctx, planFor(name))
		if err != nil {
			return nil, err
		}
		out = append(out, experimentOf(r))
	}
	return out, nil
}

// planFor is the plan of the experiment that ships. Of another one, and of another
// version's split, nothing is known, and the report says that it assumes equal shares.
func planFor(name string) query.Plan {
	d := abtest.Default()
	if d.Experiment != name {
		return query.Plan{Version: query.Version{Experiment: name}}
	}
	return query.Plan{Version: query.Version{Experiment: name}, Control: string(d.Control), Split: splitOf(d), SplitOf: uint32(d.Version)}
}

// splitOf is how many slots each variant has.
func splitOf(d assign.Definition) map[string]float64 {
	slots, err := d.Slots.MarshalText()
	if err != nil {
		return nil // as of a plan that is not known
	}
	out := map[string]float64{}
	for i, v := range d.Variants {
		out[string(v.Name)] = float64(strings.Count(string(slots), string(rune('A'+i))))
	}
	return out
}

func experimentOf(r query.ABReport) web.Experiment {
	e := web.Experiment{
		Name: r.Experiment, Version: int(r.Version), Control: r.Control, Unit: r.UnitName(), Units: r.Units, Mixed: r.Mixed,
		SRMNote: r.SRM.Reason.String(), Blocked: r.Blocked, Verdict: r.Verdict,
	}
	if r.ControlAssumed {
		e.Control += " (assumed)"
	}
	if r.SRM.Reason == "" {
		e.SRMP = &r.SRM.P
	}
	if r.SRM.Assumed {
		e.SRMNote = strings.TrimPrefix(e.SRMNote+", equal shares assumed", ", ")
	}
	for _, v := range r.Variants {
		e.Variants = append(e.Variants, web.Variant{
			Name: v.Variant, Bucketed: v.Bucketed, Exposed: v.Exposed, GMVPerUser: v.GMVPerUser, OrdersPerUser: v.OrdersPerUser,
			GMVPerExposed: v.GMVPerExposed, OrdersPerExposed: v.OrdersPerExposed, WindowSize: v.MeanWindowSize, MultiShare: v.MultiShare, SpeechShare: v.SpeechShare, Dilution: v.DilutedPublicAnswer,
		})
	}
	for _, x := range r.Effects {
		f := web.Effect{Metric: x.Metric, Variant: x.Variant, Control: x.Control, Treatment: x.Treatment, Diff: x.Diff, P: x.P, Reason: x.Reason.String()}
		if x.Interval != nil {
			f.Lo, f.Hi = &x.Interval[0], &x.Interval[1]
		}
		e.Effects = append(e.Effects, f)
	}
	return e
}
