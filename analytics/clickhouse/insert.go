package clickhouse

import (
	"context"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"livehost/analytics"
	"livehost/analytics/query"
	"livehost/internal/fault"
)

var _ analytics.Store = (*Client)(nil)

// Insert implements analytics.Store.
func (c *Client) Insert(ctx context.Context, b analytics.Block) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	types, err := c.types(ctx, b)
	if err != nil {
		return err
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithColumnNamesAndTypes(types), clickhouse.WithSettings(clickhouse.Settings{
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
	for i, values := range b.Data {
		if err := batch.Column(i).Append(values); err != nil {
			return fault.Wrap(fault.Internal, fmt.Errorf("insert into %s: column %s: %w", b.Table, b.Columns[i], err))
		}
	}
	if err := batch.Send(); err != nil {
		c.forget(b.Table)
		return Classify(fmt.Errorf("insert into %s: %w", b.Table, err))
	}
	return nil
}

// types are the types of the block's columns, asked once a table: over HTTP the
// driver would ask before every batch.
func (c *Client) types(ctx context.Context, b analytics.Block) ([]clickhouse.ColumnNameAndType, error) {
	c.mu.Lock()
	types, ok := c.tables[b.Table]
	c.mu.Unlock()
	if ok {
		return types, nil
	}
	type column struct{ name, kind string }
	columns, err := ask(ctx, c, query.Columns(b.Table), func(c *column) []any { return []any{&c.name, &c.kind} })
	if err != nil {
		return nil, err
	}
	kinds := make(map[string]string, len(columns))
	for _, k := range columns {
		kinds[k.name] = k.kind
	}
	for _, name := range b.Columns {
		if kinds[name] == "" {
			return nil, fault.Errorf(fault.Internal, "insert into %s: the table has no column %s; is the schema of this binary in place?", b.Table, name)
		}
		types = append(types, clickhouse.ColumnNameAndType{Name: name, Type: kinds[name]})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables[b.Table] = types
	return types, nil
}

// forget makes the next insert ask again: the table may have been changed.
func (c *Client) forget(table string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tables, table)
}
