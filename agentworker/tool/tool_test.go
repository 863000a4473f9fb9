package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/harness/harnesstest"
	"livehost/internal/testkit"
	"livehost/streams/event"
)

// servers is a tool.Servers made of a function.
type servers func(ctx context.Context, server, tool string, args, meta map[string]any) (tool.Output, error)

func (f servers) Call(ctx context.Context, server, name string, args, meta map[string]any) (tool.Output, error) {
	return f(ctx, server, name, args, meta)
}

// sent is what a fake server was asked.
type sent struct {
	Server, Tool string
	Args, Meta   map[string]any
}

func toolset(t *testing.T, edit func(*tool.Config), s tool.Servers) *tool.Toolset {
	t.Helper()
	cfg := tool.DefaultConfig()
	if edit != nil {
		edit(&cfg)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	ts, err := tool.New(cfg, tool.Deps{Log: slog.New(slog.DiscardHandler), Servers: s, HTTP: transport})
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

func answers(text string, failed bool) servers {
	return func(context.Context, string, string, map[string]any, map[string]any) (tool.Output, error) {
		return tool.Output{Text: text, IsError: failed}, nil
	}
}

func newRun(t *testing.T, askers ...tool.Asker) *tool.Run {
	t.Helper()
	return &tool.Run{
		RoomID: "r-1", MerchantID: "m-1", Release: harnesstest.Load(t, harnesstest.Release, ""), Language: "zh", Askers: askers,
	}
}

var alice, bob = tool.Asker{DanmakuID: "d-1", ViewerID: "u-1"}, tool.Asker{DanmakuID: "d-2", ViewerID: "u-2"}

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool, args  string
		code        tool.Code
		field, want string // want: the arguments sent
	}{
		{"get_product", `{"link_id":"3"}`, "", "", `{"link_id":"3"}`},
		{"get_product", `{"link_id":3}`, "", "", `{"link_id":"3"}`},
		{"compare_products", `{"link_ids":["1","2"]}`, "", "", `{"link_ids":["1","2"]}`},
		{"get_order_status", "", "", "", `{}`},
		{"get_order_status", " null ", "", "", `{}`},
		{"get_order_status", `{"danmaku_id":null}`, "", "", `{}`},
		{"get_product", "", tool.BadArgs, "link_id", ""},
		{"get_product", `{"link_id":"abc"}`, tool.BadArgs, "link_id", ""},
		{"get_product", `{"link_id":""}`, tool.BadArgs, "link_id", ""},
		{"get_product", `{"link_id":["3"]}`, tool.BadArgs, "link_id", ""},
		{"get_product", `{"link_id":"3","viewer_id":"u-9"}`, tool.BadArgs, "viewer_id", ""},
		{"compare_products", `{"link_ids":["1"]}`, tool.BadArgs, "link_ids", ""},
		{"compare_products", `{"link_ids":["1","x"]}`, tool.BadArgs, "link_ids.1", ""},
		{"get_product", `3`, tool.BadArgs, "", ""},
		{"get_product", `["3"]`, tool.BadArgs, "", ""},
		{"get_product", `"3"`, tool.BadArgs, "", ""},
		{"get_product", `{"link_id":"3"`, tool.BadArgs, "", ""},
		{"get_product", `{"link_id":"3"}{"link_id":"4"}`, tool.BadArgs, "", ""},
		{"no_such_tool", `{}`, tool.NotFound, "", ""},
	} {
		var got string
		ts := toolset(t, nil, servers(func(_ context.Context, _, _ string, args, _ map[string]any) (tool.Output, error) {
			b, err := json.Marshal(args)
			got = string(b)
			return tool.Output{Text: `{"ok":true}`}, err
		}))
		res := ts.Call(t.Context(), newRun(t, alice), tt.tool, tt.args)
		field, _ := res.Data["field"].(string)
		if res.Code != tt.code || field != tt.field || got != tt.want {
			t.Errorf("%s %s: code %q field %q sent %s (%s), want %q %q %s", tt.tool, tt.args, res.Code, field, got, res.Text, tt.code, tt.field, tt.want)
		}
		if !json.Valid([]byte(res.Text)) {
			t.Errorf("%s %s: the model is shown %q", tt.tool, tt.args, res.Text)
		}
	}
}

func TestObservations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		s    servers
		code tool.Code
		text string
	}{
		{"good", answers(`{"price_fen":8900}`, false), "", `{"price_fen":8900}`},
		{"server's error", answers(`{"error":"NOT_FOUND","message":"m","query":"q"}`, true), tool.NotFound, `{"error":"NOT_FOUND","message":"m","query":"q"}`},
		{"unknown code", answers(`{"error":"boom"}`, true), tool.Upstream, `{"error":"UPSTREAM"}`},
		{"error in words", answers("kaputt", true), tool.Upstream, `{"detail":"kaputt","error":"UPSTREAM","message":"the tool failed"}`},
		{"not JSON", answers("89 yuan", false), tool.Malformed, `{"error":"MALFORMED","message":"the tool's answer is not a JSON object"}`},
		{"a list", answers(`[1]`, false), tool.Malformed, `{"error":"MALFORMED","message":"the tool's answer is not a JSON object"}`},
		{"cannot be reached", func(context.Context, string, string, map[string]any, map[string]any) (tool.Output, error) {
			return tool.Output{}, errors.New("connection refused")
		}, tool.Upstream, `{"error":"UPSTREAM","message":"the tool is not available"}`},
		{"not configured", func(context.Context, string, string, map[string]any, map[string]any) (tool.Output, error) {
			return tool.Output{}, tool.ErrUnknownServer
		}, tool.Upstream, `{"error":"UPSTREAM","message":"the tool is not available"}`},
		{"too slow", func(ctx context.Context, _, _ string, _, _ map[string]any) (tool.Output, error) {
			<-ctx.Done()
			return tool.Output{}, fmt.Errorf("call: %w", ctx.Err())
		}, tool.Timeout, `{"error":"TIMEOUT","message":"the tool did not answer in time"}`},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
		if tt.code == tool.Timeout {
			cancel() // its time is up
		}
		res := toolset(t, nil, tt.s).Call(ctx, newRun(t, alice), "get_product", `{"link_id":"1"}`)
		cancel()
		if res.Code != tt.code || res.Text != tt.text || res.IsError() != (tt.code != "") {
			t.Errorf("%s: %q %s, want %q %s", tt.name, res.Code, res.Text, tt.code, tt.text)
		}
	}
}

// TestIdentity: who is meant comes from the run; with several viewers a private
// tool must be told whose danmaku is meant.
func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tool, args string
		askers           []tool.Asker
		code             tool.Code
		viewer           string
	}{
		{"one asker", "get_order_status", `{}`, []tool.Asker{alice}, "", "u-1"},
		{"one viewer asks twice", "get_order_status", `{}`, []tool.Asker{alice, {DanmakuID: "d-3", ViewerID: "u-1"}}, "", "u-1"},
		{"several, none named", "get_order_status", `{}`, []tool.Asker{alice, bob}, tool.Permission, ""},
		{"several, one named", "get_order_status", `{"danmaku_id":"d-2"}`, []tool.Asker{alice, bob}, "", "u-2"},
		{"a danmaku of another run", "get_order_status", `{"danmaku_id":"d-9"}`, []tool.Asker{alice, bob}, tool.Permission, ""},
		{"anonymous viewers are several", "get_order_status", `{}`, []tool.Asker{{DanmakuID: "d-1", ViewerID: "0"}, {DanmakuID: "d-2", ViewerID: "0"}}, tool.Permission, ""},
		{"public tool, several", "get_product", `{"link_id":"1"}`, []tool.Asker{alice, bob}, "", ""},
	} {
		var got sent
		ts := toolset(t, nil, servers(func(_ context.Context, server, name string, args, meta map[string]any) (tool.Output, error) {
			got = sent{server, name, args, meta}
			return tool.Output{Text: `{"status":"paid"}`}, nil
		}))
		res := ts.Call(t.Context(), newRun(t, tt.askers...), tt.tool, tt.args)
		viewer, _ := got.Meta["livehost/viewer_id"].(string)
		if res.Code != tt.code || viewer != tt.viewer || string(res.Viewer) != tt.viewer {
			t.Errorf("%s: code %q viewer %q (%s)", tt.name, res.Code, viewer, res.Text)
		}
		if tt.code == "" && (got.Server != "commerce" || got.Meta["livehost/room_id"] != "r-1" || got.Meta["livehost/merchant_id"] != "m-1" || got.Args["danmaku_id"] != nil) {
			t.Errorf("%s: sent %+v", tt.name, got)
		}
	}
}

func TestWrites(t *testing.T) {
	t.Parallel()
	var keys []string
	calls := 0
	ts := toolset(t, nil, servers(func(_ context.Context, _, _ string, _, meta map[string]any) (tool.Output, error) {
		calls++
		key, _ := meta["livehost/idempotency_key"].(string)
		keys = append(keys, key)
		return tool.Output{}, errors.New("connection lost")
	}))
	run := newRun(t, alice, bob)
	for _, args := range []string{
		`{"danmaku_id":"d-1","coupon_id":"c"}`, `{"coupon_id":"c", "danmaku_id":"d-1"}`, `{"danmaku_id":"d-2","coupon_id":"c"}`, `{"danmaku_id":"d-1"}`,
	} {
		if res := ts.Call(t.Context(), run, "issue_coupon", args); res.Code != tool.Upstream || !res.Private {
			t.Errorf("%s: %q private %v", args, res.Code, res.Private)
		}
	}
	if calls != 4 {
		t.Errorf("4 failing writes were sent %d times", calls)
	}
	if keys[0] == "" || keys[0] != keys[1] || keys[0] == keys[2] || keys[0] == keys[3] {
		t.Errorf("keys %q: the first two must be equal, the others differ", keys)
	}
	run.NoWrites = true
	if res := ts.Call(t.Context(), run, "issue_coupon", `{"danmaku_id":"d-1"}`); res.Code != tool.Permission || calls != 4 {
		t.Errorf("a write where none is allowed: %q, %d calls", res.Code, calls)
	}
}

func TestBuiltins(t *testing.T) {
	t.Parallel()
	ts := toolset(t, nil, nil)
	run := newRun(t, alice, bob)
	for _, tt := range []struct {
		tool, args string
		code       tool.Code
		contains   string
	}{
		{"load_skill", `{"name":"price"}`, "", "## Examples"},
		{"load_skill", `{"name":"nothing"}`, tool.NotFound, `"name":"nothing"`},
		{"search_faq", `{"query":"能不能开发票呀"}`, "", `"answer":"下单时勾选发票就能开"`},
		{"search_faq", `{"query":"is there a replay?"}`, "", `"id":"replay"`},
		{"search_faq", `{"query":"多少钱"}`, tool.NotFound, "FAQ"},
		{"answer", `{"text":"好","covers":["d-1","d-2"]}`, "", `{"ok":true}`},
		{"answer", `{"text":"好","covers":["d-1","d-9"]}`, tool.BadArgs, `"field":"covers"`},
		{"answer", `{"text":"好","covers":[]}`, tool.BadArgs, `"field":"covers"`},
		{"reply_private", `{"danmaku_id":"d-2","text":"好"}`, "", `{"ok":true}`},
		{"reply_private", `{"danmaku_id":"c","text":"好"}`, tool.BadArgs, `"field":"danmaku_id"`},
		{"stay_silent", `{"reason":"small_talk"}`, "", `{"ok":true}`},
		{"hand_over", `{}`, tool.BadArgs, `"field":"reason"`},
	} {
		res := ts.Call(t.Context(), run, tt.tool, tt.args)
		if res.Code != tt.code || !strings.Contains(res.Text, tt.contains) || res.Full == "" {
			t.Errorf("%s %s: %q %s", tt.tool, tt.args, res.Code, res.Text)
		}
	}
	if res := ts.Call(t.Context(), run, "load_skill", `{"name":"price"}`); res.Skill == nil || res.Skill.Kind != harness.ReplySkill {
		t.Errorf("the loaded skill is %v", res.Skill)
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	run := newRun(t, alice)
	one := toolset(t, nil, answers(`{"link_id":"1","product_id":"p-1","price_fen":8900,"stock":0,"promotion":""}`, false))
	want := []event.Fact{{Kind: "price", LinkID: "1", ProductID: "p-1", Value: "8900"}, {Kind: "stock", LinkID: "1", ProductID: "p-1", Value: "0"}}
	if d := cmp.Diff(want, one.Call(t.Context(), run, "get_product", `{"link_id":"1"}`).Facts); d != "" {
		t.Errorf("get_product (-want +got):\n%s", d)
	}
	two := toolset(t, nil, answers(`{"a":{"link_id":"1","price_fen":8900},"b":{"link_id":"2","price_fen":5900}}`, false))
	want = []event.Fact{{Kind: "price", LinkID: "1", Value: "8900"}, {Kind: "price", LinkID: "2", Value: "5900"}}
	if d := cmp.Diff(want, two.Call(t.Context(), run, "compare_products", `{"link_ids":["1","2"]}`).Facts); d != "" {
		t.Errorf("compare_products (-want +got):\n%s", d)
	}
}

func TestResultCap(t *testing.T) {
	t.Parallel()
	const limit = 1000
	list := make([]string, 300)
	for i := range list {
		list[i] = strings.Repeat("字", 20)
	}
	nested, _ := json.Marshal(map[string]any{"price_fen": 8900, "name": "面霜", "items": list, "text": strings.Repeat("很长", 2000)})
	flat := map[string]any{}
	for i := range 400 {
		flat[fmt.Sprintf("field_%d", i)] = "value"
	}
	wide, _ := json.Marshal(flat)
	for name, full := range map[string]string{"nested": string(nested), "wide": string(wide)} {
		ts := toolset(t, func(c *tool.Config) { c.MaxResult = limit }, answers(full, false))
		res := ts.Call(t.Context(), newRun(t, alice), "get_product", `{"link_id":"1"}`)
		if n := len([]rune(res.Text)); n > limit || !json.Valid([]byte(res.Text)) {
			t.Errorf("%s: %d characters shown, valid JSON %v", name, n, json.Valid([]byte(res.Text)))
		}
		if res.Full != full {
			t.Errorf("%s: the whole result is not kept", name)
		}
		if name == "nested" && (!strings.Contains(res.Text, `"price_fen":8900`) || !strings.Contains(res.Text, "more")) {
			t.Errorf("nested: %s", res.Text)
		}
	}
}

// load_skill brings a skill's files whole, and nothing but them.
func TestSkillResources(t *testing.T) {
	t.Parallel()
	fsys := harnesstest.FS(t)
	long := strings.Repeat("长", 6000)
	fsys["skills/price/SKILL.md"].Data = append(fsys["skills/price/SKILL.md"].Data, "\nMore in `references/more.md`.\n"...)
	fsys["skills/price/references/more.md"] = &fstest.MapFile{Data: []byte(long)}
	schema := &fsys["tools/load_skill.yaml"].Data
	*schema = append(*schema, "    path: {type: string}\n"...)
	h, err := harness.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	run := newRun(t, alice)
	if run.Release, err = h.Release(harnesstest.Release); err != nil {
		t.Fatal(err)
	}
	ts := toolset(t, nil, nil)
	if res := ts.Call(t.Context(), run, "load_skill", `{"name":"price","path":"references/more.md"}`); res.Code != "" || res.Text != long || res.Skill != nil {
		t.Errorf("code %q, %d characters, skill %v; want the whole file, and no skill loaded by it", res.Code, len([]rune(res.Text)), res.Skill)
	}
	for _, path := range []string{"../nudge/SKILL.md", "/etc/passwd", "references", "SKILL.md"} {
		res := ts.Call(t.Context(), run, "load_skill", `{"name":"price","path":"`+path+`"}`)
		if res.Code != tool.NotFound || res.Data["files"] != "references/more.md" {
			t.Errorf("%s: %s", path, res.Text)
		}
	}
	if res := ts.Call(t.Context(), run, "load_skill", `{"name":"nudge","path":"references/more.md"}`); res.Code != tool.NotFound {
		t.Errorf("another skill's file: %s", res.Text)
	}
}

// An answer of ten megabytes is an error that is cheap to make, over MCP and HTTP.
func TestTooLongAnswer(t *testing.T) {
	t.Parallel()
	huge := `{"link_id":"1","notes":"` + strings.Repeat("很长", 2_000_000) + `"}`
	for _, failed := range []bool{false, true} {
		res := toolset(t, nil, answers(huge, failed)).Call(t.Context(), newRun(t, alice), "get_product", `{"link_id":"1"}`)
		if res.Code != tool.Upstream || !strings.Contains(res.Text, "too long") || len(res.Full) > 1000 {
			t.Errorf("failed %v: code %q, %d bytes kept", failed, res.Code, len(res.Full))
		}
	}
}

func TestOffered(t *testing.T) {
	t.Parallel()
	r := harnesstest.Load(t, harnesstest.Release, "")
	names := func(s event.RoomSettings) (out []string) {
		for _, x := range tool.Offered(r, s) {
			out = append(out, x.Name)
		}
		return out
	}
	public := []string{"load_skill", "answer", "stay_silent", "search_faq", "get_product", "compare_products"}
	if d := cmp.Diff(public, names(event.RoomSettings{})); d != "" {
		t.Errorf("no outlets (-want +got):\n%s", d)
	}
	if n := len(names(event.RoomSettings{PrivateText: true, HandOver: true})); n != len(r.Tools) {
		t.Errorf("all outlets: %d tools, want %d", n, len(r.Tools))
	}
}

func TestHTTPTools(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /get", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"q":%q,"room":%q}`, r.URL.Query().Get("q"), r.Header.Get("Livehost-Room-Id"))
	})
	mux.HandleFunc("POST /post", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		_ = json.NewEncoder(w).Encode(in)
	})
	mux.Handle("/inward", http.RedirectHandler("http://127.0.0.1:1/secret", http.StatusFound))
	mux.HandleFunc("/none", http.NotFound)
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"notes":%q}`, strings.Repeat("x", 3<<20))
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	srv := httptest.NewServer(mux)
	defer srv.Close()
	host := strings.TrimPrefix(srv.URL, "http://")
	for _, tt := range []struct {
		method, path string
		allow        []string
		code         tool.Code
		text         string
	}{
		{"GET", "/get", []string{host}, "", `{"q":"a&b","room":"r-1"}`},
		{"POST", "/post", []string{host}, "", `{"q":"a&b"}` + "\n"},
		{"GET", "/get", nil, tool.Upstream, ""},
		{"GET", "/get", []string{"example.invalid:80"}, tool.Upstream, ""},
		{"GET", "/inward", []string{host, "127.0.0.1:1"}, tool.Upstream, ""},
		{"GET", "/none", []string{host}, tool.NotFound, ""},
		{"GET", "/broken", []string{host}, tool.Upstream, ""},
		{"GET", "/huge", []string{host}, tool.Upstream, `{"error":"UPSTREAM","message":"the tool's answer is too long"}`},
	} {
		fsys := harnesstest.FS(t)
		fsys["tools/get_product.yaml"].Data = []byte(fmt.Sprintf(`
name: get_product
description: test
binding: {kind: http, url: "%s%s", method: %s, params: {link_id: q}}
parameters: {type: object, properties: {link_id: {type: string}}}
`, srv.URL, tt.path, tt.method))
		h, err := harness.Load(fsys)
		if err != nil {
			t.Fatal(err)
		}
		run := newRun(t, alice)
		run.Release, _ = h.Release(harnesstest.Release)
		ts := toolset(t, func(c *tool.Config) { c.HTTPAllow = tt.allow }, nil)
		res := ts.Call(t.Context(), run, "get_product", `{"link_id":"a&b"}`)
		if res.Code != tt.code || tt.text != "" && strings.ReplaceAll(res.Text, `\u0026`, "&") != tt.text {
			t.Errorf("%s %s allow %v: %q %s", tt.method, tt.path, tt.allow, res.Code, res.Text)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	if _, err := tool.New(tool.Config{HTTPAllow: []string{""}}, tool.Deps{}); err == nil {
		t.Error("a bad configuration is accepted")
	}
}

func FuzzCall(f *testing.F) {
	for _, s := range []string{``, `null`, `{}`, `{"link_id":"3"}`, `[1]`, `{"link_id":1e400}`, `{"link_id":{"a":[]}}`, "{\"\xff\":1}"} {
		f.Add(s)
	}
	h, err := harness.Load(harnesstest.FS(f))
	if err != nil {
		f.Fatal(err)
	}
	r, err := h.Release(harnesstest.Release)
	if err != nil {
		f.Fatal(err)
	}
	ts, err := tool.New(tool.DefaultConfig(), tool.Deps{Log: slog.New(slog.DiscardHandler), Servers: answers(`{"ok":true}`, false)})
	if err != nil {
		f.Fatal(err)
	}
	run := &tool.Run{Release: r, Askers: []tool.Asker{alice}}
	f.Fuzz(func(t *testing.T, args string) {
		for _, x := range r.Tools {
			res := ts.Call(t.Context(), run, x.Name, args)
			if res.Skill == nil && res.Resource == "" && !json.Valid([]byte(res.Text)) {
				t.Errorf("%s: the model is shown %q", x.Name, res.Text)
			}
			if (res.Code == "") != (res.Args != nil) && res.Code == "" {
				t.Errorf("%s: success without arguments", x.Name)
			}
		}
	})
}
