package cli

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// StoreOptions say where the analytics are and which part of them is meant.
type StoreOptions struct {
	Config  string
	Data    string // data directory of an embedded run, also of one that goes on
	JSON    bool
	Room    string
	Variant string
	Since   string        // RFC 3339, room time
	Until   string        // RFC 3339, room time
	Timeout time.Duration // of one query, wall time
}

// IncidentOptions are the flags of incidents.
type IncidentOptions struct {
	StoreOptions
	ID      string
	Kind    string
	Rule    string
	Cause   string
	Version string
	Limit   int
}

// ABOptions are the flags of ab report.
type ABOptions struct {
	StoreOptions
	Experiment string
	Version    uint32             // 0: the newest
	Control    string             // "": as the experiment says, else the first variant by name
	Split      map[string]float64 // planned shares; empty: as the experiment says, else equal
}

// SQLOptions are the flags of sql.
type SQLOptions struct {
	StoreOptions
	SQL   string
	Limit int
}

// AnalyticsActions are what the commands that read the analytics do.
type AnalyticsActions struct {
	IncidentsList func(context.Context, IncidentOptions, IO) error
	IncidentsShow func(context.Context, IncidentOptions, IO) error
	IncidentsTail func(context.Context, IncidentOptions, IO) error
	ABReport      func(context.Context, ABOptions, IO) error
	Latency       func(context.Context, StoreOptions, IO) error
	Outcomes      func(context.Context, StoreOptions, IO) error
	SQL           func(context.Context, SQLOptions, IO) error
	SchemaUp      func(context.Context, StoreOptions, IO) error
}

// storeFlags are of every command that reads the analytics.
func storeFlags(c *cobra.Command, o *StoreOptions) {
	f := c.PersistentFlags()
	f.StringVar(&o.Config, "config", "", "YAML file with the ClickHouse server; LIVEHOST_CLICKHOUSE__* variables go over it")
	f.StringVar(&o.Data, "data", "", "data directory of an embedded run instead; it may still be running")
	f.BoolVar(&o.JSON, "json", false, "print JSON")
	f.DurationVar(&o.Timeout, "timeout", 30*time.Second, "how long a query may take")
}

func scopeFlags(c *cobra.Command, o *StoreOptions) {
	f := c.PersistentFlags()
	f.StringVar(&o.Room, "room", "", "only this room")
	f.StringVar(&o.Variant, "variant", "", "only this variant")
	f.StringVar(&o.Since, "since", "", "only from this room time on, e.g. 2026-07-28T20:00:00+08:00")
	f.StringVar(&o.Until, "until", "", "only before this room time")
}

// analytics are the commands that read the analytics.
func analytics(a AnalyticsActions, io IO) []*cobra.Command {
	return []*cobra.Command{incidents(a, io), ab(a, io), latency(a, io), outcomes(a, io), sqlCommand(a, io), schemaCommand(a, io)}
}

func incidents(a AnalyticsActions, io IO) *cobra.Command {
	var o IncidentOptions
	c := &cobra.Command{Use: "incidents", Short: "Guardrail hits, fallbacks, and danmaku that were suppressed, failed or expired"}
	storeFlags(c, &o.StoreOptions)
	filters := func(c *cobra.Command) *cobra.Command {
		scopeFlags(c, &o.StoreOptions)
		f := c.Flags()
		f.StringVar(&o.Kind, "kind", "", "guardrail, fallback or outcome")
		f.StringVar(&o.Rule, "rule", "", "only this rule, fallback or state")
		f.StringVar(&o.Cause, "cause", "", "only this cause")
		f.StringVar(&o.Version, "version", "", "only this version of a rule, release, policy or harness")
		f.IntVar(&o.Limit, "limit", 100, "at most this many, the newest")
		return c
	}
	list := &cobra.Command{
		Use: "list", Short: "List incidents, newest first", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(o.validate(), func() error { return a.IncidentsList(c.Context(), o, io) })
		},
	}
	tail := &cobra.Command{
		Use: "tail", Short: "Print incidents as they arrive, oldest first, until interrupted", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(o.validate(), func() error { return a.IncidentsTail(c.Context(), o, io) })
		},
	}
	show := &cobra.Command{
		Use: "show ID", Short: "One incident with the run behind it; ID of a hit, a run or a danmaku", Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.ID = args[0]
			return checked(o.StoreOptions.validate(), func() error { return a.IncidentsShow(c.Context(), o, io) })
		},
	}
	show.Flags().StringVar(&o.Room, "room", "", "of this room: danmaku of two rooms may have one id")
	c.AddCommand(filters(list), show, filters(tail))
	return c
}

func ab(a AnalyticsActions, io IO) *cobra.Command {
	var o ABOptions
	var split []string
	c := &cobra.Command{Use: "ab", Short: "Experiments"}
	storeFlags(c, &o.StoreOptions)
	report := &cobra.Command{
		Use: "report NAME", Short: "Populations, exposures, GMV and orders per user, naive effect, and why there is no verdict", Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Experiment = args[0]
			var err error
			if o.Split, err = shares(split); err != nil {
				return err
			}
			return checked(o.validate(), func() error { return a.ABReport(c.Context(), o, io) })
		},
	}
	f := report.Flags()
	f.Uint32Var(&o.Version, "version", 0, "version of the experiment (0: the newest)")
	f.StringVar(&o.Control, "control", "", "the variant that others are compared with")
	f.StringSliceVar(&split, "split", nil, "planned shares, e.g. --split control=50,treatment=50")
	c.AddCommand(report)
	return c
}

// shares reads name=number pairs.
func shares(pairs []string) (map[string]float64, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	out := map[string]float64{}
	for _, p := range pairs {
		name, value, ok := strings.Cut(p, "=")
		share, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
		if _, twice := out[name]; !ok || err != nil || !(share > 0) || math.IsInf(share, 0) || name == "" || twice {
			return nil, &usageError{fmt.Errorf("--split: %q is not variant=share with a positive share, each variant once", p)}
		}
		out[name] = share
	}
	return out, nil
}

func latency(a AnalyticsActions, io IO) *cobra.Command {
	var o StoreOptions
	c := &cobra.Command{
		Use: "latency", Short: "Percentiles of every stage, misses counted", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(o.validate(), func() error { return a.Latency(c.Context(), o, io) })
		},
	}
	storeFlags(c, &o)
	scopeFlags(c, &o)
	return c
}

func outcomes(a AnalyticsActions, io IO) *cobra.Command {
	var o StoreOptions
	c := &cobra.Command{
		Use: "outcomes", Short: "How many danmaku ended how; conflicts must be 0", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(o.validate(), func() error { return a.Outcomes(c.Context(), o, io) })
		},
	}
	storeFlags(c, &o)
	scopeFlags(c, &o)
	return c
}

func sqlCommand(a AnalyticsActions, io IO) *cobra.Command {
	var o SQLOptions
	c := &cobra.Command{
		Use: "sql STATEMENT", Short: "Run one reading statement on the analytics, e.g. over the v_* views of docs/metrics.md", Args: exactly(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.SQL = args[0]
			return checked(o.validate(), func() error { return a.SQL(c.Context(), o, io) })
		},
	}
	storeFlags(c, &o.StoreOptions)
	c.Flags().IntVar(&o.Limit, "limit", 1000, "at most this many rows")
	return c
}

func schemaCommand(a AnalyticsActions, io IO) *cobra.Command {
	var o StoreOptions
	c := &cobra.Command{Use: "schema", Short: "The tables of the analytics"}
	storeFlags(c, &o)
	c.AddCommand(&cobra.Command{
		Use: "up", Short: "Bring the tables up to this binary's version", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return checked(o.validate(), func() error { return a.SchemaUp(c.Context(), o, io) })
		},
	})
	return c
}
