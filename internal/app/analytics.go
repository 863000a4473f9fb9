package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"livehost/analytics/clickhouse"
	"livehost/analytics/query"
	"livehost/analytics/schema"
	"livehost/internal/cli"
	"livehost/internal/config"
	"livehost/internal/embedded/engine"
)

func analyticsActions() cli.AnalyticsActions {
	return cli.AnalyticsActions{
		IncidentsList: runIncidentsList, IncidentsShow: runIncidentsShow, IncidentsTail: runIncidentsTail,
		ABReport: runABReport, Latency: runLatency, Outcomes: runOutcomes, SQL: runSQL, SchemaUp: runSchemaUp,
	}
}

// reading opens the store that o names and calls fn with it.
func reading(ctx context.Context, o cli.StoreOptions, std cli.IO, fn func(*clickhouse.Client) error) error {
	log := newLogger(LogConfig{Level: "error", Format: "text"}, std.Err)
	if o.Data != "" {
		return readingData(ctx, o, log, fn)
	}
	cfg := DefaultConfig()
	if err := config.Load(&cfg, o.Config, os.Environ()); err != nil {
		return err
	}
	cfg.ClickHouse.Timeout = o.Timeout
	if err := config.At("clickhouse", cfg.ClickHouse.Validate()); err != nil {
		return fmt.Errorf("%w\nname a run's --data directory, or a --config with a ClickHouse server", err)
	}
	client, err := clickhouse.Open(ctx, cfg.ClickHouse, nil)
	if err != nil {
		return err
	}
	if err := schema.Check(ctx, client.DB(), log); err != nil {
		return errors.Join(err, client.Close())
	}
	return errors.Join(fn(client), client.Close())
}

// readingData reads a data directory: through the engine that has it open, or
// with one of our own.
func readingData(ctx context.Context, o cli.StoreOptions, log *slog.Logger, fn func(*clickhouse.Client) error) error {
	dir := filepath.Join(o.Data, "clickhouse")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--data %s: no analytics there; name the data directory of a demo run with --keep", o.Data)
	}
	if dial, ok := engine.Running(dir); ok {
		cc := clickhouse.DefaultConfig()
		cc.DSN, cc.Timeout = engineDSN, o.Timeout
		client, err := clickhouse.Open(ctx, cc, dial)
		if err != nil {
			return err
		}
		return errors.Join(fn(client), client.Close())
	}
	store, err := startEngine(ctx, o.Data, 0, log)
	if err != nil {
		return err
	}
	return errors.Join(fn(store.client), store.client.Close(), store.engine.Close())
}

// printed is an answer's JSON or its form for people.
func printed(o cli.StoreOptions, std cli.IO, answer any, write func(io.Writer) error) error {
	if !o.JSON {
		return write(std.Out)
	}
	return json.NewEncoder(std.Out).Encode(answer)
}

func scopeOfFlags(o cli.StoreOptions) (query.Scope, error) {
	s := query.Scope{Room: o.Room, Variant: o.Variant}
	var problems []error
	for _, f := range []struct {
		flag, value string
		into        *time.Time
	}{{"--since", o.Since, &s.Since}, {"--until", o.Until, &s.Until}} {
		if f.value == "" {
			continue
		}
		t, err := time.Parse(time.RFC3339, f.value)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %q is not a time like 2026-07-28T20:00:00+08:00", f.flag, f.value))
		}
		*f.into = t
	}
	return s, errors.Join(problems...)
}

func incidentFilter(o cli.IncidentOptions) (query.IncidentFilter, error) {
	s, err := scopeOfFlags(o.StoreOptions)
	return query.IncidentFilter{Scope: s, Kind: o.Kind, Rule: o.Rule, Cause: o.Cause, Version: o.Version, Limit: o.Limit}, err
}

// runIncidentsList is `livehost incidents list`.
func runIncidentsList(ctx context.Context, o cli.IncidentOptions, std cli.IO) error {
	f, err := incidentFilter(o)
	if err != nil {
		return err
	}
	return reading(ctx, o.StoreOptions, std, func(c *clickhouse.Client) error {
		list, err := c.Incidents(ctx, f)
		if err != nil {
			return err
		}
		return printed(o.StoreOptions, std, list, query.IncidentTable(list).Write)
	})
}

// runIncidentsShow is `livehost incidents show ID`.
func runIncidentsShow(ctx context.Context, o cli.IncidentOptions, std cli.IO) error {
	return reading(ctx, o.StoreOptions, std, func(c *clickhouse.Client) error {
		story, err := c.Incident(ctx, o.Room, o.ID)
		if err != nil {
			return err
		}
		return printed(o.StoreOptions, std, story, story.Write)
	})
}

// tailEvery is how often, in wall time, incidents tail looks again.
const tailEvery = time.Second

// runIncidentsTail is `livehost incidents tail`.
func runIncidentsTail(ctx context.Context, o cli.IncidentOptions, std cli.IO) error {
	f, err := incidentFilter(o)
	if err != nil {
		return err
	}
	return reading(ctx, o.StoreOptions, std, func(c *clickhouse.Client) error {
		return c.TailIncidents(ctx, f, tailEvery, func(i query.Incident) error {
			return printed(o.StoreOptions, std, i, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, i.Line())
				return err
			})
		})
	})
}

// runABReport is `livehost ab report NAME`.
func runABReport(ctx context.Context, o cli.ABOptions, std cli.IO) error {
	plan := planFor(o.Experiment)
	plan.Version.Version = o.Version
	if o.Control != "" {
		plan.Control = o.Control
	}
	if o.Split != nil {
		plan.Split, plan.SplitOf = o.Split, 0
	}
	return reading(ctx, o.StoreOptions, std, func(c *clickhouse.Client) error {
		r, err := c.ABReport(ctx, plan)
		if err != nil {
			return err
		}
		return printed(o.StoreOptions, std, r, r.Write)
	})
}

// runLatency is `livehost latency`.
func runLatency(ctx context.Context, o cli.StoreOptions, std cli.IO) error {
	s, err := scopeOfFlags(o)
	if err != nil {
		return err
	}
	return reading(ctx, o, std, func(c *clickhouse.Client) error {
		list, err := c.Latency(ctx, s)
		if err != nil {
			return err
		}
		return printed(o, std, list, query.LatencyTable(list).Write)
	})
}

// runOutcomes is `livehost outcomes`.
func runOutcomes(ctx context.Context, o cli.StoreOptions, std cli.IO) error {
	s, err := scopeOfFlags(o)
	if err != nil {
		return err
	}
	return reading(ctx, o, std, func(c *clickhouse.Client) error {
		counts, err := c.Counts(ctx, s)
		if err != nil {
			return err
		}
		return printed(o, std, counts, counts.Table().Write)
	})
}

// runSQL is `livehost sql STATEMENT`.
func runSQL(ctx context.Context, o cli.SQLOptions, std cli.IO) error {
	return reading(ctx, o.StoreOptions, std, func(c *clickhouse.Client) error {
		r, err := c.SQL(ctx, o.SQL, o.Limit)
		if err != nil {
			return err
		}
		if r.Truncated {
			fmt.Fprintf(std.Err, "there are more than %d rows; --limit shows more\n", o.Limit)
		}
		return printed(o.StoreOptions, std, r, r.Table().Write)
	})
}

// runSchemaUp is `livehost schema up`.
func runSchemaUp(ctx context.Context, o cli.StoreOptions, std cli.IO) error {
	log := newLogger(LogConfig{Level: "info", Format: "text"}, std.Err)
	if o.Data != "" {
		return reading(ctx, o, std, func(c *clickhouse.Client) error { return schema.Migrate(ctx, c.DB(), log) })
	}
	cfg := DefaultConfig()
	if err := config.Load(&cfg, o.Config, os.Environ()); err != nil {
		return err
	}
	client, err := openStore(ctx, cfg.ClickHouse, nil, log)
	if err != nil {
		return err
	}
	return client.Close()
}
