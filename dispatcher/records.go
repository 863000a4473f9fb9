package dispatcher

import (
	"strings"

	"livehost/streams/event"
)

// deliveryID is deterministic, so that a reply handed over again meets what the
// log and the ledger know of it.
func deliveryID(reply *event.Reply, outlet string, private event.DanmakuID) event.DeliveryID {
	id := string(reply.ReplyID) + "/" + outlet
	if private != "" {
		id += "/" + string(private)
	}
	return event.DeliveryID(id)
}

// delivery is the common part of a delivery of the reply.
func delivery(reply *event.Reply, outlet string, state event.DeliveryState, reason, text string, nowMs int64) event.Delivery {
	return event.Delivery{
		Schema: event.SchemaVersion, DeliveryID: deliveryID(reply, outlet, ""),
		ReplyID: reply.ReplyID, RunID: reply.RunID, RoomID: reply.RoomID,
		Outlet: outlet, Channel: event.Public, State: state, Reason: reason, Text: text,
		QuestionKey: reply.QuestionKey, Intent: reply.Intent, Class: reply.Class,
		Variant: reply.Variant, HeardVariant: reply.Variant, Facts: reply.Facts, Versions: reply.Versions,
		SpeakByMs: reply.SpeakByMs, TimeMs: nowMs,
	}
}

// spokenDelivery is a state of the item's public delivery.
func spokenDelivery(it *item, outlet string, state event.DeliveryState, reason string, nowMs int64) event.Delivery {
	d := delivery(&it.job.reply, outlet, state, reason, it.heard, nowMs)
	d.DanmakuIDs, d.SpeakByMs = ids(it.owed), it.speakBy()
	return d
}

// ending is how one danmaku ends here. An empty state hands it back to the
// aggregator: no outcome.
type ending struct {
	o       *owed
	state   event.State
	reason  string
	channel event.Channel
	cover   event.DanmakuID
}

func (e ending) outcome(nowMs int64) event.Outcome {
	reply, m := &e.o.job.reply, e.o.member
	out := event.Outcome{
		Schema: event.SchemaVersion, DanmakuID: m.DanmakuID, RoomID: reply.RoomID, ViewerID: m.ViewerID,
		State: e.state, Reason: e.reason, By: "dispatcher", Eligible: true, Admitted: true,
		WindowID: reply.ReplyID, RunID: reply.RunID, CoverID: e.cover, Channel: e.channel,
		Variant: reply.Variant, Intent: m.Intent, PlatformMs: m.PlatformMs, ReplyMs: reply.CreatedMs, TimeMs: nowMs,
	}
	if out.Intent == "" {
		out.Intent = reply.Intent
	}
	return out
}

// missingVerdicts are the required rules that did not let the reply's text pass.
func missingVerdicts(required []string, verdicts []event.Verdict) []string {
	var missing []string
	for _, rule := range required {
		if !passed(rule, verdicts) {
			missing = append(missing, rule)
		}
	}
	return missing
}

func passed(rule string, verdicts []event.Verdict) bool {
	for _, v := range verdicts {
		if v.Rule == rule && (v.Action == "allow" || v.Action == "rewrite") {
			return true
		}
	}
	return false
}

// verdictHit is the dispatcher's own guardrail.
func verdictHit(reply *event.Reply, channel event.Channel, answers []*owed, missing []string, nowMs int64) event.GuardrailHit {
	return event.GuardrailHit{
		Schema: event.SchemaVersion, HitID: string(reply.RunID) + "/required_verdicts/" + string(channel),
		RoomID: reply.RoomID, WindowID: reply.ReplyID, RunID: reply.RunID, DanmakuIDs: ids(answers), Variant: reply.Variant,
		Rule: "required_verdicts", Version: "1", Stage: "dispatcher", Point: "before_delivery",
		Span: strings.Join(missing, ","), Action: "suppress", Versions: reply.Versions, TimeMs: nowMs,
	}
}
