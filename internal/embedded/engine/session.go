package engine

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// pool holds the connections: one statement at a time on each.
type pool struct {
	free        chan *session
	readers     chan *session // that can only read; the setting cannot be taken back
	control     *session      // for KILL QUERY
	controlLock chan struct{} // one KILL at a time
}

// session is a connection with what was set on it, so that it can be put back.
type session struct {
	conn     *conn
	home     chan *session // where it is released to
	database string
}

const defaultDatabase = "default"

// readers is how many connections can only read.
const readers = 2

func newPool(lib *library, path string, size int, options []string) (*pool, error) {
	p := &pool{free: make(chan *session, size), readers: make(chan *session, readers), controlLock: make(chan struct{}, 1)}
	connect := func(home chan *session, more ...string) error {
		c, err := lib.connectTo(path, options...)
		if err != nil {
			return err
		}
		s := &session{conn: c, home: home, database: defaultDatabase}
		if err := s.start(more...); err != nil {
			return err
		}
		if home == nil {
			p.control = s
		} else {
			home <- s
		}
		return nil
	}
	for range size {
		if err := connect(p.free); err != nil {
			return nil, err
		}
	}
	for range readers {
		if err := connect(p.readers, "SET readonly = 2"); err != nil {
			return nil, err
		}
	}
	return p, connect(nil)
}

func (p *pool) close() {
	for _, home := range []chan *session{p.free, p.readers} {
		for range cap(home) {
			(<-home).conn.close()
		}
	}
	p.control.conn.close()
}

func (p *pool) acquire(ctx context.Context, readOnly bool) (*session, error) {
	home := p.free
	if readOnly {
		home = p.readers
	}
	select {
	case s := <-home:
		return s, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for an engine connection: %w", ctx.Err())
	}
}

func (p *pool) release(s *session) { s.home <- s }

// kill cancels the statement marked id from the control connection, without
// waiting for it to leave the process list: it stays there until its connection is
// used again. A statement
// may not have begun yet, so it is repeated until done closes.
func (p *pool) kill(id string, done <-chan struct{}) {
	p.controlLock <- struct{}{}
	defer func() { <-p.controlLock }()
	for {
		_ = p.control.do("KILL QUERY WHERE Settings['log_comment'] = " + quote(id) + " ASYNC")
		select {
		case <-done:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// base is what every session keeps set. A bare expression must not be a query:
// chDB would take typing errors for SELECTs. Without a time limit a streamed
// statement is deaf to KILL QUERY.
var base = map[string]string{"implicit_select": "0", "max_execution_time": "600"}

func (s *session) start(more ...string) error {
	for _, sql := range append([]string{resetting(slices.Sorted(maps.Keys(base)))}, more...) {
		if err := s.do(sql); err != nil {
			return err
		}
	}
	return nil
}

// resetting puts settings back to what they are at the start of every request.
func resetting(names []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		value, ok := base[name]
		if !ok {
			value = "DEFAULT"
		}
		parts[i] = name + " = " + value
	}
	return "SET " + strings.Join(parts, ", ")
}

// do runs a statement of our own whose output does not matter.
func (s *session) do(sql string) error {
	return s.conn.exec(sql, "Null", func([]byte) error { return nil })
}

// transport parameters of the HTTP protocol, which are not settings of a query.
var transport = map[string]bool{
	"query": true, "database": true, "default_format": true, "query_id": true, "user": true, "password": true,
	"quota_key": true, "client_protocol_version": true, "compress": true, "decompress": true, "session_id": true,
	"session_timeout": true, "session_check": true, "enable_http_compression": true, "http_zlib_compression_level": true,
	"wait_end_of_query": true, "buffer_size": true, "send_progress_in_http_headers": true, "add_http_cors_header": true,
	"network_compression_method": true, "network_zstd_compression_level": true, "close_session": true, "role": true,
	"http_headers_progress_interval_ms": true,
	"readonly":                          true, // chooses the connection
}

var settingName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// apply sets database and settings of a request, in one statement, and returns
// how to undo it.
func (s *session) apply(id, database string, q url.Values) (undo func() error, err error) {
	names, parts := []string{}, []string{"log_comment = " + quote(id)}
	undo = func() error {
		if len(names) == 0 {
			return nil
		}
		return s.do(resetting(names))
	}
	if database != s.database {
		if err := s.do("USE " + ident(database)); err != nil {
			return undo, err
		}
		s.database = database
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if transport[name] {
			continue
		}
		if !settingName.MatchString(name) {
			return undo, &queryError{fmt.Sprintf("Code: 115. DB::Exception: Setting %q is not a name. (UNKNOWN_SETTING)", name)}
		}
		parts = append(parts, name+" = "+quote(q.Get(name)))
		if !strings.HasPrefix(name, "param_") {
			names = append(names, name)
		}
	}
	return undo, s.do("SET " + strings.Join(parts, ", "))
}

func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

func ident(s string) string { return "`" + strings.ReplaceAll(s, "`", "\\`") + "`" }
