package tool_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/harness/harnesstest"
)

// net/http itself sends a request again when a connection that was used before
// breaks, and takes an Idempotency-Key for leave to do so with a POST: a write is
// sent once.
func TestHTTPWriteIsSentOnce(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 1 && r.Header.Get("Idempotency-Key") != "" {
			panic(http.ErrAbortHandler) // read, perhaps done, and no answer
		}
		_, _ = fmt.Fprint(w, `{"ok":true}`)
	}))
	defer srv.Close()
	host := strings.TrimPrefix(srv.URL, "http://")
	fsys := harnesstest.FS(t)
	fsys["tools/issue_coupon.yaml"].Data = []byte(fmt.Sprintf(`
name: issue_coupon
description: test
binding: {kind: http, url: "%s/coupon", method: POST}
write: true
private: true
parameters: {type: object, properties: {coupon_id: {type: string}}}
`, srv.URL))
	h, err := harness.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	run := newRun(t, alice)
	if run.Release, err = h.Release(harnesstest.Release); err != nil {
		t.Fatal(err)
	}
	ts := toolset(t, func(c *tool.Config) { c.HTTPAllow = []string{host} }, nil)
	if res := ts.Call(t.Context(), run, "issue_coupon", `{"coupon_id":"a"}`); res.Code != "" {
		t.Fatalf("the first write: %s", res.Text)
	}
	if res := ts.Call(t.Context(), run, "issue_coupon", `{"coupon_id":"b"}`); res.Code != tool.Upstream {
		t.Errorf("a write without an answer: %q %s", res.Code, res.Text)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("two writes were sent %d times", n)
	}
}
