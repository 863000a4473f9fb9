package schema

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/pressly/goose/v3"

	"livehost/internal/fault"
)

//go:embed migrations/*.sql
var files embed.FS

// ErrNewer says that a later release has migrated the database.
var ErrNewer = errors.New("the analytics schema is newer than this binary")

// Migrate brings the database up to this binary's schema. db is a clickhouse-go
// database/sql handle whose database exists.
func Migrate(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	p, err := provider(db, log)
	if err != nil {
		return err
	}
	if err := refuseNewer(ctx, p); err != nil {
		return err
	}
	results, err := p.Up(ctx)
	if err != nil {
		return fault.Wrap(fault.Unavailable, fmt.Errorf("analytics schema: %w", err))
	}
	for _, r := range results {
		log.Info("schema migrated", "version", r.Source.Version, "duration_ms", r.Duration.Milliseconds())
	}
	return nil
}

// Check says whether the database has exactly this binary's schema.
func Check(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	p, err := provider(db, log)
	if err != nil {
		return err
	}
	if err := refuseNewer(ctx, p); err != nil {
		return err
	}
	pending, err := p.HasPending(ctx)
	if err != nil {
		return fault.Wrap(fault.Unavailable, fmt.Errorf("analytics schema: %w", err))
	}
	if pending {
		return fault.Errorf(fault.Invalid, "the analytics schema is older than this binary: run `livehost schema up` once")
	}
	return nil
}

func migrations() fs.FS {
	sub, err := fs.Sub(files, "migrations")
	if err != nil {
		return files // cannot be: the folder is embedded
	}
	return sub
}

func provider(db *sql.DB, log *slog.Logger) (*goose.Provider, error) {
	p, err := goose.NewProvider(goose.DialectClickHouse, db, migrations(),
		goose.WithLocker(&locker{log: log}), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, fmt.Errorf("analytics schema: %w", err)
	}
	return p, nil
}

func refuseNewer(ctx context.Context, p *goose.Provider) error {
	have, want, err := p.GetVersions(ctx)
	if err != nil {
		return fault.Wrap(fault.Unavailable, fmt.Errorf("analytics schema: read its version: %w", err))
	}
	if have > want {
		return fault.Errorf(fault.Invalid, "%w (database %d, binary %d): use a newer livehost", ErrNewer, have, want)
	}
	return nil
}

const (
	lockTable = "livehost_migration_lock"
	// lockStale is after how long a lock is taken from a migrator that died. No
	// migration of ours takes nearly as long.
	lockStale = 10 * time.Minute
	lockPause = 500 * time.Millisecond
)

// locker is a lock made of the one thing ClickHouse does atomically for us: a
// table is created once.
type locker struct{ log *slog.Logger }

// Lock implements goose's Locker. It waits until ctx ends.
func (l *locker) Lock(ctx context.Context, db *sql.DB) error {
	host, _ := os.Hostname()
	create := fmt.Sprintf("CREATE TABLE %s (at DateTime) ENGINE = Memory COMMENT '%s %d'", lockTable, strings.ReplaceAll(host, "'", ""), os.Getpid())
	for {
		_, err := db.ExecContext(ctx, create)
		if err == nil {
			return nil
		}
		if !strings.Contains(err.Error(), "TABLE_ALREADY_EXISTS") && !strings.Contains(err.Error(), "code: 57") {
			return fmt.Errorf("migration lock: %w", err)
		}
		if err := l.dropStale(ctx, db); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("migration lock: another process is migrating: %w", ctx.Err())
		case <-time.After(lockPause):
		}
	}
}

func (l *locker) dropStale(ctx context.Context, db *sql.DB) error {
	var owner string
	var age int64
	err := db.QueryRowContext(ctx, "SELECT comment, dateDiff('second', metadata_modification_time, now()) FROM system.tables WHERE database = currentDatabase() AND name = ?", lockTable).Scan(&owner, &age)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("migration lock: %w", err)
	case time.Duration(age)*time.Second < lockStale:
		return nil
	}
	l.log.Warn("taking the migration lock from a process that died", "owner", owner, "age_s", age)
	return l.Unlock(ctx, db)
}

// Unlock implements goose's Locker.
func (l *locker) Unlock(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "DROP TABLE IF EXISTS "+lockTable+" SYNC"); err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	return nil
}
