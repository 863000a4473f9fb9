package openaimodel

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"

	"livehost/agentworker/model"
)

// encoder writes request bodies. go-openai's own would omit a temperature of 0 and
// empty contents, cannot send fields of a serving engine, and encodes the constant
// prompt and the tools' schemas anew for every call.
type encoder struct {
	mu       sync.RWMutex
	prefixes map[string][]byte // constant text: its JSON without the quotes
	tools    map[toolKey][]byte
}

// toolKey tells tools apart; a schema by where it is, since it never changes there.
type toolKey struct {
	name, description string
	schema            *byte
	size              int
}

// maxKept bounds each of the encoder's tables: reloaded releases bring new texts.
const maxKept = 512

func newEncoder() *encoder {
	return &encoder{prefixes: map[string][]byte{}, tools: map[toolKey][]byte{}}
}

// body is the request as the endpoint takes it.
func (e *encoder) body(cfg Config, req model.Request) ([]byte, error) {
	w := &writer{}
	w.buf.Grow(sizeOf(req))
	w.raw(`{"model":`)
	w.text(cfg.Model)
	w.raw(`,"stream":true,"stream_options":{"include_usage":true},"temperature":`)
	w.number(req.Temperature)
	if req.TopP > 0 {
		w.raw(`,"top_p":`)
		w.number(req.TopP)
	}
	if req.MaxTokens > 0 {
		w.raw(`,"max_tokens":` + strconv.Itoa(req.MaxTokens))
	}
	if req.NoThinking {
		w.raw(`,"chat_template_kwargs":{"enable_thinking":false}`)
	}
	if cfg.Abort && req.ID != "" {
		w.raw(`,"rid":`)
		w.text(req.ID)
	}
	w.raw(`,"messages":[`)
	for i, m := range req.Messages {
		w.comma(i)
		e.message(w, m)
	}
	w.raw(`]`)
	for i, t := range req.Tools {
		if i == 0 {
			w.raw(`,"tools":[`)
		}
		w.comma(i)
		w.buf.Write(e.tool(t, w))
	}
	if len(req.Tools) > 0 {
		w.raw(`]`)
		if req.MustCall {
			w.raw(`,"tool_choice":"required"`)
		}
	}
	w.raw(`}`)
	return w.buf.Bytes(), w.err
}

// sizeOf is about how long the body gets.
func sizeOf(req model.Request) int {
	const frame = 128 // of a message, a call or a tool
	n := frame * (2 + len(req.Messages) + len(req.Tools))
	for _, m := range req.Messages {
		n += len(m.Prefix) + len(m.Content)
	}
	for _, t := range req.Tools {
		n += len(t.Parameters) + len(t.Description)
	}
	return n + n/8
}

func (e *encoder) message(w *writer, m model.Message) {
	w.raw(`{"role":`)
	w.text(string(m.Role))
	w.raw(`,"content":`)
	if m.Prefix == "" {
		w.text(m.Content)
	} else {
		w.raw(`"`)
		w.buf.Write(e.prefix(m.Prefix, w))
		rest := w.buf.Len()
		w.text(m.Content)
		b := w.buf.Bytes()
		copy(b[rest:], b[rest+1:]) // its opening quote
		w.buf.Truncate(len(b) - 1)
	}
	if m.ToolCallID != "" {
		w.raw(`,"tool_call_id":`)
		w.text(m.ToolCallID)
	}
	for i, c := range m.ToolCalls {
		if i == 0 {
			w.raw(`,"tool_calls":[`)
		}
		w.comma(i)
		w.raw(`{"id":`)
		w.text(c.ID)
		w.raw(`,"type":"function","function":{"name":`)
		w.text(c.Name)
		w.raw(`,"arguments":`)
		w.text(c.Arguments)
		w.raw(`}}`)
	}
	if len(m.ToolCalls) > 0 {
		w.raw(`]`)
	}
	w.raw(`}`)
}

func (e *encoder) prefix(text string, w *writer) []byte {
	return kept(e, e.prefixes, text, func() []byte {
		one := &writer{}
		one.text(text)
		w.fail(one.err)
		return bytes.Trim(one.buf.Bytes(), `"`)
	})
}

func (e *encoder) tool(t model.Tool, w *writer) []byte {
	key := toolKey{name: t.Name, description: t.Description, size: len(t.Parameters)}
	if key.size > 0 {
		key.schema = &t.Parameters[0]
	}
	return kept(e, e.tools, key, func() []byte {
		one := &writer{}
		one.raw(`{"type":"function","function":{"name":`)
		one.text(t.Name)
		if t.Description != "" {
			one.raw(`,"description":`)
			one.text(t.Description)
		}
		if key.size > 0 {
			one.raw(`,"parameters":`)
			one.fail(json.Compact(&one.buf, t.Parameters))
		}
		one.raw(`}}`)
		w.fail(one.err)
		return one.buf.Bytes()
	})
}

// kept is the table's encoding of key, made when it is not there yet.
func kept[K comparable](e *encoder, table map[K][]byte, key K, encode func() []byte) []byte {
	e.mu.RLock()
	have, ok := table[key]
	e.mu.RUnlock()
	if ok {
		return have
	}
	have = encode()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(table) >= maxKept {
		clear(table)
	}
	table[key] = have
	return have
}

// writer appends JSON and keeps the first error.
type writer struct {
	buf bytes.Buffer
	err error
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) raw(s string) { w.buf.WriteString(s) }

func (w *writer) comma(i int) {
	if i > 0 {
		w.raw(`,`)
	}
}

func (w *writer) number(f float64) {
	w.buf.Write(strconv.AppendFloat(w.buf.AvailableBuffer(), f, 'g', -1, 64))
}

// text writes a JSON string; <, > and & stay as they are, tokens are dear.
func (w *writer) text(s string) {
	enc := json.NewEncoder(&w.buf)
	enc.SetEscapeHTML(false)
	w.fail(enc.Encode(s))
	w.buf.Truncate(w.buf.Len() - 1) // the encoder's newline
}
