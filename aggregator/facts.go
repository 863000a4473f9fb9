package aggregator

import (
	"cmp"
	"slices"

	"livehost/streams/event"
)

// concern is whose answers may be wrong after an event: about these links, and about
// products that are named in words, of which nobody here knows the links.
type concern struct {
	links  []event.LinkID
	worded bool
}

func (c concern) of(link event.LinkID, worded bool) bool {
	return c.worded && worded || slices.Contains(c.links, link)
}

// concerns is what the event concerns, before it is applied.
func (r *room) concerns(e event.RoomEvent) concern {
	c := concern{links: r.context.concerned(e)}
	switch e.Kind {
	case event.ProductListed:
		c.worded = len(c.links) > 0
	case event.ProductDelisted:
		c.worded = true
	case event.ProductChanged:
		name := cmp.Or(string(e.ProductID), string(r.context.links[e.LinkID]), "link "+string(e.LinkID))
		c.worded = r.offers.changes(hashOf(name), e)
	}
	return c
}

// offer is what was last said of a product.
type offer struct {
	fen             int64
	some            bool // in stock
	priced, stocked bool // that it was said
}

// offers are by the hash of product or link.
type offers map[uint64]offer

const maxOffers = 500

// changes notes the event's price and stock and reports whether they are news. Stock
// moves with every order: that it is sold out, or is back, counts.
func (o *offers) changes(product uint64, e event.RoomEvent) bool {
	if *o == nil || len(*o) >= maxOffers { // what is forgotten is news once more
		*o = offers{}
	}
	was := (*o)[product]
	now, news := was, e.PriceFen == nil && e.Stock == nil
	if e.PriceFen != nil {
		now.fen, now.priced = *e.PriceFen, true
		news = !was.priced || was.fen != now.fen
	}
	if e.Stock != nil {
		now.some, now.stocked = *e.Stock > 0, true
		news = news || !was.stocked || was.some != now.some
	}
	(*o)[product] = now
	return news
}
