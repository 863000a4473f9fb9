package engine

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/compress"
)

const (
	versionHeader   = "X-ClickHouse-Server-Display-Name"
	exceptionHeader = "X-ClickHouse-Exception-Code"
	queryIDHeader   = "X-ClickHouse-Query-Id"
	formatHeader    = "X-ClickHouse-Format"
	timezoneHeader  = "X-ClickHouse-Timezone"
	// exceptionTag marks an error after the first byte of a result, as a server does.
	exceptionTag = "livehostlivehost"
)

// handler speaks the ClickHouse HTTP protocol.
type handler struct {
	pool  *pool
	hello hello
	log   *slog.Logger
	ids   func() string
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case foreign(r):
		http.Error(w, "this port is for tools on this machine, not for web pages", http.StatusForbidden)
	case r.URL.Path == "/ping" || r.URL.Path == "/replicas_status" || (r.URL.Path == "/" && r.Method == http.MethodGet && r.URL.Query().Get("query") == ""):
		_, _ = io.WriteString(w, "Ok.\n")
	case r.URL.Path != "/":
		http.Error(w, "there is nothing here; queries go to /", http.StatusNotFound)
	default:
		h.query(w, r)
	}
}

// foreign recognises a request that a web page made a browser send: the port is
// on the loopback interface, where browsers are too. A name that is not ours is a
// page's host that was rebound to this address.
func foreign(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || local.Network() == "unix" {
		return false
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	return r.Header.Get("Origin") != "" || host != "localhost" && net.ParseIP(host) == nil
}

// contentTypes are the media types of formats that tools look at.
var contentTypes = map[string]string{
	"JSON": "application/json; charset=UTF-8", "JSONCompact": "application/json; charset=UTF-8", "JSONEachRow": "application/x-ndjson; charset=UTF-8",
	"CSV": "text/csv; charset=UTF-8; header=absent", "CSVWithNames": "text/csv; charset=UTF-8; header=present",
	"TabSeparated": "text/tab-separated-values; charset=UTF-8", "TabSeparatedWithNames": "text/tab-separated-values; charset=UTF-8",
}

func (h *handler) query(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	id := q.Get("query_id")
	if id == "" {
		id = h.ids()
	}
	w.Header().Set(queryIDHeader, id)
	w.Header().Set(versionHeader, "livehost-embedded")
	w.Header().Set(timezoneHeader, h.hello.timezone)
	body, err := decoded(r)
	if err != nil {
		h.fail(w, err)
		return
	}
	st, err := split(q.Get("query"), body)
	if err != nil {
		h.fail(w, err)
		return
	}
	out := newResult(w, q.Get("compress") == "1", r)
	if st.sql == helloSQL {
		err = h.greet(q.Get("client_protocol_version"), out)
	} else {
		err = h.run(r.Context(), id, st, r, out)
	}
	switch {
	case err == nil:
		err = out.close()
	case out.started:
		out.exception(err)
	default:
		h.fail(w, err)
	}
	if err != nil && r.Context().Err() == nil {
		h.log.Debug("query failed", "query_id", id, "err", err)
	}
}

// greet answers helloSQL.
func (h *handler) greet(revision string, out *result) error {
	b, err := h.hello.block(revision)
	if err != nil {
		return err
	}
	return out.write(b)
}

// run executes st under the request's settings; the end of the request kills it.
func (h *handler) run(ctx context.Context, id string, st statement, r *http.Request, out *result) error {
	s, err := h.pool.acquire(ctx, readOnly(r))
	if err != nil {
		return err
	}
	defer h.pool.release(s)
	q := r.URL.Query()
	undo, err := s.apply(id, cmp.Or(q.Get("database"), r.Header.Get("X-ClickHouse-Database"), defaultDatabase), q)
	defer func() {
		if uerr := undo(); uerr != nil {
			h.log.Error("settings not undone", "err", uerr)
		}
	}()
	if err != nil {
		return err
	}
	done := make(chan struct{})
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		select {
		case <-done:
		case <-ctx.Done():
			h.pool.kill(id, done)
		}
	}()
	format := formatOf(st, r)
	out.w.Header().Set(formatHeader, format)
	if t := contentTypes[format]; t != "" {
		out.w.Header().Set("Content-Type", t)
	}
	err = st.run(s, format, out.write)
	close(done)
	<-killed
	return err
}

var formatClause = regexp.MustCompile(`(?is)\sFORMAT\s+([A-Za-z0-9_]+)\s*;?\s*$`)

// formatOf is the output format: of the statement itself, else of the request.
func formatOf(st statement, r *http.Request) string {
	if m := formatClause.FindStringSubmatch(st.sql); m != nil && st.data == nil {
		return m[1]
	}
	return cmp.Or(r.Header.Get(formatHeader), r.URL.Query().Get("default_format"), "TabSeparated")
}

// readOnly says whether the request may only read: GET never writes, as with a
// server, so that a link cannot.
func readOnly(r *http.Request) bool {
	level := r.URL.Query().Get("readonly")
	return r.Method == http.MethodGet || r.Method == http.MethodHead || level != "" && level != "0"
}

// decoded undoes what the client did to the body.
func decoded(r *http.Request) (io.Reader, error) {
	var body io.Reader = r.Body
	switch enc := r.Header.Get("Content-Encoding"); enc {
	case "", "identity":
	case "gzip":
		gz, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("gzip body: %w", err)
		}
		body = gz
	default:
		return nil, &queryError{"Code: 451. DB::Exception: Content-Encoding " + enc + " is not supported by the embedded engine; send gzip or none. (NOT_IMPLEMENTED)"}
	}
	if r.URL.Query().Get("decompress") == "1" {
		body = blocks{compress.NewReader(body)}
	}
	return body, nil
}

// blocks ends where a block would begin; its reader calls that an error.
type blocks struct{ io.Reader }

func (b blocks) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// result writes the output, compressed in ClickHouse blocks when asked to.
type result struct {
	w       http.ResponseWriter
	gz      *gzip.Writer
	block   *compress.Writer
	started bool
}

func newResult(w http.ResponseWriter, blocks bool, r *http.Request) *result {
	out := &result{w: w}
	if blocks {
		out.block = compress.NewWriter(compress.LevelZero, compress.LZ4)
	}
	if r.URL.Query().Get("enable_http_compression") == "1" && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		out.gz = gzip.NewWriter(w)
	}
	return out
}

func (o *result) write(b []byte) error {
	if !o.started {
		o.started = true
		if o.gz != nil {
			o.w.Header().Set("Content-Encoding", "gzip")
		}
		o.w.Header().Set("X-ClickHouse-Exception-Tag", exceptionTag)
	}
	if o.block != nil {
		if err := o.block.Compress(b); err != nil {
			return fmt.Errorf("compress: %w", err)
		}
		b = o.block.Data
	}
	var err error
	if o.gz != nil {
		_, err = o.gz.Write(b)
	} else {
		_, err = o.w.Write(b)
	}
	return err
}

func (o *result) close() error {
	if o.gz != nil && o.started {
		return o.gz.Close()
	}
	return nil
}

// exception reports an error after the status line has gone out.
func (o *result) exception(err error) {
	msg := err.Error()
	_, _ = fmt.Fprintf(o.w, "\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", exceptionTag, msg, len(msg)+1, exceptionTag)
	_ = o.close()
}

var codePattern = regexp.MustCompile(`Code: (\d+)\.`)

// statusOf maps the engine's error codes as ClickHouse does; the rest is 500.
var statusOf = map[int]int{
	60: http.StatusNotFound, 81: http.StatusNotFound, // UNKNOWN_TABLE, UNKNOWN_DATABASE
	62: http.StatusBadRequest, 36: http.StatusBadRequest, 47: http.StatusBadRequest, // SYNTAX_ERROR, BAD_ARGUMENTS, UNKNOWN_IDENTIFIER
	115: http.StatusBadRequest, 456: http.StatusBadRequest, // UNKNOWN_SETTING, UNKNOWN_QUERY_PARAMETER
	451: http.StatusNotImplemented,
}

func (h *handler) fail(w http.ResponseWriter, err error) {
	var qe *queryError
	status, msg := http.StatusInternalServerError, err.Error()
	if errors.As(err, &qe) {
		msg = qe.msg
	}
	if m := codePattern.FindStringSubmatch(msg); m != nil {
		w.Header().Set(exceptionHeader, m[1])
		code, _ := strconv.Atoi(m[1])
		if s, ok := statusOf[code]; ok {
			status = s
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, msg+"\n")
}
