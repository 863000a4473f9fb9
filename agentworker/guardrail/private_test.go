package guardrail_test

import (
	"encoding/json"
	"testing"

	"livehost/agentworker/guardrail"
	"livehost/streams/event"
)

func TestClose(t *testing.T) {
	t.Parallel()
	secret := guardrail.Close("您的订单已经退款，款项原路退回", "your order is refunded to the way you paid")
	public := guardrail.Close("退款以后款项原路退回", "the way you paid")
	for text, want := range map[string]string{
		"小雨的订单已经退款啦":                     "的订单已经退",
		"订单查过了，没有退款":                     "",
		"退款都是款项原路退回":                     "",
		"您的订单在这":                         "",
		"Her order is refunded":          "",
		"Xiaoyu, your order is refunded": "your order is refunded",
		"it goes back the way you paid":  "",
	} {
		if got := secret.Beyond(text, public); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestEvidenceFor: a private result supports what its viewer is told, and nothing else.
func TestEvidenceFor(t *testing.T) {
	t.Parallel()
	e := evidence(t, "a", "", "")
	e.AddResult(guardrail.ToolResult{Tool: "order", Data: map[string]any{"amount_fen": json.Number("7600")}, Private: true, Viewer: "v1"})
	for _, tt := range []struct {
		viewer string
		text   string
		ok     bool
	}{{"v1", "退了76元", true}, {"v2", "退了76元", false}, {"", "退了76元", false}, {"", "今天89元", true}, {"v1", "今天89元", true}} {
		in := &guardrail.Input{Text: tt.text, Language: "zh", Evidence: e.For(event.ViewerID(tt.viewer))}
		if f, ok := guardrail.Grounding(in); ok != tt.ok {
			t.Errorf("%s to %q: ok %v (%s)", tt.text, tt.viewer, ok, f.Detail)
		}
	}
}

// TestRepeatedFailure: a call that failed is the same one for the same viewer,
// whichever danmaku it names.
func TestRepeatedFailure(t *testing.T) {
	t.Parallel()
	e := &guardrail.Evidence{}
	e.AddResult(guardrail.ToolResult{Tool: "order", Code: "TIMEOUT", Args: map[string]any{}, Viewer: "v1"})
	for viewer, want := range map[string]bool{"v1": false, "v2": true} {
		in := &guardrail.Input{Evidence: e, Tool: &guardrail.ToolUse{Name: "order", Args: json.RawMessage(`{"whose":"d1"}`), Asker: "whose", Viewer: event.ViewerID(viewer)}}
		if f, ok := guardrail.RepeatedFailure(in); ok != want {
			t.Errorf("%s: ok %v (%s)", viewer, ok, f.Detail)
		}
	}
}

// TestAddProduct: what the prompt says of one product supports nothing of another.
func TestAddProduct(t *testing.T) {
	t.Parallel()
	e := &guardrail.Evidence{}
	e.AddProduct("1", []string{"羊毛围巾", "Wool Scarf"}, "羊毛围巾\n材质：100%羊毛\n颜色：灰色")
	e.AddProduct("3", []string{"轻薄外套", "Light Jacket"}, "轻薄外套\n材质：聚酯纤维95%\n尺码：S、M、L，防水")
	e.AddFacts("客服每天9点到22点在")
	for text, ok := range map[string]bool{
		"围巾是100%羊毛": true, "外套是100%羊毛": false, "3号是100%羊毛": false, "外套防水": true, "围巾防水": false,
		"外套有S码": true, "围巾有S码": false, "围巾有灰色": true, "外套有灰色": false, "The jacket is 95% polyester": true,
		"The scarf is 95% polyester": false, "100%羊毛的": true, "围巾的事问客服，9点到22点在": true, "4号是100%羊毛": false,
	} {
		in := &guardrail.Input{Text: text, Language: "zh", Evidence: e}
		_, grounded := guardrail.Grounding(in)
		_, supported := guardrail.UnsupportedClaims(in)
		if got := grounded && supported; got != ok {
			t.Errorf("%s: %v, want %v", text, got, ok)
		}
	}
}

// TestFailedResult: what a call that failed says something costs is no evidence; what
// it says is missing is.
func TestFailedResult(t *testing.T) {
	t.Parallel()
	e := &guardrail.Evidence{}
	e.AddResult(guardrail.ToolResult{Tool: "item", Code: "UPSTREAM", Data: map[string]any{
		"error": "UPSTREAM", "link_id": "1", "name": "羊毛围巾", "price": "69元", "in_stock": true, "promotion": "两件八折", "sku_names": "灰色、驼色",
	}})
	for text, ok := range map[string]bool{"围巾69元": false, "围巾有货": false, "两件八折": false, "有灰色和驼色": true} {
		if f, got := guardrail.Grounding(&guardrail.Input{Text: text, Language: "zh", Evidence: e}); got != ok {
			t.Errorf("%s: %v (%s)", text, got, f.Detail)
		}
	}
}
