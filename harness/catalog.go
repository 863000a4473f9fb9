package harness

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"livehost/streams/event"
)

// Catalog is the products of a merchant's rooms, with everything said about them.
type Catalog struct {
	CatalogID  string           `json:"catalog_id"`
	MerchantID event.MerchantID `json:"merchant_id"`
	Currency   string           `json:"currency"` // "CNY": prices are fen
	Products   []Product        `json:"products"`
	Promotions []Promotion      `json:"promotions"`
	Shipping   []Shipping       `json:"shipping"`
	AfterSales []AfterSales     `json:"after_sales"`
	Coupons    []Coupon         `json:"coupons"`
	Membership *Membership      `json:"membership"`

	raw    []byte
	byLink map[event.LinkID]*Product
	byID   map[event.ProductID]*Product
}

// Product is one product on the shelf. Money is integer fen.
type Product struct {
	ProductID      event.ProductID `json:"product_id"`
	LinkID         event.LinkID    `json:"link_id"` // 链接号 at which the room lists it
	Name           string          `json:"name"`
	NameEN         string          `json:"name_en"`
	Aliases        []string        `json:"aliases"`
	Category       string          `json:"category"`
	CategoryEN     string          `json:"category_en"`
	Brand          string          `json:"brand"`
	BrandEN        string          `json:"brand_en"`
	PriceFen       int64           `json:"price_fen"`      // 0: the lowest SKU price
	ListPriceFen   int64           `json:"list_price_fen"` // 0: none
	SellingPoint   string          `json:"selling_point"`
	SellingPointEN string          `json:"selling_point_en"`
	SKUs           []SKU           `json:"skus"`
	Promotions     []string        `json:"promotions"`
	Attributes     Attributes      `json:"attributes"`
	AttributesEN   Attributes      `json:"attributes_en"` // the same ones in the same order, or none
	SizeChart      []Size          `json:"size_chart"`
	Shipping       string          `json:"shipping"`    // policy_id
	AfterSales     string          `json:"after_sales"` // policy_id
}

// SKU is one buyable kind of a product.
type SKU struct {
	SKUID    string `json:"sku_id"`
	Name     string `json:"name"`
	NameEN   string `json:"name_en"`
	PriceFen int64  `json:"price_fen"`
	Stock    int64  `json:"stock"` // units
}

// Size is one line of a size chart; a range is [from, to], empty when it does not matter.
type Size struct {
	Size     string `json:"size"`
	HeightCM []int  `json:"height_cm"`
	WeightKG []int  `json:"weight_kg"`
	FootMM   []int  `json:"foot_mm"`
}

// Promotion is one offer a product may take part in.
type Promotion struct {
	PromotionID  string `json:"promotion_id"`
	Kind         string `json:"kind"` // threshold, percent, nth_item, gift, coupon
	Text         string `json:"text"`
	TextEN       string `json:"text_en"`
	ThresholdFen int64  `json:"threshold_fen"`
	OffFen       int64  `json:"off_fen"`
	Percent      int64  `json:"percent"` // percent to pay: 90 is 九折
	Nth          int64  `json:"nth"`
}

// Shipping is one delivery policy.
type Shipping struct {
	PolicyID    string   `json:"policy_id"`
	Text        string   `json:"text"`
	TextEN      string   `json:"text_en"`
	ShipsWithin int64    `json:"ships_within_h"` // hours
	FeeFen      int64    `json:"fee_fen"`
	FreeOverFen int64    `json:"free_over_fen"`
	Carriers    []string `json:"carriers"`
	CarriersEN  []string `json:"carriers_en"`
	Excluded    []string `json:"excluded"` // regions not delivered to
	ExcludedEN  []string `json:"excluded_en"`
}

// AfterSales is one returns and warranty policy.
type AfterSales struct {
	PolicyID   string `json:"policy_id"`
	Text       string `json:"text"`
	TextEN     string `json:"text_en"`
	ReturnDays int64  `json:"return_days"`
	Warranty   string `json:"warranty"`
	WarrantyEN string `json:"warranty_en"`
}

// Coupon is one coupon a viewer may be given.
type Coupon struct {
	CouponID string `json:"coupon_id"`
	Name     string `json:"name"`
	NameEN   string `json:"name_en"`
	Text     string `json:"text"`
	TextEN   string `json:"text_en"`
}

// Membership is the merchant's membership programme.
type Membership struct {
	Text       string `json:"text"`
	TextEN     string `json:"text_en"`
	Benefits   string `json:"benefits"`
	BenefitsEN string `json:"benefits_en"`
}

// ByLink is the product listed at the link.
func (c *Catalog) ByLink(id event.LinkID) (*Product, bool) { p, ok := c.byLink[id]; return p, ok }

// ByID is the product with the merchant's id.
func (c *Catalog) ByID(id event.ProductID) (*Product, bool) { p, ok := c.byID[id]; return p, ok }

// Price is the product's price in fen: its own, else its lowest SKU's.
func (p *Product) Price() int64 {
	if p.PriceFen > 0 || len(p.SKUs) == 0 {
		return p.PriceFen
	}
	return slices.MinFunc(p.SKUs, func(a, b SKU) int { return cmp.Compare(a.PriceFen, b.PriceFen) }).PriceFen
}

// Stock is the sum of its SKUs' units.
func (p *Product) Stock() int64 {
	var n int64
	for _, s := range p.SKUs {
		n += s.Stock
	}
	return n
}

// LoadCatalog reads one catalogue file from disk.
func LoadCatalog(file string) (*Catalog, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, Problem{file, 0, "there is no such catalogue file; give the path of a catalogue in the schema of docs/harness.md"}
	}
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	return ParseCatalog(file, data)
}

// ParseCatalog reads and checks a catalogue; file is only for messages.
func ParseCatalog(file string, data []byte) (*Catalog, error) {
	c := &Catalog{raw: data}
	data = trimBOM(data)
	if line := notUTF8(data); line > 0 {
		return nil, Problem{file, line, "is not UTF-8 text; save it as UTF-8"}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		return nil, jsonProblem(file, data, dec, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, Problem{file, lineAt(data, dec.InputOffset()), "text after the end of the catalogue; a catalogue is one JSON object"}
	}
	ck := catalogChecker{c: c, file: file}
	var twice []string
	ck.lines, twice = jsonLines(data)
	for _, path := range twice {
		ck.bad(path, "is there twice; keep one")
	}
	ck.check()
	if err := ck.ps.err(); err != nil {
		return nil, err
	}
	c.byLink, c.byID = map[event.LinkID]*Product{}, map[event.ProductID]*Product{}
	for i := range c.Products {
		p := &c.Products[i]
		c.byLink[p.LinkID], c.byID[p.ProductID] = p, p
	}
	return c, nil
}

type catalogChecker struct {
	c     *Catalog
	file  string
	lines map[string]int
	ps    problems
}

var linkID = regexp.MustCompile(`^[0-9]{1,4}$`)

func (k *catalogChecker) bad(path, format string, args ...any) {
	k.ps.add(k.file, k.lines[path], "%s: %s", path, fmt.Sprintf(format, args...))
}

func (k *catalogChecker) check() {
	c := k.c
	if c.CatalogID == "" {
		k.bad("catalog_id", "is missing")
	}
	if c.MerchantID == "" {
		k.bad("merchant_id", "is missing")
	}
	if c.Currency != "CNY" {
		k.bad("currency", "is %q; only CNY (prices in fen) is known", c.Currency)
	}
	if len(c.Products) == 0 {
		k.bad("products", "is empty; a catalogue has at least one product")
	}
	promotions := k.ids("promotions", "promotion_id", len(c.Promotions), func(i int) string { return c.Promotions[i].PromotionID })
	shipping := k.ids("shipping", "policy_id", len(c.Shipping), func(i int) string { return c.Shipping[i].PolicyID })
	afterSales := k.ids("after_sales", "policy_id", len(c.AfterSales), func(i int) string { return c.AfterSales[i].PolicyID })
	k.ids("coupons", "coupon_id", len(c.Coupons), func(i int) string { return c.Coupons[i].CouponID })
	k.ids("products", "product_id", len(c.Products), func(i int) string { return string(c.Products[i].ProductID) })
	k.ids("products", "link_id", len(c.Products), func(i int) string { return string(c.Products[i].LinkID) })
	for i := range c.Promotions {
		k.promotion(fmt.Sprintf("promotions[%d]", i), c.Promotions[i])
	}
	for i := range c.Products {
		p, at := &c.Products[i], fmt.Sprintf("products[%d]", i)
		k.product(at, p)
		for j, id := range p.Promotions {
			if !promotions[id] {
				k.bad(fmt.Sprintf("%s.promotions[%d]", at, j), "there is no promotion %q", id)
			}
		}
		if p.Shipping != "" && !shipping[p.Shipping] {
			k.bad(at+".shipping", "there is no shipping policy %q", p.Shipping)
		}
		if p.AfterSales != "" && !afterSales[p.AfterSales] {
			k.bad(at+".after_sales", "there is no after-sales policy %q", p.AfterSales)
		}
	}
}

// ids checks that the field is there and unique in every element of the list.
func (k *catalogChecker) ids(list, field string, n int, id func(int) string) map[string]bool {
	seen := map[string]bool{}
	for i := range n {
		path, v := fmt.Sprintf("%s[%d].%s", list, i, field), id(i)
		switch {
		case v == "":
			k.ps.add(k.file, k.lines[fmt.Sprintf("%s[%d]", list, i)], "%s: is missing", path)
		case seen[v]:
			k.bad(path, "%q is there twice", v)
		}
		seen[v] = true
	}
	return seen
}

func (k *catalogChecker) promotion(at string, p Promotion) {
	if p.Text == "" {
		k.ps.add(k.file, k.lines[at], "%s.text: is missing", at)
	}
	if !slices.Contains([]string{"threshold", "percent", "nth_item", "gift", "coupon"}, p.Kind) {
		k.bad(at+".kind", "is %q, want threshold, percent, nth_item, gift or coupon", p.Kind)
	}
	if p.Percent < 0 || p.Percent > 100 || p.OffFen < 0 || p.ThresholdFen < 0 {
		k.ps.add(k.file, k.lines[at], "%s: percent must be 0 to 100 (the share to pay), amounts not negative", at)
	}
}

func (k *catalogChecker) product(at string, p *Product) {
	if p.Name == "" {
		k.ps.add(k.file, k.lines[at], "%s.name: is missing", at)
	}
	if p.LinkID != "" && !linkID.MatchString(string(p.LinkID)) {
		k.bad(at+".link_id", "%q is not a number of 1 to 4 digits", p.LinkID)
	}
	if p.PriceFen < 0 || p.ListPriceFen < 0 {
		k.bad(at+".price_fen", "is negative")
	}
	if p.Price() <= 0 {
		k.ps.add(k.file, k.lines[at], "%s: has no price; give price_fen or SKUs with one", at)
	}
	if n := len(p.AttributesEN); n != 0 && n != len(p.Attributes) {
		k.bad(at+".attributes_en", "has %d entries, attributes has %d; they go in pairs, in order", n, len(p.Attributes))
	}
	for i, s := range p.SKUs {
		sku := fmt.Sprintf("%s.skus[%d]", at, i)
		if s.SKUID == "" || s.Name == "" {
			k.ps.add(k.file, k.lines[sku], "%s: sku_id or name is missing", sku)
		}
		if s.PriceFen < 0 || s.Stock < 0 {
			k.ps.add(k.file, k.lines[sku], "%s: price_fen or stock is negative", sku)
		}
	}
	for i, s := range p.SizeChart {
		size := fmt.Sprintf("%s.size_chart[%d]", at, i)
		for _, r := range [][]int{s.HeightCM, s.WeightKG, s.FootMM} {
			if len(r) != 0 && (len(r) != 2 || r[0] > r[1]) {
				k.ps.add(k.file, k.lines[size], "%s: %v is not a range [from, to]", size, r)
			}
		}
		if s.Size == "" || len(s.HeightCM)+len(s.WeightKG)+len(s.FootMM) == 0 {
			k.ps.add(k.file, k.lines[size], "%s: needs size and at least one range", size)
		}
	}
}
