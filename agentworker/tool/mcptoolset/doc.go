// Package mcptoolset reaches MCP servers over streamable HTTP, or as programs over
// their standard input and output: it implements tool.Servers and is the only importer of mcp-go besides the embedded servers.
//
// It owns one connection per server, its discovery, refresh and re-initialisation
// in the background, and the reading of MCP results. It does not check arguments
// or decide what a failure means for a run.
//
// Invariants: connecting happens in Run, never in a call, except that a call may
// wait for a connection attempt that is under way; a server that is away makes
// calls fail at once; a call goes out again only when the server refused it
// unexecuted because it did not know our session; an error that the server answers a
// call with ends neither the connection nor the others' calls on it.
//
// mcp-go: a client whose server restarted fails until it is initialised again, a
// dead server uses up the whole context of Initialize, list changes arrive only on
// a listening stream, and a client called inside its notification handler
// deadlocks; hence the own connect timeout, the listening, the polling beside it and
// the handler that only leaves a word.
package mcptoolset
