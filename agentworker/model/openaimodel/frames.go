package openaimodel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"

	"livehost/agentworker/model"
	"livehost/internal/fault"
)

const (
	maxLine   = 4 << 20  // bytes of one SSE line, and of a whole JSON body
	maxStream = 8 << 20  // bytes of a whole stream: no answer within a run's time is as long
	maxError  = 64 << 10 // bytes read of an error's body
)

// errEndless is the failure of a replica that sends without end.
func errEndless() error {
	return &model.Error{Class: model.Malformed, Err: fault.Errorf(fault.Unavailable, "stream: longer than any answer")}
}

// noted is what the transport is told of one request and saw of its response.
type noted struct {
	id   string // of the request
	body []byte // of the request, in place of the client's
	done bool   // [DONE] came
	left bool   // the response was begun and not read to its end
}

type notedKey struct{}

// transport sends our own body, and makes every successful response look like what
// go-openai can read.
type transport struct{ next http.RoundTripper }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	note, ok := req.Context().Value(notedKey{}).(*noted)
	if !ok {
		return t.next.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	req.Header.Set("X-Request-Id", note.id)
	req.ContentLength = int64(len(note.body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(note.body)), nil }
	if req.Body != nil {
		_ = req.Body.Close() // the client's own
	}
	req.Body, _ = req.GetBody()
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxError), resp.Body}
		return resp, nil
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "application/json" {
		resp.Body = wholeBody(resp.Body, note)
		return resp, nil
	}
	resp.Body = &frames{src: resp.Body, lines: bufio.NewReaderSize(resp.Body, 16<<10), note: note}
	return resp, nil
}

func withNote(ctx context.Context, id string, body []byte) (context.Context, *noted) {
	n := &noted{id: id, body: body}
	return context.WithValue(ctx, notedKey{}, n), n
}

// frames is the stream reduced to data lines: comments, event names, ids and
// blank lines go; a bare JSON line becomes data; a last line without newline is
// completed. Error frames lose the exact prefix that go-openai intercepts, so
// that they arrive as chunks too; the data of an error event, whatever it looks like,
// becomes such a frame.
type frames struct {
	src   io.ReadCloser
	lines *bufio.Reader
	note  *noted
	rest  []byte
	err   error
	total int  // bytes so far
	fails bool // in an event of the name "error"
}

func (f *frames) Close() error { return f.src.Close() }

func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		var line []byte
		line, f.err = f.line()
		f.rest = f.frame(bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))) // a stream may begin with a mark
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// line is the next line, within the bounds.
func (f *frames) line() ([]byte, error) {
	var line []byte
	for {
		part, err := f.lines.ReadSlice('\n')
		f.total += len(part)
		if len(line)+len(part) > maxLine || f.total > maxStream {
			return nil, errEndless()
		}
		if line == nil && err == nil {
			return part, nil // the usual case is no copy; frame makes its own
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (f *frames) frame(line []byte) []byte {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		if name, ok := bytes.CutPrefix(line, []byte("event:")); ok || len(line) == 0 {
			f.fails = string(bytes.TrimSpace(name)) == "error"
		}
		if len(line) == 0 || line[0] != '{' {
			return nil
		}
		data = line
	}
	data = bytes.TrimSpace(data)
	if f.fails && len(data) > 0 {
		data = errorFrame(data)
	}
	return dataLine(data, f.note)
}

// errorFrame is the data of an error event as the chunk that reports it.
func errorFrame(data []byte) []byte {
	if data[0] != '{' || !json.Valid(data) {
		data, _ = json.Marshal(string(data)) // a string always can be
	}
	return slices.Concat([]byte(`{"error":`), data, []byte("}"))
}

func dataLine(data []byte, note *noted) []byte {
	if len(data) == 0 {
		return nil
	}
	if bytes.Equal(data, []byte("[DONE]")) {
		note.done = true
	}
	out := make([]byte, 0, len(data)+9)
	out = append(out, "data: "...)
	if data[0] == '{' {
		out = append(out, '{', ' ')
		data = data[1:]
	}
	return append(append(out, data...), '\n')
}

// wholeBody turns a JSON answer to a streaming request into a stream of one chunk.
func wholeBody(body io.ReadCloser, note *noted) io.ReadCloser {
	defer body.Close()
	raw, err := io.ReadAll(io.LimitReader(body, maxLine))
	var one bytes.Buffer
	for _, line := range bytes.Split(raw, []byte("\n")) {
		one.Write(bytes.TrimSpace(line))
	}
	out := dataLine(one.Bytes(), note)
	if err == nil {
		note.done = true
		out = append(out, "data: [DONE]\n"...)
	}
	return io.NopCloser(bytes.NewReader(out))
}
