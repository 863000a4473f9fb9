// Package openaimodel is the model port over the OpenAI chat-completions
// protocol, streaming, to any compatible base URL. It is the only importer of
// go-openai.
//
// It owns the wire: reading every provider's kind of stream (see frames.go),
// assembling tool calls from deltas (assemble.go), and classifying failures. It
// does not retry, choose replicas or keep budgets.
//
// go-openai's limits are worked around here: it ends a cut stream with a plain
// EOF, knows one framing of errors, gives up after a number of keep-alives and
// decodes strictly. So an http transport turns what arrives into plain data
// lines and notes whether [DONE] came, and the chunks are decoded tolerantly.
package openaimodel
