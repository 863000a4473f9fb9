package schema

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"

	"github.com/pressly/goose/v3"
)

// To migrates to one version; tests of upgrades start from each earlier one.
func To(ctx context.Context, db *sql.DB, version int64, log *slog.Logger) error {
	p, err := provider(db, log)
	if err != nil {
		return err
	}
	_, err = p.UpTo(ctx, version)
	return err
}

// Versions are the numbers of the migrations, ascending.
func Versions() ([]int64, error) {
	p, err := goose.NewProvider(goose.DialectClickHouse, new(sql.DB), migrations())
	if err != nil {
		return nil, fmt.Errorf("analytics schema: %w", err)
	}
	var out []int64
	for _, s := range p.ListSources() {
		out = append(out, s.Version)
	}
	return out, nil
}
