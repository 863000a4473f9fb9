package clickhouse

import (
	"context"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"livehost/analytics"
	"livehost/internal/fault"
)

var _ analytics.Store = (*Client)(nil)

// Insert implements analytics.Store.
func (c *Client) Insert(ctx context.Context, b analytics.Block) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{
		"async_insert":               0, // acknowledged means stored
		"insert_deduplication_token": b.Token,
		"deduplicate_blocks_in_dependent_materialized_views": 1,
		"max_partitions_per_insert_block":                    0, // a replay of half a year is one block of many days
	}))
	batch, err := c.conn.PrepareBatch(ctx, "INSERT INTO "+b.Table+" ("+strings.Join(b.Columns, ", ")+")")
	if err != nil {
		return Classify(fmt.Errorf("insert into %s: %w", b.Table, err))
	}
	defer batch.Close()
	for _, row := range b.Rows {
		if err := batch.Append(row...); err != nil {
			return fault.Wrap(fault.Internal, fmt.Errorf("insert into %s: %w", b.Table, err))
		}
	}
	if err := batch.Send(); err != nil {
		return Classify(fmt.Errorf("insert into %s: %w", b.Table, err))
	}
	return nil
}
