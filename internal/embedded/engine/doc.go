// Package engine is the embedded ClickHouse: the real engine as a library (chDB),
// loaded by a child process of this binary and spoken to over the ClickHouse HTTP
// protocol, so that every query is the production query and clickhouse-go is
// used unchanged.
//
// It owns fetching the library (Install), the child (Serve), and keeping the
// child alive (Engine). It implements only what clickhouse-go and analysts' tools
// (curl, DBeaver, Grafana in HTTP mode) use. It knows no table.
//
// Invariants: the child dies with its parent (end of its standard input), not the
// reverse; one statement at a time per connection; a request is one statement,
// never several; the data of an INSERT never reaches the SQL parser; what was
// acknowledged survives kill -9.
package engine
