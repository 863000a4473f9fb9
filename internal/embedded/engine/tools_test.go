package engine_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/clickhouse-go/v2"

	"livehost/internal/embedded/engine"
	"livehost/internal/testkit"
)

func onPort(t *testing.T) (*engine.Engine, string) {
	t.Helper()
	cfg := config(t)
	cfg.Port = testkit.Port(t)
	e := start(t, cfg)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, "http://127.0.0.1:" + strconv.Itoa(cfg.Port)
}

// What curl, Grafana's and DBeaver's drivers send, as they send it.
func TestToolsOnThePort(t *testing.T) {
	t.Parallel()
	e, base := onPort(t)
	exec(t, dial(t, e), "CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
	exec(t, dial(t, e), "INSERT INTO t VALUES (1, 'x'), (2, '你好')")
	gz := func(s string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, s)
		_ = w.Close()
		return b.String()
	}
	for _, tt := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		want                     string // exactly, or as JSON's data
		wantHeader               map[string]string
	}{
		{name: "ping", method: "GET", path: "/ping", status: 200, want: "Ok.\n"},
		{name: "root", method: "GET", path: "/", status: 200, want: "Ok.\n"},
		{name: "GET", method: "GET", path: "/?query=SELECT+count()+FROM+t", status: 200, want: "2\n",
			wantHeader: map[string]string{"X-ClickHouse-Format": "TabSeparated", "X-ClickHouse-Timezone": "", "Content-Type": "text/tab-separated-values; charset=UTF-8"}},
		{name: "GET does not write", method: "GET", path: "/?query=DROP+TABLE+t", status: 500, want: "Code: 164"},
		{name: "GET does not insert", method: "GET", path: "/?query=INSERT+INTO+t+VALUES+(3,'c')", status: 500, want: "Code: 164"},
		{name: "POST", method: "POST", path: "/", body: "SELECT b FROM t ORDER BY a", status: 200, want: "x\n你好\n"},
		{name: "format in the statement", method: "POST", path: "/", body: "SELECT a, b FROM t ORDER BY a FORMAT CSV", status: 200, want: "1,\"x\"\n2,\"你好\"\n",
			wantHeader: map[string]string{"X-ClickHouse-Format": "CSV"}},
		{name: "default_format", method: "POST", path: "/?default_format=JSONEachRow", body: "SELECT a FROM t ORDER BY a", status: 200, want: "{\"a\":1}\n{\"a\":2}\n"},
		{name: "format header", method: "POST", path: "/", header: map[string]string{"X-ClickHouse-Format": "JSONCompactEachRow"}, body: "SELECT a FROM t ORDER BY a", status: 200, want: "[1]\n[2]\n"},
		{name: "database header", method: "POST", path: "/", header: map[string]string{"X-ClickHouse-Database": "system"}, body: "SELECT currentDatabase()", status: 200, want: "system\n"},
		{name: "keys", method: "POST", path: "/", header: map[string]string{"X-ClickHouse-User": "default", "X-ClickHouse-Key": "anything"}, body: "SELECT 1", status: 200, want: "1\n"},
		{name: "basic auth", method: "POST", path: "/", header: map[string]string{"Authorization": "Basic ZGVmYXVsdDo="}, body: "SELECT 1", status: 200, want: "1\n"},
		{name: "in the address", method: "POST", path: "/?user=default&password=", body: "SELECT 1", status: 200, want: "1\n"},
		{name: "gzip body", method: "POST", path: "/", header: map[string]string{"Content-Encoding": "gzip"}, body: gz("SELECT 1 + 1"), status: 200, want: "2\n"},
		{name: "insert", method: "POST", path: "/?query=INSERT+INTO+t+FORMAT+CSV", body: "9,nine\n", status: 200, want: ""},
		{name: "parameters", method: "POST", path: "/?param_n=2&query=" + url.QueryEscape("SELECT b FROM t WHERE a = {n:UInt64}"), status: 200, want: "你好\n"},
		{name: "JDBC opens", method: "POST", path: "/?session_id=s1&compress=0&extremes=0", body: "SELECT currentUser() AS user, timezone() AS timezone, version() LIKE '2%' AS version FORMAT TSVWithNames", status: 200, want: "user\ttimezone\tversion\n"},
		{name: "syntax error", method: "POST", path: "/", body: "SELEC 1", status: 400, want: "Code: 62", wantHeader: map[string]string{"X-ClickHouse-Exception-Code": "62"}},
		{name: "no table", method: "POST", path: "/", body: "SELECT * FROM nothing", status: 404, want: "Code: 60"},
		{name: "encoding", method: "POST", path: "/", header: map[string]string{"Content-Encoding": "br"}, body: "x", status: 501, want: "Code: 451"},
		{name: "other path", method: "GET", path: "/play", status: 404, want: "queries go to /"},
		{name: "web page", method: "POST", path: "/", header: map[string]string{"Origin": "https://evil.example"}, body: "DROP TABLE t", status: 403, want: "not for web pages"},
		{name: "rebound name", method: "POST", path: "/", header: map[string]string{"Host": "evil.example"}, body: "DROP TABLE t", status: 403, want: "not for web pages"},
		{name: "localhost", method: "POST", path: "/", header: map[string]string{"Host": "localhost:8123"}, body: "SELECT count() FROM t", status: 200, want: "3\n"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, base+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range tt.header {
			req.Header.Set(k, v)
		}
		req.Host = req.Header.Get("Host")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		exact := tt.status == 200 && tt.name != "JDBC opens"
		if res.StatusCode != tt.status || exact && string(b) != tt.want || !strings.Contains(string(b), tt.want) {
			t.Errorf("%s: %d %q, want %d %q", tt.name, res.StatusCode, b, tt.status, tt.want)
		}
		for k, v := range tt.wantHeader {
			if got, ok := res.Header[http.CanonicalHeaderKey(k)]; !ok || v != "" && got[0] != v {
				t.Errorf("%s: %s is %q, want %q", tt.name, k, got, v)
			}
		}
	}
}

func TestJSONAndCompressedAnswers(t *testing.T) {
	t.Parallel()
	_, base := onPort(t)
	do := func(path string, header ...string) ([]byte, http.Header) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader("SELECT number AS n FROM numbers(3)"))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := (&http.Transport{DisableCompression: true}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return b, res.Header
	}
	var got struct {
		Data []map[string]any
		Rows int
	}
	b, h := do("/?default_format=JSON")
	if err := json.Unmarshal(b, &got); err != nil || got.Rows != 3 || len(got.Data) != 3 || !strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		t.Errorf("%v %s %v", err, b, h)
	}
	b, h = do("/?enable_http_compression=1", "Accept-Encoding", "gzip")
	if h.Get("Content-Encoding") != "gzip" {
		t.Errorf("not compressed: %v", h)
	}
	zr, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = io.ReadAll(zr); err != nil || string(b) != "0\n1\n2\n" {
		t.Errorf("%q, %v", b, err)
	}
	b, _ = do("/?compress=1")
	plain := make([]byte, 6)
	if _, err = io.ReadFull(compress.NewReader(bytes.NewReader(b)), plain); err != nil || string(plain) != "0\n1\n2\n" {
		t.Errorf("blocks: %q, %v", plain, err)
	}
}

func TestClickhouseGoWithEveryCompression(t *testing.T) {
	t.Parallel()
	e := start(t, config(t))
	defer e.Close()
	exec(t, dial(t, e), "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
	for i, method := range []clickhouse.CompressionMethod{clickhouse.CompressionNone, clickhouse.CompressionLZ4, clickhouse.CompressionZSTD, clickhouse.CompressionGZIP} {
		c, err := clickhouse.Open(&clickhouse.Options{Protocol: clickhouse.HTTP, Addr: []string{"engine"}, Compression: &clickhouse.Compression{Method: method, Level: 3},
			DialContext: func(ctx context.Context, _ string) (net.Conn, error) { return e.Dial(ctx) }})
		if err != nil {
			t.Fatal(err)
		}
		batch, err := c.PrepareBatch(t.Context(), "INSERT INTO t")
		if err != nil {
			t.Fatalf("%v: %v", method, err)
		}
		for n := range 1000 {
			if err := batch.Append(uint64(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := batch.Send(); err != nil {
			t.Fatalf("%v: %v", method, err)
		}
		if n := count(t, c, "SELECT count() FROM t"); n != uint64(1000*(i+1)) {
			t.Errorf("%v: %d rows", method, n)
		}
		c.Close()
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cfg := config(t)
	cfg.Port = l.Addr().(*net.TCPAddr).Port
	_, err = engine.Start(t.Context(), cfg, discard())
	if err == nil || !strings.Contains(err.Error(), "--clickhouse-port "+strconv.Itoa(cfg.Port)) {
		t.Errorf("%v", err)
	}
}

func TestSocketIsForTheUserAlone(t *testing.T) {
	t.Parallel()
	e := start(t, config(t))
	defer e.Close()
	st, err := os.Stat(e.Socket())
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}
