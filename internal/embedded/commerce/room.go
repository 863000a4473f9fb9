package commerce

import (
	"livehost/harness"
	"livehost/streams/event"
)

// room is what events have changed in one room over the catalogue.
type room struct {
	links    map[event.LinkID]event.ProductID // listed under another link than the catalogue's
	delisted map[event.LinkID]bool
	price    map[event.ProductID]int64 // fen
	stock    map[event.ProductID]int64 // units
	orders   map[event.ViewerID]event.Order
	paid     map[event.OrderID]bool
	coupons  map[string]fields // idempotency key -> result
}

// room finds or makes the state of a room; s.mu is held.
func (s *Server) room(id event.RoomID) *room {
	r := s.rooms[id]
	if r == nil {
		r = &room{
			links: map[event.LinkID]event.ProductID{}, delisted: map[event.LinkID]bool{},
			price: map[event.ProductID]int64{}, stock: map[event.ProductID]int64{},
			orders: map[event.ViewerID]event.Order{}, paid: map[event.OrderID]bool{}, coupons: map[string]fields{},
		}
		s.rooms[id] = r
	}
	return r
}

// Apply takes a change of the shelf, of a price or of stock; other events change
// nothing. A room starts with the whole catalogue listed.
func (s *Server) Apply(e event.RoomEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.room(e.RoomID)
	switch e.Kind {
	case event.ProductListed:
		delete(r.delisted, e.LinkID)
		if e.ProductID != "" {
			r.links[e.LinkID] = e.ProductID
		}
	case event.ProductDelisted:
		r.delisted[e.LinkID] = true
	case event.ProductChanged:
		p, ok := r.product(s.deps.Catalog, e.LinkID)
		if !ok {
			p, ok = s.deps.Catalog.ByID(e.ProductID)
		}
		if !ok {
			return
		}
		if e.PriceFen != nil && *e.PriceFen > 0 {
			r.price[p.ProductID] = *e.PriceFen
		}
		if e.Stock != nil {
			r.stock[p.ProductID] = max(0, *e.Stock)
		}
	}
}

// ApplyOrder takes a status change of an order: the viewer's latest order, and
// the stock when it is paid for the first time.
func (s *Server) ApplyOrder(o event.Order) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.room(o.RoomID)
	if !o.ViewerID.Anonymous() {
		if have, ok := r.orders[o.ViewerID]; !ok || have.OrderID != o.OrderID && have.TimeMs <= o.TimeMs || have.OrderID == o.OrderID && have.Seq < o.Seq {
			r.orders[o.ViewerID] = o
		}
	}
	if o.Status != event.OrderPaid || r.paid[o.OrderID] {
		return
	}
	r.paid[o.OrderID] = true
	if p, ok := s.deps.Catalog.ByID(o.ProductID); ok {
		r.stock[p.ProductID] = max(0, r.stockOf(p)-max(1, o.Quantity))
	}
}

// product is what the room lists at the link.
func (r *room) product(c *harness.Catalog, link event.LinkID) (*harness.Product, bool) {
	if r.delisted[link] {
		return nil, false
	}
	if id, ok := r.links[link]; ok {
		return c.ByID(id)
	}
	return c.ByLink(link)
}

// linkOf is where the room lists the product, if it does.
func (r *room) linkOf(p *harness.Product) (event.LinkID, bool) {
	for link, id := range r.links {
		if id == p.ProductID && !r.delisted[link] {
			return link, true
		}
	}
	if id, moved := r.links[p.LinkID]; moved && id != p.ProductID || r.delisted[p.LinkID] {
		return "", false
	}
	return p.LinkID, true
}

func (r *room) priceOf(p *harness.Product) int64 {
	if fen, ok := r.price[p.ProductID]; ok {
		return fen
	}
	return p.Price()
}

// skuPrice follows a price change of the product.
func (r *room) skuPrice(p *harness.Product, s harness.SKU) int64 {
	if s.PriceFen == 0 {
		return r.priceOf(p)
	}
	return max(1, s.PriceFen+r.priceOf(p)-p.Price())
}

func (r *room) stockOf(p *harness.Product) int64 {
	if n, ok := r.stock[p.ProductID]; ok {
		return n
	}
	return p.Stock()
}

// skuStocks shares the product's present stock among its SKUs in the catalogue's
// proportions: events tell the product's stock only.
func (r *room) skuStocks(p *harness.Product) []int64 {
	out := make([]int64, len(p.SKUs))
	total, base := r.stockOf(p), p.Stock()
	left := total
	for i, s := range p.SKUs {
		if base > 0 {
			out[i] = total * s.Stock / base
			left -= out[i]
		}
	}
	for i := 0; left > 0 && len(out) > 0; i = (i + 1) % len(out) {
		if base == 0 || p.SKUs[i].Stock > 0 {
			out[i]++
			left--
		}
	}
	return out
}
