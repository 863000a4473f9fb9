package guardrail

import (
	"regexp"
	"slices"
	"strings"

	"livehost/agentworker/guardrail/quantity"
	"livehost/streams/event"
)

// StatesFact reports whether a text states a price, stock or promotion.
func StatesFact(text string) bool {
	return slices.ContainsFunc(claims(text), func(c claim) bool { return commercial(c.Kind) && !c.delivery })
}

var saysAbsent = regexp.MustCompile(`(?i)没|不在|不卖|无此|找不到|查不到|搜不到|\bno\b|\bnot\b|n['’]t\b|\bcannot\b|\bnothing\b|\bnone\b`)

// SaysAbsent reports whether a text says that something is not there.
func SaysAbsent(text string) bool { return saysAbsent.MatchString(text) }

// Stated are the facts of the run's results that the text states: of the products
// it is about, and of the kinds it speaks of. They are what makes the text stale
// when they change.
func (e *Evidence) Stated(text string) []event.Fact {
	kinds := kindsIn(text)
	about := e.about(text)
	var out []event.Fact
	for _, r := range e.Results {
		for _, f := range r.facts {
			says := kinds[f.Kind] || f.Kind == "promotion" && f.Value != "" && strings.Contains(text, f.Value)
			if says && (f.LinkID == "" || slices.Contains(about, f.LinkID)) && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

func kindsIn(text string) map[string]bool {
	kinds := map[string]bool{}
	for _, c := range claims(text) {
		switch c.Kind {
		case quantity.Money:
			kinds["price"] = true
		case quantity.Stock:
			kinds["stock"] = true
		case quantity.Discount, quantity.Threshold, quantity.Multi, quantity.Nth, quantity.BuyGet:
			kinds["promotion"] = true
		}
	}
	if soldOut.MatchString(text) || inStock.MatchString(text) {
		kinds["stock"] = true
	}
	return kinds
}

// about are the products a text is about: those it names by link or name, those
// whose numbers it states, else the only one that the results hold.
func (e *Evidence) about(text string) []event.LinkID {
	out := e.CitedProducts(text)
	var all []event.LinkID
	for _, r := range e.Results {
		for _, rec := range r.records {
			if rec.link == "" || slices.Contains(all, rec.link) {
				continue
			}
			all = append(all, rec.link)
			if rec.name != "" && strings.Contains(text, rec.name) && !slices.Contains(out, rec.link) {
				out = append(out, rec.link)
			}
		}
	}
	if len(out) == 0 && len(all) == 1 {
		return all
	}
	return out
}
