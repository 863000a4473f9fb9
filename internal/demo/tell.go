package demo

import (
	"fmt"
	"strings"

	"livehost/internal/wording"
	"livehost/streams/event"
)

func (p *Printer) danmaku(d event.Danmaku) []line {
	if !p.once("danmaku " + string(d.DanmakuID)) {
		return nil
	}
	p.asked[d.DanmakuID] = d
	label := "danmaku"
	if d.Host {
		label = "host"
	}
	return []line{{d.PlatformTimeMs, label, nameOf(d.ViewerName, d.ViewerID), d.Text}}
}

func (p *Printer) roomEvent(e event.RoomEvent) []line {
	if !p.once("room " + e.EventID) {
		return nil
	}
	switch opened, ok := p.opened[e.RoomID]; {
	case e.Kind == event.RoomOpened:
		p.opened[e.RoomID] = e.TimeMs
	case e.Kind == event.ProductListed && ok && e.TimeMs == opened:
		p.shelf, p.listed = line{ms: e.TimeMs, label: "room"}, p.listed+1
		return nil
	}
	what := p.tongue.of(roomWords[e.Kind])
	who := ""
	switch e.Kind {
	case event.Gift, event.Like, event.Enter, event.Follow, event.AddToCart:
		who = nameOf(e.ViewerName, e.ViewerID)
	}
	switch {
	case e.Kind == event.ProductInFocus && e.LinkID == "":
		what += " -"
	case e.LinkID != "":
		what += " " + p.link(e.LinkID)
	}
	if e.PriceFen != nil {
		what += ": " + money(*e.PriceFen)
	}
	if e.Stock != nil {
		what += fmt.Sprintf(": %s %d", p.tongue.of(words{"stock", "库存"}), *e.Stock)
	}
	if e.GiftName != "" {
		what += " " + e.GiftName
	}
	if e.Count > 1 {
		what += fmt.Sprintf(" x%d", e.Count)
	}
	if e.Text != "" {
		what += ": " + e.Text
	}
	if d, ok := p.asked[e.DanmakuID]; ok {
		what += ": " + d.Text
	}
	return []line{{e.TimeMs, "room", who, what}}
}

func (p *Printer) link(id event.LinkID) string {
	return p.tongue.of(words{"link " + string(id), string(id) + "号链接"})
}

func money(fen int64) string { return fmt.Sprintf("¥%d.%02d", fen/100, fen%100) }

func (p *Printer) order(o event.Order) []line {
	if !p.once(fmt.Sprint("order ", o.OrderID, o.Seq)) {
		return nil
	}
	what := fmt.Sprintf("%s %s", p.tongue.of(orderWords[o.Status]), money(o.AmountFen))
	if o.LinkID != "" {
		what += ", " + p.link(o.LinkID)
	}
	return []line{{o.TimeMs, "order", nameOf("", o.ViewerID), what}}
}

func (p *Printer) window(w event.Window) []line {
	if !p.once("window " + string(w.WindowID)) {
		return nil
	}
	if w.Kind == event.EventWindow {
		l := line{ms: w.OpenedMs, label: "window"}
		if w.Event != nil {
			l.who, l.what = nameOf(w.Event.ViewerName, w.Event.ViewerID), p.tongue.of(roomWords[w.Event.Kind])+" "+w.Event.GiftName
		}
		l.what = fmt.Sprintf("%s [%s]", strings.TrimSpace(l.what), w.Variant)
		return []line{l}
	}
	mode := p.tongue.of(map[event.Mode]words{event.Single: {"single", "单条"}, event.Multi: {"multi", "多条"}}[w.Mode])
	var texts []string
	for _, m := range w.Members {
		texts = append(texts, m.Text)
	}
	return []line{{w.OpenedMs, "window", fmt.Sprintf("%s %d", mode, len(w.Members)), fmt.Sprintf("%s [%s]", strings.Join(texts, " | "), w.Variant)}}
}

func (p *Printer) reply(r event.Reply) []line {
	if !p.once("reply " + string(r.RunID)) {
		return nil
	}
	var out []line
	say := func(text string) {
		what := fmt.Sprintf("%s [%s]", quote(text), r.Variant)
		if r.Fallback != "" {
			what += p.tongue.of(words{" (fallback)", "（兜底）"})
		}
		out = append(out, line{r.CreatedMs, "reply", fmt.Sprintf("%.1f s", float64(r.Timing.RunMs)/1000), what})
	}
	if r.Public != nil && r.Public.Text != "" {
		say(r.Public.Text)
	}
	for _, private := range r.Private {
		say(private.Text)
	}
	return out
}

// deliveryLabels are the lines of a delivery's states.
var deliveryLabels = map[event.DeliveryState]string{
	event.DeliveryStarted: "speaks", event.DeliveryEnded: "spoken", event.DeliverySent: "private",
	event.DeliverySkipped: "not_spoken", event.DeliveryCancelled: "not_spoken", event.DeliveryInterrupted: "not_spoken",
}

func (p *Printer) delivery(d event.Delivery) []line {
	if !p.once(fmt.Sprint("delivery ", d.DeliveryID, d.State)) {
		return nil
	}
	l := line{ms: d.TimeMs, label: deliveryLabels[d.State], what: d.Text}
	switch d.State {
	case event.DeliveryEnded:
		l.what = ""
		if d.FirstAudioMs > 0 && d.EndMs > d.FirstAudioMs {
			l.what = fmt.Sprintf("%.1f s", float64(d.EndMs-d.FirstAudioMs)/1000)
		}
	case event.DeliverySent:
		l.who = nameOf("", d.ViewerID)
	case event.DeliverySkipped, event.DeliveryCancelled, event.DeliveryInterrupted:
		l.what = fmt.Sprintf("%s: %s", quote(d.Text), p.tongue.reason(d.Reason))
	}
	return []line{l}
}

func (p *Printer) outcome(o event.Outcome) []line {
	d, known := p.asked[o.DanmakuID]
	if !known { // told before a restart
		d.Text = string(o.DanmakuID)
	}
	delete(p.asked, o.DanmakuID)
	if o.State == event.Answered || !p.once(fmt.Sprint("outcome ", o.DanmakuID, o.State)) {
		return nil
	}
	label := "outcome"
	if o.State == event.Merged {
		label = "merged"
	}
	reason := p.tongue.reason(o.Reason)
	if _, listed := wording.Reason(o.Reason); !listed && o.State == event.Suppressed {
		reason = p.tongue.of(words{"rule ", "规则 "}) + o.Reason
	}
	what := fmt.Sprintf("%s: %s (%s)", quote(d.Text), p.tongue.from(wording.State(o.State)), reason)
	return []line{{o.TimeMs, label, nameOf(d.ViewerName, d.ViewerID), what}}
}

func (p *Printer) hit(h event.GuardrailHit) []line {
	if !p.once("hit " + h.HitID) {
		return nil
	}
	what := fmt.Sprintf("%s: %s", h.Rule, h.Action)
	if h.Span != "" {
		what += ", " + quote(h.Span)
	}
	return []line{{h.TimeMs, "hit", h.Stage, what}}
}
