package schema_test

import (
	"database/sql"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"livehost/analytics/clickhouse"
	"livehost/analytics/schema"
	"livehost/internal/embedded/engine/enginetest"
)

func TestMain(m *testing.M) {
	enginetest.Main()
	os.Exit(m.Run())
}

var log = slog.New(slog.DiscardHandler)

func database(t *testing.T) *sql.DB {
	t.Helper()
	e := enginetest.Start(t, enginetest.Config(t))
	cfg := clickhouse.DefaultConfig()
	cfg.DSN = "http://engine"
	c, err := clickhouse.Open(t.Context(), cfg, e.Dial)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.DB()
}

func names(t *testing.T, db *sql.DB) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT name FROM system.tables WHERE database = currentDatabase() AND name NOT LIKE '.inner%' ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

func TestUpFromEmptyAndFromEachEarlierVersion(t *testing.T) {
	versions, err := schema.Versions()
	if err != nil {
		t.Fatal(err)
	}
	db := database(t)
	if err := schema.Migrate(t.Context(), db, log); err != nil {
		t.Fatal(err)
	}
	want := names(t, db)
	for _, table := range []string{"danmaku_outcomes", "guardrail_hits", "v_ab_users", "v_outcome_conflicts"} {
		if !strings.Contains(want, table) {
			t.Errorf("%s is not among %s", table, want)
		}
	}
	if strings.Contains(want, "livehost_migration_lock") {
		t.Error("the lock was left behind")
	}
	if err := schema.Check(t.Context(), db, log); err != nil {
		t.Errorf("after Migrate: %v", err)
	}
	for _, v := range versions[:len(versions)-1] {
		db := database(t)
		if err := schema.To(t.Context(), db, v, log); err != nil {
			t.Fatalf("to %d: %v", v, err)
		}
		if err := schema.Check(t.Context(), db, log); err == nil || !strings.Contains(err.Error(), "older") {
			t.Errorf("at %d: %v, want a complaint about an older schema", v, err)
		}
		if err := schema.Migrate(t.Context(), db, log); err != nil {
			t.Fatalf("up from %d: %v", v, err)
		}
		if got := names(t, db); got != want {
			t.Errorf("up from %d: %s, want %s", v, got, want)
		}
	}
}

// A migration that was interrupted, by Ctrl-C in the first second of a demo or a kill,
// is run again: ClickHouse has no transactions that would have taken it back.
func TestInterruptedMigrationIsGoneOnWith(t *testing.T) {
	db := database(t)
	if err := schema.Migrate(t.Context(), db, log); err != nil {
		t.Fatal(err)
	}
	want := names(t, db)
	for _, stmt := range []string{
		"ALTER TABLE goose_db_version DELETE WHERE version_id > 0 SETTINGS mutations_sync = 1",
		"DROP VIEW v_room_minutes SYNC", // what it had not come to yet
		"DROP VIEW room_minutes_mv SYNC",
	} {
		if _, err := db.ExecContext(t.Context(), stmt); err != nil {
			t.Fatal(err)
		}
	}
	if err := schema.Migrate(t.Context(), db, log); err != nil {
		t.Fatalf("again: %v", err)
	}
	if got := names(t, db); got != want {
		t.Errorf("again: %s, want %s", got, want)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	db := database(t)
	if err := schema.Migrate(t.Context(), db, log); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)"); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() error{
		"Check":   func() error { return schema.Check(t.Context(), db, log) },
		"Migrate": func() error { return schema.Migrate(t.Context(), db, log) },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), "newer") {
			t.Errorf("%s: %v, want a complaint about a newer schema", name, err)
		}
	}
}

func TestTwoMigratorsTakeTurns(t *testing.T) {
	db := database(t)
	done := make(chan error, 2)
	for range 2 {
		go func() { done <- schema.Migrate(t.Context(), db, log) }()
	}
	for range 2 {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(60 * time.Second):
			t.Fatal("stuck")
		}
	}
}
