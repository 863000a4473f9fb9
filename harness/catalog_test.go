package harness_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/harness"
	"livehost/harness/harnesstest"
)

// tiny is a catalogue of one product, with more fields of the product and of the
// catalogue.
func tiny(product, catalogue string) string {
	return "{\n" +
		`"catalog_id": "c", "merchant_id": "m", "currency": "CNY",` + "\n" +
		`"products": [{` + "\n" +
		`  "product_id": "p", "link_id": "1", "name": "n", "price_fen": 100` + product + "\n" +
		`}]` + catalogue + "\n}"
}

func TestLoadCatalog(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, content, wantErr string }{
		{"good", tiny("", ""), ""},
		{"BOM", "\ufeff" + tiny("", ""), ""},
		{"cut", tiny("", "")[:60], "c.json:3: JSON: the file ends"},
		{"bad JSON", strings.Replace(tiny("", ""), `"name": "n"`, `"name": n`, 1), "c.json:4: JSON: invalid character"},
		{"unknown field", tiny(`, "preis": 1`, ""), "c.json:4: products[0].preis: there is no such field"},
		{"wrong type", strings.Replace(tiny("", ""), "100", `"1"`, 1), "c.json:4: products.price_fen: is a JSON string, want int64"},
		{"another object after it", tiny("", "") + "{}", "c.json:6: text after the end"},
		{"a bracket after it", tiny("", "") + "\n]", "c.json:7: text after the end"},
		{"field twice", tiny(",\n"+`"price_fen": 1`, ""), "c.json:5: products[0].price_fen: is there twice"},
		{"attribute of another type", tiny(`, "attributes": {"材质": 5}`, ""), `attribute "材质" is no text; write it in quotes`},
		{"GBK", strings.Replace(tiny("", ""), `"n"`, "\"\xb6\xe0\"", 1), "c.json:4: is not UTF-8"},
		{"not an object", "[]", "c.json:1:"},
		{"no products", `{"catalog_id": "c", "merchant_id": "m", "currency": "CNY"}`, "products: is empty"},
		{"another currency", strings.Replace(tiny("", ""), "CNY", "USD", 1), `c.json:2: currency: is "USD"`},
		{"no price", strings.Replace(tiny("", ""), "100", "0", 1), "c.json:3: products[0]: has no price"},
		{"link is no number", strings.Replace(tiny("", ""), `"1"`, `"A1"`, 1), `c.json:4: products[0].link_id: "A1" is not a number`},
		{"negative stock", tiny(`,`+"\n"+`"skus": [{"sku_id": "s", "name": "x", "stock": -1}]`, ""), "c.json:5: products[0].skus[0]: price_fen or stock is negative"},
		{"unknown promotion", tiny(`,`+"\n"+`"promotions": ["pr"]`, ""), `c.json:5: products[0].promotions[0]: there is no promotion "pr"`},
		{"unknown policy", tiny(`, "shipping": "s", "after_sales": "a"`, ""), `products[0].after_sales: there is no after-sales policy "a"`},
		{"promotion of no kind", tiny("", `, "promotions": [{"promotion_id": "x", "text": "t", "kind": "magic"}]`), `promotions[0].kind: is "magic"`},
		{"range the wrong way", tiny(`, "size_chart": [{"size": "M", "height_cm": [170, 160]}]`, ""), "size_chart[0]: [170 160] is not a range"},
		{"unpaired attributes", tiny(`, "attributes": {"a": "1", "b": "2"}, "attributes_en": {"a": "1"}`, ""), "attributes_en: has 1 entries, attributes has 2"},
		{"attribute twice", tiny(`, "attributes": {"a": "1", "a": "2"}`, ""), `attribute "a" is there twice`},
		{"link twice", strings.Replace(tiny("", ""), "}]", `}, {"product_id": "q", "link_id": "1", "name": "n", "price_fen": 1}]`, 1), `products[1].link_id: "1" is there twice`},
	} {
		file := filepath.Join(t.TempDir(), "c.json")
		if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := harness.LoadCatalog(file)
		if tt.wantErr == "" && err != nil || tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.wantErr)
		}
	}
	if _, err := harness.LoadCatalog("no/such/file.json"); err == nil || !strings.Contains(err.Error(), "there is no such catalogue file") {
		t.Errorf("missing file: %v", err)
	}
}

func TestAttributesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	const text = `{"z":"1","a":"<2>","m":""}`
	var a harness.Attributes
	if err := a.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(harness.Attributes{{Key: "z", Value: "1"}, {Key: "a", Value: "<2>"}, {Key: "m"}}, a); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if b, err := a.MarshalJSON(); err != nil || strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(b)) != text {
		t.Errorf("written as %s, %v", b, err)
	}
}

func FuzzParseCatalog(f *testing.F) {
	f.Add(tiny("", ""))
	f.Add(tiny(`, "attributes": {"a": 1}`, `, "promotions": [null]`))
	f.Fuzz(func(t *testing.T, s string) {
		c, err := harness.ParseCatalog("f", []byte(s))
		if err == nil && (len(c.Products) == 0 || c.Products[0].Price() <= 0) {
			t.Errorf("accepted: %q", s)
		}
	})
}

// FuzzLoad puts any bytes into any file of a harness: it loads or says why not.
func FuzzLoad(f *testing.F) {
	files := []string{}
	for name := range harnesstest.FS(f) {
		files = append(files, name)
	}
	slices.Sort(files)
	for i, name := range files {
		f.Add(uint8(i), string(harnesstest.FS(f)[name].Data))
		f.Add(uint8(i), "- {}\n")
	}
	f.Fuzz(func(t *testing.T, i uint8, content string) {
		fsys := harnesstest.FS(t)
		name := files[int(i)%len(files)]
		fsys[name].Data = []byte(content)
		h, err := harness.Load(fsys)
		if err == nil {
			for _, b := range h.Hashes() {
				if b.Hash == "" {
					t.Errorf("release %s has no hash", b.Release)
				}
			}
		} else if !strings.Contains(err.Error(), ":") {
			t.Errorf("%s: error without a place: %v", name, err)
		}
	})
}
