package engine

import (
	"fmt"
	"strconv"
	"strings"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// helloSQL is the first question clickhouse-go asks on every HTTP connection. Its
// answer is read with the client's own protocol revision; the revision in it is
// what all later blocks are read with. Revision 0 is what chDB's Native format is.
const helloSQL = "SELECT displayName(), version(), revision(), timezone()"

// hello is the answer to helloSQL.
type hello struct{ version, timezone string }

func (p *pool) hello() (hello, error) {
	s := <-p.free
	defer p.release(s)
	var out strings.Builder
	err := s.conn.exec("SELECT version(), timezone()", "TSV", func(b []byte) error { out.Write(b); return nil })
	if err != nil {
		return hello{}, err
	}
	version, tz, ok := strings.Cut(strings.TrimSpace(out.String()), "\t")
	if !ok {
		return hello{}, fmt.Errorf("the engine did not say its version: %q", out.String())
	}
	return hello{version: version, timezone: tz}, nil
}

// block is the answer in Native format at the client's revision.
func (h hello) block(revision string) ([]byte, error) {
	rev, err := strconv.ParseUint(revision, 10, 64)
	if err != nil {
		rev = 0 // the protocol's default
	}
	block := proto.NewBlock()
	for _, c := range []struct{ name, kind string }{
		{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"},
	} {
		if err := block.AddColumn(c.name, column.Type(c.kind)); err != nil {
			return nil, fmt.Errorf("hello: %w", err)
		}
	}
	if err := block.Append("livehost-embedded", h.version, uint32(0), h.timezone); err != nil {
		return nil, fmt.Errorf("hello: %w", err)
	}
	buf := &chproto.Buffer{}
	if err := block.Encode(buf, rev); err != nil {
		return nil, fmt.Errorf("hello: %w", err)
	}
	return buf.Buf, nil
}
