package clickhouse

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"

	"livehost/analytics/query"
	"livehost/internal/fault"
)

// OpenReader is a client that reads and nothing else: the server holds it to that.
// It connects on first use, so that whoever shows something starts without the
// store; questions fail with fault.Unavailable until it is there. dial may be nil.
func OpenReader(cfg Config, dial Dial) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fault.Errorf(fault.Invalid, "clickhouse: %w", err)
	}
	opts, err := options(cfg, dial)
	if err != nil {
		return nil, err
	}
	opts.Auth.Database = cfg.Database
	if opts.Settings == nil {
		opts.Settings = clickhouse.Settings{}
	}
	opts.Settings["readonly"] = 2
	conn, err := clickhouse.Open(opts)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "clickhouse: %w", err)
	}
	return &Client{cfg: cfg, conn: conn, db: clickhouse.OpenDB(opts)}, nil
}

// Minutes is the outcomes and latencies minute by minute.
func (c *Client) Minutes(ctx context.Context, s query.Scope) ([]query.Minute, error) {
	ended, err := ask(ctx, c, query.MinuteOutcomes(s), (*query.MinuteEnded).Fields)
	if err != nil {
		return nil, err
	}
	latencies, err := ask(ctx, c, query.MinuteLatencies(s), (*query.MinuteLatency).Fields)
	if err != nil {
		return nil, err
	}
	return query.Minutes(ended, latencies), nil
}

// Trace is what is stored of a run, a window or a danmaku.
type Trace struct {
	Steps []query.RunStep
	Said  []query.Said
	Ended []query.Ended
	Hits  []query.Hit
}

// Trace finds what is stored under an id; all of it may be empty.
func (c *Client) Trace(ctx context.Context, id string, restricted bool) (Trace, error) {
	var t Trace
	var err error
	if t.Steps, err = ask(ctx, c, query.RunSteps(id, restricted), (*query.RunStep).Fields); err != nil {
		return t, err
	}
	if t.Said, err = ask(ctx, c, query.DeliveriesOf(id), (*query.Said).Fields); err != nil {
		return t, err
	}
	if t.Ended, err = ask(ctx, c, query.OutcomesOf(id), (*query.Ended).Fields); err != nil {
		return t, err
	}
	t.Hits, err = ask(ctx, c, query.HitsOf(id), (*query.Hit).Fields)
	return t, err
}

// ExperimentNames lists the experiments that have units.
func (c *Client) ExperimentNames(ctx context.Context) ([]string, error) {
	type row struct {
		name    string
		version uint32
	}
	rows, err := ask(ctx, c, query.Experiments(), func(r *row) []any { return []any{&r.name, &r.version} })
	if err != nil {
		return nil, err
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.name
	}
	return names, nil
}
