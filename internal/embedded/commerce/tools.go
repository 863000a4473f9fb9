package commerce

import (
	"fmt"
	"slices"
	"strings"

	"livehost/harness"
	"livehost/streams/event"
)

// toolDef is one tool of the server.
type toolDef struct {
	name, description, schema string
	run                       func(*call) (fields, *toolError)
}

const (
	noArgs  = `{"type":"object","properties":{}}`
	linkArg = `{"type":"object","required":["link_id"],"properties":{"link_id":{"type":"string"}}}`
	anyLink = `{"type":"object","properties":{"link_id":{"type":"string"}}}`
)

var tools = []toolDef{
	{"get_product", "Facts of one product by its link number", linkArg, getProduct},
	{"search_product", "The product of this room that matches a query best",
		`{"type":"object","required":["query"],"properties":{"query":{"type":"string"}}}`, searchProduct},
	{"get_stock", "Stock of a product or of one SKU",
		`{"type":"object","required":["link_id"],"properties":{"link_id":{"type":"string"},"sku":{"type":"string"}}}`, getStock},
	{"get_promotions", "Promotions of a product, or of the room", anyLink, getPromotions},
	{"get_attribute", "One attribute of a product",
		`{"type":"object","required":["link_id","question"],"properties":{"link_id":{"type":"string"},"question":{"type":"string"}}}`, getAttribute},
	{"get_shipping", "Delivery of a product, or of the room",
		`{"type":"object","properties":{"link_id":{"type":"string"},"region":{"type":"string"}}}`, getShipping},
	{"get_after_sales", "Returns and warranty of a product, or of the room", anyLink, getAfterSales},
	{"get_size_advice", "Size by body measures",
		`{"type":"object","required":["link_id"],"properties":{"link_id":{"type":"string"},"height_cm":{"type":"number"},"weight_kg":{"type":"number"},"foot_mm":{"type":"number"}}}`, getSizeAdvice},
	{"compare_products", "Two products side by side",
		`{"type":"object","required":["link_ids"],"properties":{"link_ids":{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":2}}}`, compareProducts},
	{"get_order_status", "The viewer's latest order", noArgs, getOrderStatus},
	{"issue_coupon", "Gives the viewer a coupon",
		`{"type":"object","properties":{"coupon_id":{"type":"string"}}}`, issueCoupon},
	{"get_membership", "The membership programme", noArgs, getMembership},
}

func (c *call) str(key string) string {
	s, _ := c.args[key].(string)
	return strings.TrimSpace(s)
}

// listed is the product at a link of this room.
func (c *call) listed(link string) (*harness.Product, *toolError) {
	if link == "" {
		return nil, &toolError{code: codeBadArgs, message: "link_id is missing", more: fields{"field": "link_id"}}
	}
	p, ok := c.room.product(c.catalog, event.LinkID(link))
	if !ok {
		return nil, &toolError{code: codeNotFound, message: "there is no link " + link + " in this room", more: fields{"link_id": link}}
	}
	return p, nil
}

func getProduct(c *call) (fields, *toolError) {
	link := c.str("link_id")
	p, err := c.listed(link)
	if err != nil {
		return nil, err
	}
	return c.product(event.LinkID(link), p), nil
}

// maxOtherLinks bounds other_links: a spoken sentence holds no more.
const maxOtherLinks = 3

func searchProduct(c *call) (fields, *toolError) {
	query := c.str("query")
	if query == "" {
		return nil, &toolError{code: codeBadArgs, message: "query is empty", more: fields{"field": "query"}}
	}
	inRoom := func(p *harness.Product) bool { _, ok := c.room.linkOf(p); return ok }
	found := c.search.find(query, inRoom)
	if len(found) == 0 && coloursOnly(query) {
		return nil, &toolError{code: codeBadArgs, message: "a color of what?", more: fields{"field": "query"}}
	}
	if len(found) == 0 {
		more := fields{"query": query, "similar_link_id": ""}
		more.text("similar", "", "")
		if p := c.search.similar(query, inRoom); p != nil {
			link, _ := c.room.linkOf(p)
			more["similar_link_id"] = string(link)
			more.text("similar", p.Name, either(p.NameEN, p.Name))
		}
		return nil, &toolError{code: codeNotFound, message: "nothing in this room matches", more: more}
	}
	link, _ := c.room.linkOf(found[0])
	f := c.product(link, found[0])
	var others []string
	for _, p := range found[1:min(len(found), 1+maxOtherLinks)] {
		other, _ := c.room.linkOf(p)
		others = append(others, string(other))
	}
	f.text("other_links", strings.Join(others, "、"), strings.Join(others, ", "))
	return f, nil
}

func getStock(c *call) (fields, *toolError) {
	link := c.str("link_id")
	p, err := c.listed(link)
	if err != nil {
		return nil, err
	}
	f := c.head(event.LinkID(link), p)
	asked := c.str("sku")
	if asked == "" {
		f.text("sku", "", "")
		f.stock(c.room.stockOf(p))
		f.price(c.room.priceOf(p))
		return f, nil
	}
	stocks := c.room.skuStocks(p)
	var n, price int64
	var zh, en []string
	for i, s := range p.SKUs {
		if skuMatches(asked, s) {
			n += stocks[i]
			zh, en = append(zh, s.Name), append(en, either(s.NameEN, s.Name))
			if fen := c.room.skuPrice(p, s); price == 0 || fen < price {
				price = fen
			}
		}
	}
	if len(zh) == 0 {
		more := c.head(event.LinkID(link), p)
		more.text("sku_names", skuNames(p, false), skuNames(p, true))
		more["sku"] = asked
		return nil, &toolError{code: codeNotFound, message: "the product has no such SKU", more: more}
	}
	f.text("sku", strings.Join(zh, "、"), strings.Join(en, ", "))
	f.stock(n)
	f.price(price)
	return f, nil
}

func getPromotions(c *call) (fields, *toolError) {
	link := c.str("link_id")
	promotions := c.catalog.Promotions
	f := fields{"link_id": link, "price_fen": int64(0), "final_price_fen": int64(0)}
	f.text("name", "", "")
	f.text("price", "", "")
	f.text("final_price", "", "")
	if link != "" {
		p, err := c.listed(link)
		if err != nil {
			return nil, err
		}
		promotions = c.promotionsOf(p)
		f = c.head(event.LinkID(link), p)
		price := c.room.priceOf(p)
		f.price(price)
		final := price
		for _, pr := range promotions {
			final = min(final, afterPromotion(price, pr))
		}
		f.money("final_price", final)
		f["final_price_fen"] = final
	}
	items := []fields{}
	var zh, en []string
	for _, pr := range promotions {
		items = append(items, fields{"text": pr.Text, "text_en": either(pr.TextEN, pr.Text)})
		zh, en = append(zh, pr.Text), append(en, either(pr.TextEN, pr.Text))
	}
	f["items"] = items
	f.text("promotion", strings.Join(zh, "，"), strings.Join(en, ", "))
	return f, nil
}

// afterPromotion is what one piece costs with the promotion alone.
func afterPromotion(fen int64, p harness.Promotion) int64 {
	switch p.Kind {
	case "percent":
		if p.Percent > 0 {
			return fen * p.Percent / 100
		}
	case "threshold", "coupon":
		if fen >= p.ThresholdFen {
			return max(0, fen-p.OffFen)
		}
	}
	return fen // gifts and offers on the nth piece leave one piece at its price
}

func getAttribute(c *call) (fields, *toolError) {
	link, question := c.str("link_id"), c.str("question")
	p, err := c.listed(link)
	if err != nil {
		return nil, err
	}
	f := c.head(event.LinkID(link), p)
	i, ok := findAttribute(p, question)
	if !ok {
		f["question"] = question
		return nil, &toolError{code: codeNotFound, message: "the product facts do not say", more: f}
	}
	at := p.Attributes[i]
	en := harness.Attribute{}
	if i < len(p.AttributesEN) {
		en = p.AttributesEN[i]
	}
	f.text("attribute", at.Key, either(en.Key, at.Key))
	f.text("value", at.Value, either(en.Value, at.Value))
	return f, nil
}

func getAfterSales(c *call) (fields, *toolError) {
	link := c.str("link_id")
	policy := mostUsed(c.catalog.AfterSales, func(a harness.AfterSales) int {
		return count(c.catalog.Products, func(p harness.Product) bool { return p.AfterSales == a.PolicyID })
	})
	f := fields{"link_id": link}
	if link != "" {
		p, err := c.listed(link)
		if err != nil {
			return nil, err
		}
		policy = c.afterSalesOf(p)
		f = c.head(event.LinkID(link), p)
	}
	f.text("text", policy.Text, either(policy.TextEN, policy.Text))
	f.text("return_days", "", "")
	if policy.ReturnDays > 0 {
		f.text("return_days", fmt.Sprintf("%d天", policy.ReturnDays), fmt.Sprintf("%d days", policy.ReturnDays))
	}
	f.text("warranty", policy.Warranty, either(policy.WarrantyEN, policy.Warranty))
	return f, nil
}

func compareProducts(c *call) (fields, *toolError) {
	var links []string
	list, _ := c.args["link_ids"].([]any)
	for _, v := range list {
		s, _ := v.(string)
		links = append(links, s)
	}
	if len(links) != 2 || links[0] == links[1] {
		return nil, &toolError{code: codeBadArgs, message: "link_ids must be two different link numbers", more: fields{"field": "link_ids"}}
	}
	var views [2]fields
	var prices [2]int64
	for i, link := range links {
		p, err := c.listed(link)
		if err != nil {
			return nil, err
		}
		views[i], prices[i] = c.product(event.LinkID(link), p), c.room.priceOf(p)
	}
	f := fields{"a": views[0], "b": views[1]}
	cheap, dear := links[0], links[1]
	diff := prices[1] - prices[0]
	if diff < 0 {
		cheap, dear, diff = dear, cheap, -diff
	}
	if diff == 0 {
		f.text("price_difference", "0元", "¥0")
		f.text("difference_text", "两个价格一样", "both cost the same")
		return f, nil
	}
	f.money("price_difference", diff)
	f.text("difference_text",
		fmt.Sprintf("%s号比%s号便宜%s元", cheap, dear, yuan(diff)),
		fmt.Sprintf("link %s is ¥%s cheaper than link %s", cheap, yuan(diff), dear))
	return f, nil
}

// orderTexts are what a viewer is told about an order.
var orderTexts = map[event.OrderStatus][2]string{
	event.OrderCreated:   {"您的订单还没有付款，付款后就会安排发货", "your order is not paid yet, it ships once it is paid"},
	event.OrderPaid:      {"您的订单已经付款，正在安排发货", "your order is paid and is being prepared for shipping"},
	event.OrderConfirmed: {"您的订单已经确认收货", "your order is delivered and confirmed"},
	event.OrderRefunded:  {"您的订单已经退款，款项原路退回", "your order is refunded to the way you paid"},
}

func getOrderStatus(c *call) (fields, *toolError) {
	o, ok := c.room.orders[c.viewer]
	if !ok || c.viewer.Anonymous() {
		return nil, &toolError{code: codeNotFound, message: "the viewer has no order in this room"}
	}
	text := orderTexts[o.Status]
	f := fields{"order_id": string(o.OrderID), "status": string(o.Status)}
	f.text("status_text", text[0], text[1])
	return f, nil
}

func issueCoupon(c *call) (fields, *toolError) {
	if c.key == "" {
		return nil, &toolError{code: codePermission, message: "_meta holds no " + metaWriteKey}
	}
	if have, ok := c.room.coupons[c.key]; ok {
		return have, nil
	}
	if c.viewer.Anonymous() {
		return nil, &toolError{code: codePermission, message: "the viewer is anonymous"}
	}
	id := c.str("coupon_id")
	i := slices.IndexFunc(c.catalog.Coupons, func(cp harness.Coupon) bool { return id == "" || cp.CouponID == id })
	if i < 0 {
		return nil, &toolError{code: codeNotFound, message: "there is no such coupon", more: fields{"coupon_id": id}}
	}
	cp := c.catalog.Coupons[i]
	f := fields{"coupon_id": cp.CouponID}
	f.text("coupon_name", cp.Name, either(cp.NameEN, cp.Name))
	f.text("text", cp.Text, either(cp.TextEN, cp.Text))
	c.room.coupons[c.key] = f
	return f, nil
}

func getMembership(c *call) (fields, *toolError) {
	m := c.catalog.Membership
	if m == nil {
		return nil, &toolError{code: codeNotFound, message: "there is no membership programme"}
	}
	f := fields{}
	f.text("text", m.Text, either(m.TextEN, m.Text))
	f.text("benefits", m.Benefits, either(m.BenefitsEN, m.Benefits))
	return f, nil
}

// mostUsed is the policy most products have: what holds where no product is named.
func mostUsed[T any](policies []T, uses func(T) int) T {
	var best T
	most := -1
	for _, p := range policies {
		if n := uses(p); n > most {
			best, most = p, n
		}
	}
	return best
}

func count[T any](list []T, ok func(T) bool) int {
	n := 0
	for _, v := range list {
		if ok(v) {
			n++
		}
	}
	return n
}
