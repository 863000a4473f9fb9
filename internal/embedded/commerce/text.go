package commerce

import (
	"fmt"
	"strconv"
	"strings"

	"livehost/harness"
	"livehost/streams/event"
)

// fields are the fields of a result.
type fields map[string]any

// text sets a text field in both languages; missing values are "".
func (f fields) text(key, zh, en string) {
	f[key], f[key+"_en"] = zh, en
}

// either is en, or zh when there is no English.
func either(en, zh string) string {
	if en != "" {
		return en
	}
	return zh
}

// yuan is an amount without its unit: 8900 fen is 89, 8950 is 89.5.
func yuan(fen int64) string {
	return strconv.FormatFloat(float64(fen)/100, 'f', -1, 64)
}

func (f fields) money(key string, fen int64) {
	if fen <= 0 {
		f.text(key, "", "")
		return
	}
	f.text(key, yuan(fen)+"元", "¥"+yuan(fen))
}

// fewLeft is the stock at or below which a viewer is told that little is left.
const fewLeft = 20

func stockText(n int64) (zh, en string) {
	switch {
	case n <= 0:
		return "已售罄", "sold out"
	case n <= fewLeft:
		return fmt.Sprintf("只剩%d件", n), fmt.Sprintf("only %d left", n)
	default:
		return fmt.Sprintf("有货，还有%d件", n), fmt.Sprintf("in stock, %d left", n)
	}
}

// product is the view of a product that get_product and search_product give.
func (c *call) product(link event.LinkID, p *harness.Product) fields {
	f := c.head(link, p)
	f["product_id"] = string(p.ProductID)
	price, stock := c.room.priceOf(p), c.room.stockOf(p)
	f.price(price)
	f.money("list_price", p.ListPriceFen)
	f.money("saving", max(0, p.ListPriceFen-price))
	if p.ListPriceFen <= price {
		f.text("list_price", "", "")
	}
	f.stock(stock)
	var promoZH, promoEN []string
	for _, pr := range c.promotionsOf(p) {
		promoZH, promoEN = append(promoZH, pr.Text), append(promoEN, either(pr.TextEN, pr.Text))
	}
	f.text("promotion", strings.Join(promoZH, "，"), strings.Join(promoEN, ", "))
	f.text("selling_point", p.SellingPoint, either(p.SellingPointEN, p.SellingPoint))
	f.text("sku_names", skuNames(p, false), skuNames(p, true))
	ship, after := c.shippingOf(p), c.afterSalesOf(p)
	f.text("shipping", ship.Text, either(ship.TextEN, ship.Text))
	f.text("after_sales", after.Text, either(after.TextEN, after.Text))
	f.text("category", p.Category, either(p.CategoryEN, p.Category))
	f.text("brand", p.Brand, either(p.BrandEN, p.Brand))
	f["attributes"], f["attributes_en"] = p.Attributes, p.AttributesEN
	return f
}

// head are the fields that name the product.
func (c *call) head(link event.LinkID, p *harness.Product) fields {
	f := fields{"link_id": string(link)}
	f.text("name", p.Name, either(p.NameEN, p.Name))
	return f
}

func (f fields) price(fen int64) {
	f.money("price", fen)
	f["price_fen"] = fen
}

func (f fields) stock(n int64) {
	f["stock"], f["in_stock"] = n, n > 0
	zh, en := stockText(n)
	f.text("stock_text", zh, en)
}

func skuNames(p *harness.Product, en bool) string {
	names := make([]string, len(p.SKUs))
	for i, s := range p.SKUs {
		names[i] = s.Name
		if en {
			names[i] = either(s.NameEN, s.Name)
		}
	}
	if en {
		return strings.Join(names, ", ")
	}
	return strings.Join(names, "、")
}

func (c *call) promotionsOf(p *harness.Product) []harness.Promotion {
	var out []harness.Promotion
	for _, id := range p.Promotions {
		for _, pr := range c.catalog.Promotions {
			if pr.PromotionID == id {
				out = append(out, pr)
			}
		}
	}
	return out
}

func (c *call) shippingOf(p *harness.Product) harness.Shipping {
	for _, s := range c.catalog.Shipping {
		if s.PolicyID == p.Shipping {
			return s
		}
	}
	return harness.Shipping{}
}

func (c *call) afterSalesOf(p *harness.Product) harness.AfterSales {
	for _, s := range c.catalog.AfterSales {
		if s.PolicyID == p.AfterSales {
			return s
		}
	}
	return harness.AfterSales{}
}
