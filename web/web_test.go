package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"livehost/internal/fault"
	"livehost/streams/event"
	"livehost/web"
)

// hostile is what a viewer may send as a text or a name.
var hostile = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`'; alert(1); //`,
	`</td></tr></table><iframe src="javascript:alert(1)">`,
	`<svg/onload=alert(1)>`,
	`{{.Secret}} ${alert(1)} <hx-partial hx-target="body">x</hx-partial>`,
	"\u202ereversed\u0000\r\n\r\ndata: forged\n\nevent: change",
	`" hx-on:load="alert(1)" x="`,
}

// own are the elements and attributes that our templates use. Whatever else a
// browser would see in a page came from a viewer.
var own = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`html head body meta title link script a header nav form label input button main footer div h1 h2 p ul li span b i q
		table caption thead tbody tfoot tr th td time select option noscript details summary section svg rect code strong
		@lang @charset @name @content @rel @href @type @src @defer @class @aria-label @aria-current @aria-pressed @aria-labelledby @action @role @for @id @placeholder
		@autocomplete @spellcheck @required @tabindex @value @selected @size @scope @hidden @data-id @data-at @data-src @data-stream @viewbox @preserveaspectratio
		@x @width @height @hx-get @hx-trigger @hx-target @hx-select @hx-swap @hx-push-url`) {
		m[w] = true
	}
	return m
}()

// foreign lists what a browser would find in a page that is not of our templates.
func foreign(page string) (found []string) {
	for z := html.NewTokenizer(strings.NewReader(page)); z.Next() != html.ErrorToken; {
		t := z.Token()
		if t.Type != html.StartTagToken && t.Type != html.SelfClosingTagToken {
			continue
		}
		if !own[t.Data] {
			found = append(found, "<"+t.Data+">")
		}
		for _, a := range t.Attr {
			switch {
			case !own["@"+a.Key]:
				found = append(found, "<"+t.Data+" "+a.Key+">")
			case (a.Key == "href" || a.Key == "src" || a.Key == "action") && !strings.HasPrefix(a.Val, "/") && a.Val != "#main",
				strings.HasPrefix(a.Key, "hx-") && strings.Contains(a.Val, "alert"):
				found = append(found, "<"+t.Data+" "+a.Key+"="+a.Val+">")
			}
		}
	}
	return found
}

func TestHostileTextIsText(t *testing.T) {
	t.Parallel()
	r := start(t)
	for i, text := range hostile {
		id := text // ids are the platform's, and no more to be trusted
		d := danmaku(id, text, evening+int64(i))
		d.ViewerName, d.ViewerID = text, event.ViewerID(text)
		o := outcome(id, event.Suppressed, text)
		o.CoverID, o.WindowID, o.RunID = event.DanmakuID(text), event.WindowID(text), event.RunID(text+"#1")
		hit := event.GuardrailHit{Schema: 1, HitID: text, RoomID: "room-1", DanmakuIDs: []event.DanmakuID{event.DanmakuID(id)}, Rule: text, Version: text, Stage: "aggregator", Span: text, Cause: text, Action: "suppress", TimeMs: evening}
		reply := event.Reply{Schema: 1, ReplyID: event.WindowID(text), RunID: event.RunID(text + "#1"), RoomID: "room-1", Variant: event.Variant(text), CreatedMs: evening + 1,
			Members: []event.Member{{DanmakuID: event.DanmakuID(id), Text: text, PlatformMs: evening}}, Public: &event.PublicReply{Text: text, Covers: []event.DanmakuID{event.DanmakuID(id)}},
			Verdicts: []event.Verdict{{Rule: text, Action: "allow"}}, Versions: versions, AnswerByMs: 1, SpeakByMs: 1}
		step := event.Step{Schema: 1, RunID: reply.RunID, WindowID: reply.ReplyID, RoomID: "room-1", Variant: "v", Seq: 1, Kind: event.StepTool, Name: text, Input: text, Output: text, Error: text, Cause: text, StartedMs: evening, EndedMs: evening + 5, Versions: versions}
		r.publish(t, d, reply, step, hit, o)
	}
	last := hostile[len(hostile)-1]
	r.shows(t, "/", "hx-on:load=&#34;alert")
	paths := []string{"/", query("/", "room", last), query("/", "outcome", `"><script>alert(1)</script>`)}
	for _, h := range hostile {
		paths = append(paths, query("/danmaku", "id", h), query("/run", "id", h), query("/run", "id", h+"#1"), query("/find", "id", h),
			query("/incidents", "rule", h), query("/outcomes", "room", h), query("/danmaku", "id", "none"+h), query("/run", "id", "none"+h))
	}
	for _, path := range paths {
		_, body, _ := r.get(t, path)
		if found := foreign(body); found != nil {
			t.Errorf("%s: %q came from a viewer:\n%s", path, found, body)
		}
	}
	for _, m := range r.messages(t, "/live/stream", 1) {
		for _, row := range m.Rows {
			if found := foreign(row.HTML); found != nil {
				t.Errorf("stream: %q came from a viewer: %s", found, row.HTML)
			}
		}
		if len(m.Rows) != len(hostile) {
			t.Errorf("%d rows, want %d: a text broke the stream", len(m.Rows), len(hostile))
		}
	}
}

// The test above would see markup if there were any.
func TestForeignFindsMarkup(t *testing.T) {
	t.Parallel()
	for _, h := range []string{hostile[0] + "<img>", hostile[1], hostile[3], hostile[4], hostile[5], `<a href="javascript:x">`, `<p hx-on:load="x">`, `<p hx-get="alert">`} {
		if foreign(h) == nil {
			t.Errorf("%s passes", h)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, path := range []string{"/", "/outcomes/data", "/static/app.css", "/nowhere"} {
		_, _, h := r.get(t, path)
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers %v", path, h)
		}
	}
}

// A page elsewhere that points its own name at this machine gets nothing.
func TestForeignHostIsTurnedAway(t *testing.T) {
	t.Parallel()
	r := start(t)
	for host, want := range map[string]int{"evil.example": 421, "evil.example:8080": 421, "10.0.0.1": 421, "localhost:9": 200, "127.0.0.1": 200, "[::1]:80": 200, "": 421} {
		rec := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		req.Host = host
		r.Handler().ServeHTTP(rec, req)
		if rec.Code != want {
			t.Errorf("Host %q: %d, want %d", host, rec.Code, want)
		}
	}
}

func TestOnlyLoopback(t *testing.T) {
	t.Parallel()
	for addr, ok := range map[string]bool{
		"127.0.0.1:0": true, "localhost:80": true, "[::1]:1": true, "127.9.9.9:1": true,
		"0.0.0.0:80": false, ":80": false, "[::]:80": false, "192.168.1.2:80": false, "example.com:80": false, "127.0.0.1": false, "127.0.0.1:99999": false,
	} {
		cfg := web.DefaultConfig()
		cfg.Addr = addr
		if err := cfg.Validate(); (err == nil) != ok {
			t.Errorf("%s: %v, want ok %v", addr, err, ok)
		}
	}
	cfg := web.Config{Addr: "0.0.0.0:1"}
	err := cfg.Validate()
	for _, want := range []string{"loopback", "danmaku", "streams"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not list %s", err, want)
		}
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	r := start(t)
	cfg := web.DefaultConfig()
	cfg.Addr = strings.TrimPrefix(r.url, "http://")
	second, err := web.New(cfg, web.Deps{})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Listen(t.Context()); err == nil || !strings.Contains(err.Error(), "choose another port") {
		t.Errorf("second console: %v", err)
	}
}

func TestDanmakuAndRun(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.publish(t, answered()...)
	r.shows(t, "/", "3号今天59元", "+3.6 s", "spoken", "+5.0 s", "answered", "aloud")
	r.shows(t, "/danmaku?id=d1", "已回答", "step by step", "intent price")
	body := r.shows(t, query("/run", "id", "w1#1"), "get_price", "price_fen", "900 → 42", "calls</span> <code>get_price</code>", "price_grounding", "harness-1", "<rect")
	for _, secret := range []string{"secret prompt", "secret thoughts", "raw tool call markup"} {
		if strings.Contains(body, secret) {
			t.Errorf("the run page shows %q", secret)
		}
	}
	for path, want := range map[string]string{"/find?id=d1": "/danmaku?id=d1", "/find?id=w1": "/run?id=w1", "/find?id=w1%231": "/run?id=w1%231", "/find?id=+": "/"} {
		if code, _, h := r.get(t, path); code != http.StatusSeeOther || h.Get("Location") != want {
			t.Errorf("%s: %d to %q, want %q", path, code, h.Get("Location"), want)
		}
	}
	for _, path := range []string{"/danmaku?id=x", "/run?id=x", "/danmaku", "/nowhere"} {
		if code, _, _ := r.get(t, path); code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, code)
		}
	}
}

// Two rooms have a danmaku d1 each: their links lead to the right one.
func TestDanmakuOfEqualID(t *testing.T) {
	t.Parallel()
	r := start(t)
	other := danmaku("d1", "几天能到", evening+1)
	other.RoomID = "room-2"
	r.publish(t, answered()...)
	r.publish(t, other)
	r.shows(t, "/", "几天能到", `/danmaku?id=d1&amp;room=room-1`, `/danmaku?id=d1&amp;room=room-2`)
	for path, want := range map[string]string{"/danmaku?id=d1&room=room-1": "多少钱", "/danmaku?id=d1&room=room-2": "几天能到", "/danmaku?id=d1": "几天能到"} {
		if code, body, _ := r.get(t, path); code != http.StatusOK || !strings.Contains(body, `<h1 class="quote">`+want) || !strings.Contains(body, "Other rooms") {
			t.Errorf("%s: %d, want %s and the other room's:\n%s", path, code, want, body)
		}
	}
	if code, _, _ := r.get(t, "/danmaku?id=d1&room=room-3"); code != http.StatusNotFound {
		t.Errorf("of a room that has none: %d, want 404", code)
	}
}

// Ids of platforms hold any character, also the one before a run's number.
func TestIDsWithAHash(t *testing.T) {
	t.Parallel()
	r := start(t)
	member := event.Member{DanmakuID: "a#b", Text: "多少钱", PlatformMs: evening}
	r.publish(t, danmaku("a#b", "多少钱", evening),
		event.Window{Schema: 1, WindowID: "w.a#b.1", RoomID: "room-1", Kind: event.DanmakuWindow, Mode: event.Single, Variant: "harness", Members: []event.Member{member},
			EarliestMs: evening, AnswerByMs: evening + 15_000, OpenedMs: evening},
		event.Step{Schema: 1, RunID: "w.a#b.1#1", WindowID: "w.a#b.1", RoomID: "room-1", Seq: 1, Kind: event.StepTool, Name: "get_price", StartedMs: evening, EndedMs: evening + 9})
	r.shows(t, query("/run", "id", "w.a#b.1#1"), "get_price", "多少钱")
	r.shows(t, query("/run", "id", "w.a#b.1"), "get_price", "多少钱")
	for id, want := range map[string]string{"a#b": "/danmaku?id=a%23b", "w.a#b.1": "/run?id=w.a%23b.1", "w.a#b.1#1": "/run?id=w.a%23b.1%231", "old#1": "/run?id=old%231"} {
		if _, _, h := r.get(t, query("/find", "id", id)); h.Get("Location") != want {
			t.Errorf("%s: to %q, want %q", id, h.Get("Location"), want)
		}
	}
}

func TestRestricted(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *web.Config, _ *web.Deps) { c.Restricted = true })
	r.publish(t, answered()...)
	body := r.shows(t, "/run?id=w1", "secret thoughts", "raw tool call markup")
	if strings.Contains(body, "secret prompt") {
		t.Error("the prompt is shown")
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	r := start(t)
	other := danmaku("d2", "another room", evening)
	other.RoomID = "room-2"
	r.publish(t, answered()...)
	r.publish(t, danmaku("d3", "still waiting", evening+1), danmaku("d4", "too late", evening+2), outcome("d4", event.Expired, "waited"), other)
	r.shows(t, "/", "another room", "waited too long")
	for path, want := range map[string]string{
		"/?room=room-2": "another room", "/?variant=harness": "多少钱", "/?outcome=pending&room=room-1": "still waiting",
		"/?outcome=not_served": "too late", "/?outcome=answered": "多少钱", "/?outcome=failed": "",
	} {
		_, body, _ := r.get(t, path)
		rows := strings.Count(body, "<tr data-id")
		if want == "" && rows != 0 || want != "" && (rows != 1 || !strings.Contains(body, want)) {
			t.Errorf("%s: %d rows, want %q alone", path, rows, want)
		}
	}
}

// store answers, or fails with err.
type store struct{ err error }

func ptr(x float64) *float64 { return &x }

func (s store) Minutes(context.Context, web.Scope) ([]web.Minute, error) {
	at := time.UnixMilli(evening).Truncate(time.Minute)
	return []web.Minute{
		{Start: at, Ended: map[event.State]int64{event.Answered: 7, event.Shed: 2}, P50Ms: ptr(3400), P95Ms: ptr(15_001), Missed: 2, Counted: 9},
		{Start: at.Add(3 * time.Minute), Ended: map[event.State]int64{event.Merged: 1}, P50Ms: ptr(2000), P95Ms: ptr(2000), Counted: 1},
	}, s.err
}

func (s store) Incidents(_ context.Context, f web.IncidentFilter) ([]web.Incident, error) {
	if f.Rule == "none" {
		return nil, s.err
	}
	return []web.Incident{
		{Time: time.UnixMilli(evening), Kind: "guardrail", ID: "h1", Room: "room-1", Run: "w1#1", Rule: "price_grounding", Version: "1", Stage: "agentworker", Action: "retry", Span: "99元", Cause: "no tool said 99", Variant: "harness", Danmaku: []event.DanmakuID{"d1"}},
		{Time: time.UnixMilli(evening), Kind: "outcome", ID: "d9", Room: "room-1", Rule: "expired", Stage: "aggregator", Action: "expired", Cause: "waited", Danmaku: []event.DanmakuID{"d9"}},
	}, s.err
}

func (s store) Trace(_ context.Context, id string, restricted bool) (web.Trace, error) {
	if id != "old#1" && id != "d-old" || s.err != nil {
		return web.Trace{}, s.err
	}
	return web.Trace{
		Steps: []event.Step{{RunID: "old#1", Seq: 1, Kind: event.StepTool, Name: "old_tool", StartedMs: evening, EndedMs: evening + 20}},
		Ended: []event.Outcome{outcome("d-old", event.Failed, "outlet_failed")},
		Hits:  []event.GuardrailHit{{HitID: "old#1/1", RunID: "old#1", Rule: "old_rule", Stage: "agentworker", Point: "before_reply", Action: "retry", Span: "98元", TimeMs: evening}},
	}, nil
}

func (s store) Experiments(context.Context) ([]web.Experiment, error) {
	return []web.Experiment{{
		Name: "harness-vs-react", Version: 1, Control: "react-baseline", Unit: "room", Units: 200, SRMP: ptr(3.5e-42), Blocked: []string{"too few windows"},
		Variants: []web.Variant{{Name: "harness", Bucketed: 100, Exposed: 60, GMVPerUser: ptr(1234), OrdersPerUser: ptr(0.12), Dilution: ptr(0.031)}, {Name: "react-baseline", Bucketed: 100}},
		Effects: []web.Effect{{Metric: "gmv_per_bucketed_user_fen", Variant: "harness", Diff: 120, Lo: ptr(-30), Hi: ptr(270), P: 0.11},
			{Metric: "orders_per_exposed_user", Variant: "harness", Reason: "no variance"}},
	}}, s.err
}

func withStore(s store) func(*web.Config, *web.Deps) {
	return func(_ *web.Config, d *web.Deps) { d.Minutes, d.Incidents, d.Traces, d.Experiments = s, s, s, s }
}

func TestPagesFromTheStore(t *testing.T) {
	t.Parallel()
	r := start(t, withStore(store{}))
	for path, want := range map[string][]string{
		"/outcomes":            {"&gt; 15 s", "3.4 s", "2 of 9", "/outcomes/data?range=2h"},
		"/outcomes/data":       {`"start":[1790000760,1790000820,1790000880,1790000940]`, `"p95":[15.001,null,null,2]`, `"limit_s":15`},
		"/incidents":           {"price_grounding", "/run?id=w1%231", "99元", "waited too long"},
		"/incidents?rule=none": {"No incident matches"},
		"/experiments":         {"too few windows", "p = 3.5e-42", "200 bucketed rooms", "GMV per bucketed room", "3.1 %", "no correction for looking early", "¥12.34", "&#43;1.20 yuan (-0.30 yuan to &#43;2.70 yuan)", "no variance"},
		"/run?id=old%231":      {"old_tool", "Guardrails", "old_rule", "98元"},
		"/danmaku?id=d-old":    {"the outlet failed", "does not remember"},
	} {
		code, body, _ := r.get(t, path)
		if code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%s does not show %q:\n%s", path, w, body)
			}
		}
	}
}

// A filter in force is seen in the form, also one that the form does not offer; what
// cannot be meant is not in force.
func TestFormsShowTheFilterInForce(t *testing.T) {
	t.Parallel()
	r := start(t, withStore(store{}))
	for path, want := range map[string]string{
		"/outcomes?range=30m":    `value="30m" selected`,
		"/outcomes?range=45m":    `value="45m" selected`,
		"/outcomes?range=-45m":   `value="2h" selected`,
		"/outcomes?range=9000h":  `value="2h" selected`, // a point a minute, and a page that asks every 5 s
		"/outcomes?range=x":      `value="2h" selected`,
		"/incidents?since=45m":   `value="45m" selected`,
		"/incidents?since=9000h": `value="9000h" selected`,
		"/incidents?since=-45m":  `value="" selected>any time`,
		"/incidents?kind=x":      `value="x" selected`,
		"/?outcome=x":            `value="x" selected`,
		"/?variant=v9":           `<option selected>v9`,
		"/?room=r9":              `<option selected>r9`,
	} {
		if code, body, _ := r.get(t, path); code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, want %s in\n%s", path, code, want, body)
		}
	}
}

func TestPagesWithoutTheStore(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*web.Config, *web.Deps)
		want   string
	}{
		"none":    {func(*web.Config, *web.Deps) {}, "no analytics store"},
		"away":    {withStore(store{fault.Errorf(fault.Unavailable, "connection refused")}), "does not answer at the moment"},
		"refuses": {withStore(store{errors.New("broken SQL")}), "the log of this process says why"},
	} {
		r := start(t, tt.change)
		r.publish(t, answered()...)
		for _, path := range []string{"/outcomes", "/incidents", "/experiments", "/outcomes/data"} {
			if code, body, _ := r.get(t, path); code != http.StatusOK || !strings.Contains(body, tt.want) {
				t.Errorf("%s %s: %d, want %q in\n%s", name, path, code, tt.want, body)
			}
		}
		if code, body, _ := r.get(t, "/run?id=x"); code != http.StatusNotFound || !strings.Contains(body, tt.want) {
			t.Errorf("%s: unknown run: %d\n%s", name, code, body)
		}
		r.shows(t, "/", "3号今天59元") // goes on
	}
}

// The rows of the live page are those of the table in vendor/README.md.
func TestVendoredFilesAreAsListed(t *testing.T) {
	t.Parallel()
	r := start(t)
	_, list, _ := r.get(t, "/static/vendor/README.md")
	found := regexp.MustCompile(`\| (\w+) \|.*?\| dist/(\S+) \| ([0-9a-f]{64}) \|`).FindAllStringSubmatch(list, -1)
	if len(found) < 3 {
		t.Fatalf("only %d files are listed", len(found))
	}
	for _, m := range found {
		_, body, _ := r.get(t, "/static/vendor/"+m[1]+"/"+m[2])
		if got := sum(body); got != m[3] {
			t.Errorf("%s has sum %s, the list says %s", m[2], got, m[3])
		}
		if code, licence, _ := r.get(t, "/static/vendor/"+m[1]+"/LICENSE"); code != 200 || !strings.Contains(licence, "Permission") {
			t.Errorf("%s has no licence", m[1])
		}
	}
}

var externalURL = regexp.MustCompile(`(?i)(src|href|url\()\s*=?\s*["'(]?\s*(https?:)?//`)

// No page loads anything from elsewhere.
func TestNothingExternal(t *testing.T) {
	t.Parallel()
	r := start(t, withStore(store{}))
	for _, path := range []string{"/", "/outcomes", "/incidents", "/experiments", "/static/app.css", "/static/live.js", "/static/charts.js"} {
		_, body, _ := r.get(t, path)
		if m := externalURL.FindString(body); m != "" {
			t.Errorf("%s: %s", path, m)
		}
	}
}

// Who was merged into an answer that there was: the reply was not made for them, which is
// not that it leaves them out, and its window is older than their danmaku.
func TestDanmakuOfANewcomer(t *testing.T) {
	t.Parallel()
	r := start(t)
	o := outcome("d2", event.Merged, "cooled_down")
	o.By, o.CoverID, o.PlatformMs, o.SpeakByMs = "aggregator", "d1", evening+12_000, evening+32_000
	r.publish(t, answered()...)
	r.publish(t, danmaku("d2", "这个怎么卖", evening+12_000), o,
		event.Delivery{Schema: 1, DeliveryID: "w1/text/d2", ReplyID: "w1", RunID: "w1#1", RoomID: "room-1", Outlet: "text", Channel: event.Private, State: event.DeliverySent,
			Text: "3号今天59元", DanmakuIDs: []event.DanmakuID{"d2"}, Variant: "harness", HeardVariant: "harness", FirstAudioMs: evening + 13_000, EndMs: evening + 13_000, TimeMs: evening + 13_000})
	body := r.shows(t, "/danmaku?id=d2", "这个怎么卖", "Covered by", "private text", "+1.0 s")
	if strings.Contains(body, "does not cover it") || strings.Contains(body, "+-") {
		t.Errorf("the page misreads it:\n%s", body)
	}
}
