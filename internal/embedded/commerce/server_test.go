package commerce_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/goleak"

	"livehost/harness/harnesstest"
	"livehost/internal/clock"
	"livehost/internal/embedded/commerce"
	"livehost/streams/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is a running server and a client of it.
type shop struct {
	*commerce.Server
	client *client.Client
}

func start(t *testing.T, edit func(*commerce.Config, *commerce.Deps)) *shop {
	t.Helper()
	cfg := commerce.DefaultConfig()
	deps := commerce.Deps{Log: slog.New(slog.DiscardHandler), Clock: clock.Real(), Catalog: harnesstest.Catalog(t)}
	if edit != nil {
		edit(&cfg, &deps)
	}
	s, err := commerce.New(cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	httpClient := &http.Client{Transport: &http.Transport{}}
	cl, err := client.NewStreamableHttpClient(s.URL(), transport.WithHTTPBasicClient(httpClient))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cl.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cl.Close()
		httpClient.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &shop{s, cl}
}

// call returns the result's fields; "error" is set when it failed.
func (s *shop) call(t *testing.T, viewer, name, args string, meta ...string) map[string]any {
	t.Helper()
	fields := map[string]any{"livehost/room_id": "r-1", "livehost/merchant_id": "m-test", "livehost/viewer_id": viewer}
	for i := 0; i+1 < len(meta); i += 2 {
		fields[meta[i]] = meta[i+1]
	}
	req := mcp.CallToolRequest{}
	req.Params.Name = name
	req.Params.Arguments = json.RawMessage(args)
	req.Params.Meta = mcp.NewMetaFromMap(fields)
	res, err := s.client.CallTool(t.Context(), req)
	if err != nil {
		t.Fatalf("%s %s: %v", name, args, err)
	}
	out := map[string]any{}
	if err := json.Unmarshal([]byte(res.Content[0].(mcp.TextContent).Text), &out); err != nil {
		t.Fatal(err)
	}
	if _, failed := out["error"]; failed != res.IsError {
		t.Errorf("%s %s: error field and isError differ: %v", name, args, out)
	}
	return out
}

func TestTools(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, tt := range []struct {
		tool, args string
		want       map[string]any
	}{
		{"get_product", `{"link_id":"1"}`, map[string]any{
			"link_id": "1", "name": "控油清爽面霜", "name_en": "Oil-Control Cream", "price": "89元", "price_en": "¥89", "price_fen": 8900.0,
			"list_price": "129元", "saving": "40元", "stock": 320.0, "in_stock": true, "stock_text": "有货，还有320件", "promotion": "满300减50",
			"sku_names": "50g、100g", "shipping": "48小时内发货，全国大部分地区包邮", "category_en": "skincare",
		}},
		{"get_product", `{"link_id":"5"}`, map[string]any{"in_stock": false, "stock_text": "已售罄", "stock_text_en": "sold out"}},
		{"get_product", `{"link_id":"6"}`, map[string]any{"list_price": "", "saving": "", "promotion": "", "promotion_en": ""}},
		{"get_product", `{"link_id":"99"}`, map[string]any{"error": "NOT_FOUND", "link_id": "99"}},
		{"get_product", `{}`, map[string]any{"error": "BAD_ARGS", "field": "link_id"}},
		{"search_product", `{"query":"有没有控油面霜"}`, map[string]any{"link_id": "1", "other_links": ""}},
		{"search_product", `{"query":"人参面霜"}`, map[string]any{"error": "NOT_FOUND", "query": "人参面霜"}},
		{"get_stock", `{"link_id":"3"}`, map[string]any{"stock": 40.0, "sku": "", "price_fen": 7900.0}},
		{"get_stock", `{"link_id":"3","sku":"S码"}`, map[string]any{"stock": 10.0, "sku": "白色S码", "stock_text": "只剩10件"}},
		{"get_stock", `{"link_id":"3","sku":"白色"}`, map[string]any{"stock": 40.0, "sku": "白色S码、白色M码"}},
		{"get_stock", `{"link_id":"3","sku":"xs"}`, map[string]any{"stock": 0.0, "in_stock": false, "price": "89元"}},
		{"get_stock", `{"link_id":"3","sku":"黑色M码"}`, map[string]any{"error": "NOT_FOUND", "sku_names": "白色S码、白色M码、黑色XS码"}},
		{"get_promotions", `{"link_id":"3"}`, map[string]any{"promotion": "满300减50，限时95折", "final_price": "75.05元", "final_price_fen": 7505.0}},
		{"get_promotions", `{"link_id":"2"}`, map[string]any{"promotion": "第二件半价", "final_price": "59元"}},
		{"get_promotions", `{}`, map[string]any{"link_id": "", "name": "", "promotion": "满300减50，第二件半价，限时95折，满199减30"}},
		{"get_attribute", `{"link_id":"1","question":"什么成分"}`, map[string]any{"attribute": "成分", "value": "烟酰胺", "value_en": "niacinamide"}},
		{"get_attribute", `{"link_id":"1","question":"保质期多久"}`, map[string]any{"error": "NOT_FOUND", "name": "控油清爽面霜"}},
		{"get_shipping", `{"link_id":"6"}`, map[string]any{"ships_within": "72小时内", "fee": "运费8元，满99元包邮", "excluded": "新疆"}},
		{"get_shipping", `{"link_id":"6","region":"新疆乌鲁木齐"}`, map[string]any{"region_excluded": true, "text": "新疆乌鲁木齐暂时不发货"}},
		{"get_shipping", `{"region":"台湾"}`, map[string]any{"region_excluded": true}},
		{"get_shipping", `{"region":"上海"}`, map[string]any{"region_excluded": false, "fee": "包邮", "carriers": "中通"}},
		{"get_after_sales", `{"link_id":"5"}`, map[string]any{"return_days": "7天", "warranty": "质保一年"}},
		{"get_after_sales", `{}`, map[string]any{"text": "七天无理由退换"}},
		{"get_size_advice", `{"link_id":"3","height_cm":163,"weight_kg":49}`, map[string]any{"size": "M", "text": "建议选M码"}},
		{"get_size_advice", `{"link_id":"3","height_cm":160}`, map[string]any{"error": "BAD_ARGS", "needs": "体重", "needs_en": "weight"}},
		{"get_size_advice", `{"link_id":"3","height_cm":200,"weight_kg":60}`, map[string]any{"error": "NOT_FOUND"}},
		{"get_size_advice", `{"link_id":"4","foot_mm":238}`, map[string]any{"size": "38", "text_en": "size 38 should fit"}},
		{"get_size_advice", `{"link_id":"1"}`, map[string]any{"error": "NOT_FOUND"}},
		{"compare_products", `{"link_ids":["1","2"]}`, map[string]any{"price_difference": "30元", "difference_text": "2号比1号便宜30元"}},
		{"compare_products", `{"link_ids":["1"]}`, map[string]any{"error": "BAD_ARGS", "field": "link_ids"}},
		{"get_order_status", `{}`, map[string]any{"error": "NOT_FOUND"}},
		{"get_membership", `{}`, map[string]any{"text": "点头像入会", "benefits_en": "a birthday gift"}},
	} {
		got := s.call(t, "u-1", tt.tool, tt.args)
		for k, want := range tt.want {
			if d := cmp.Diff(want, got[k]); d != "" {
				t.Errorf("%s %s: %s (-want +got):\n%s", tt.tool, tt.args, k, d)
			}
		}
	}
}

func TestRoomEvents(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	fen, stock, none := int64(6900), int64(7), int64(0)
	s.Apply(event.RoomEvent{RoomID: "r-1", Kind: event.ProductChanged, LinkID: "1", PriceFen: &fen, Stock: &stock})
	got := s.call(t, "u", "get_product", `{"link_id":"1"}`)
	if got["price"] != "69元" || got["stock"] != 7.0 || got["saving"] != "60元" {
		t.Errorf("after the change: price %v, stock %v, saving %v", got["price"], got["stock"], got["saving"])
	}
	if got := s.call(t, "u", "get_product", `{"link_id":"1"}`, "livehost/room_id", "r-2"); got["price"] != "89元" {
		t.Errorf("another room's price changed to %v", got["price"])
	}
	if a, b := s.call(t, "u", "get_stock", `{"link_id":"1","sku":"50g"}`), s.call(t, "u", "get_stock", `{"link_id":"1","sku":"100g"}`); a["stock"].(float64)+b["stock"].(float64) != 7 {
		t.Errorf("SKU stocks %v and %v do not add up to 7", a["stock"], b["stock"])
	}
	paid := event.Order{RoomID: "r-1", OrderID: "o-1", Seq: 2, Status: event.OrderPaid, ViewerID: "u-9", ProductID: "p-1", Quantity: 2, TimeMs: 5}
	s.ApplyOrder(paid)
	s.ApplyOrder(paid) // the log repeats
	if got := s.call(t, "u", "get_product", `{"link_id":"1"}`); got["stock"] != 5.0 {
		t.Errorf("stock after a paid order of 2 is %v, want 5", got["stock"])
	}
	if got := s.call(t, "u-9", "get_order_status", `{}`); got["status"] != "paid" || got["order_id"] != "o-1" {
		t.Errorf("order status: %v", got)
	}
	if got := s.call(t, "u-8", "get_order_status", `{}`); got["error"] != "NOT_FOUND" {
		t.Errorf("another viewer sees the order: %v", got)
	}
	s.Apply(event.RoomEvent{RoomID: "r-1", Kind: event.ProductChanged, LinkID: "1", Stock: &none})
	if got := s.call(t, "u", "get_product", `{"link_id":"1"}`); got["in_stock"] != false {
		t.Errorf("sold out, but in_stock is %v", got["in_stock"])
	}
	s.Apply(event.RoomEvent{RoomID: "r-1", Kind: event.ProductDelisted, LinkID: "1"})
	for tool, args := range map[string]string{"get_product": `{"link_id":"1"}`, "search_product": `{"query":"面霜"}`} {
		if got := s.call(t, "u", tool, args); got["error"] != "NOT_FOUND" {
			t.Errorf("%s after delisting: %v", tool, got)
		}
	}
	s.Apply(event.RoomEvent{RoomID: "r-1", Kind: event.ProductListed, LinkID: "20", ProductID: "p-1"})
	if got := s.call(t, "u", "search_product", `{"query":"面霜"}`); got["link_id"] != "20" {
		t.Errorf("listed at 20, found at %v", got["link_id"])
	}
}

func TestCouponOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	first := s.call(t, "u-1", "issue_coupon", `{}`, "livehost/idempotency_key", "k-1")
	if first["coupon_name"] != "新人券" {
		t.Fatalf("coupon: %v", first)
	}
	if again := s.call(t, "u-1", "issue_coupon", `{}`, "livehost/idempotency_key", "k-1"); cmp.Diff(first, again) != "" {
		t.Errorf("the same key gave %v, then %v", first, again)
	}
	for _, tt := range []struct{ viewer, args, key, want string }{
		{"u-1", `{}`, "", "PERMISSION"},
		{"0", `{}`, "k-2", "PERMISSION"},
		{"u-1", `{"coupon_id":"c-404"}`, "k-3", "NOT_FOUND"},
	} {
		if got := s.call(t, tt.viewer, "issue_coupon", tt.args, "livehost/idempotency_key", tt.key); got["error"] != tt.want {
			t.Errorf("viewer %s key %q: %v, want %s", tt.viewer, tt.key, got, tt.want)
		}
	}
}

func TestOutageAndLatency(t *testing.T) {
	t.Parallel()
	began := time.UnixMilli(1_700_000_000_000)
	clk, err := clock.New(began, 100)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(cfg *commerce.Config, d *commerce.Deps) {
		cfg.Outages = []commerce.Outage{{From: began, To: began.Add(time.Hour)}}
		d.Clock, d.Latency = clk, func() time.Duration { return 2 * time.Second }
	})
	before := clk.Now()
	if got := s.call(t, "u", "get_product", `{"link_id":"1"}`); got["error"] != "UPSTREAM" {
		t.Errorf("during the outage: %v", got)
	}
	if took := clk.Since(before); took < 2*time.Second {
		t.Errorf("a call took %v of room time, want at least 2s", took)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	now := time.Now()
	bad := commerce.Config{Addr: "nowhere", Outages: []commerce.Outage{{From: now, To: now}}}
	if err := bad.Validate(); err == nil {
		t.Error("a bad configuration is accepted")
	}
	if _, err := commerce.New(bad, commerce.Deps{}); err == nil {
		t.Error("New takes a bad configuration")
	}
}
