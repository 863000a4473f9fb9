package engine

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is the part of chDB's C interface that the child uses.
type library struct {
	connect     func(argc int32, argv **byte) unsafe.Pointer
	closeConn   func(conn unsafe.Pointer)
	query       func(conn unsafe.Pointer, sql, format string) unsafe.Pointer
	streamQuery func(conn unsafe.Pointer, sql, format string) unsafe.Pointer
	fetch       func(conn, result unsafe.Pointer) unsafe.Pointer
	cancel      func(conn, result unsafe.Pointer)
	destroy     func(result unsafe.Pointer)
	buffer      func(result unsafe.Pointer) unsafe.Pointer
	length      func(result unsafe.Pointer) uintptr
	errorText   func(result unsafe.Pointer) string
}

// open loads the library at path. Signal handlers are as before when it returns.
func open(path string) (*library, error) {
	restore := saveSignalHandlers()
	defer restore()
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	l := &library{}
	for name, fn := range map[string]any{
		"chdb_connect": &l.connect, "chdb_close_conn": &l.closeConn,
		"chdb_query": &l.query, "chdb_stream_query": &l.streamQuery,
		"chdb_stream_fetch_result": &l.fetch, "chdb_stream_cancel_query": &l.cancel,
		"chdb_destroy_query_result": &l.destroy, "chdb_result_buffer": &l.buffer,
		"chdb_result_length": &l.length, "chdb_result_error": &l.errorText,
	} {
		sym, err := purego.Dlsym(h, name)
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", path, err)
		}
		purego.RegisterFunc(fn, sym)
	}
	return l, nil
}

// conn is one connection of the library: one session, one statement at a time.
type conn struct {
	lib    *library
	handle *unsafe.Pointer // chdb_connection*
}

// connectTo opens the data directory with the engine's options (--name=value).
func (l *library) connectTo(path string, options ...string) (*conn, error) {
	restore := saveSignalHandlers()
	defer restore()
	args := append([]string{"clickhouse", "--path=" + path}, options...)
	argv := make([]*byte, len(args))
	for i, a := range args {
		argv[i] = unsafe.StringData(a + "\x00")
	}
	handle := (*unsafe.Pointer)(l.connect(int32(len(argv)), &argv[0]))
	if handle == nil || *handle == nil {
		return nil, fmt.Errorf("the engine could not open %s: is it writable, and is no other process using it?", path)
	}
	return &conn{lib: l, handle: handle}, nil
}

func (c *conn) close() { c.lib.closeConn(unsafe.Pointer(c.handle)) }

// notStreamable is how the library refuses to stream a statement that has no
// result set. It is decided after parsing, so the text is one statement.
const notStreamable = "Streaming query is not supported"

// exec runs one statement and hands its output to sink in chunks that are valid
// until sink returns. The streaming call goes first because it refuses several
// statements, which chdb_query would run one after the other.
func (c *conn) exec(sql, format string, sink func([]byte) error) error {
	r := c.lib.streamQuery(*c.handle, sql, format)
	if r == nil {
		return errors.New("the engine gave no result")
	}
	defer c.lib.destroy(r)
	if msg := c.lib.errorText(r); msg != "" {
		if strings.Contains(msg, notStreamable) {
			return c.execWhole(sql, format, sink)
		}
		return &queryError{msg}
	}
	for {
		done, err := c.next(r, sink)
		if err != nil {
			c.lib.cancel(*c.handle, r)
			return err
		}
		if done {
			return nil
		}
	}
}

// next moves one chunk of a streamed result to sink.
func (c *conn) next(r unsafe.Pointer, sink func([]byte) error) (done bool, err error) {
	chunk := c.lib.fetch(*c.handle, r)
	if chunk == nil {
		return true, nil
	}
	defer c.lib.destroy(chunk)
	if msg := c.lib.errorText(chunk); msg != "" {
		return false, &queryError{msg}
	}
	b := c.bytes(chunk)
	if len(b) == 0 {
		return true, nil
	}
	return false, sink(b)
}

func (c *conn) execWhole(sql, format string, sink func([]byte) error) error {
	r := c.lib.query(*c.handle, sql, format)
	if r == nil {
		return errors.New("the engine gave no result")
	}
	defer c.lib.destroy(r)
	if msg := c.lib.errorText(r); msg != "" {
		return &queryError{msg}
	}
	if b := c.bytes(r); len(b) > 0 {
		return sink(b)
	}
	return nil
}

func (c *conn) bytes(r unsafe.Pointer) []byte {
	n := c.lib.length(r)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(c.lib.buffer(r)), n)
}

// queryError is the engine's own message: "Code: 60. DB::Exception: ...".
type queryError struct{ msg string }

func (e *queryError) Error() string { return e.msg }
