package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"livehost/analytics/query"
	"livehost/internal/fault"
	"livehost/streams/event"
)

// ask runs a statement and scans every row.
func ask[T any](ctx context.Context, c *Client, s query.Statement, fields func(*T) []any) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	var args []any
	for name, v := range s.Params {
		args = append(args, clickhouse.Named(name, v))
	}
	rows, err := c.conn.Query(ctx, s.SQL, args...)
	if err != nil {
		return nil, Classify(fmt.Errorf("query: %w", err))
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		var v T
		if err := rows.Scan(fields(&v)...); err != nil {
			return nil, fault.Wrap(fault.Internal, fmt.Errorf("query: %w", err))
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, Classify(fmt.Errorf("query: %w", err))
	}
	return out, nil
}

// Incidents lists incidents, newest first.
func (c *Client) Incidents(ctx context.Context, f query.IncidentFilter) ([]query.Incident, error) {
	return ask(ctx, c, query.Incidents(f), (*query.Incident).Fields)
}

// Incident is the incident of a hit, run or danmaku, with the run behind it. Without a
// room it may be of any, but of one only: danmaku of two rooms may have one id.
func (c *Client) Incident(ctx context.Context, room, id string) (query.IncidentStory, error) {
	var s query.IncidentStory
	var err error
	if s.Incidents, err = ask(ctx, c, query.IncidentByID(room, id), (*query.Incident).Fields); err != nil {
		return s, err
	}
	if len(s.Incidents) == 0 {
		return s, fault.Errorf(fault.Invalid, "no incident is about %q: give the id of a guardrail hit, a run or a danmaku", id)
	}
	first := s.Incidents[0]
	for _, i := range s.Incidents {
		if i.RoomID != first.RoomID {
			return query.IncidentStory{}, fault.Errorf(fault.Invalid, "incidents of rooms %s and %s are about %q: --room says which", first.RoomID, i.RoomID, id)
		}
	}
	if first.RunID != "" {
		if s.Steps, err = ask(ctx, c, query.Steps(first.RunID), (*query.Step).Fields); err != nil {
			return s, err
		}
		if s.Deliveries, err = ask(ctx, c, query.Deliveries(first.RunID), (*query.Heard).Fields); err != nil {
			return s, err
		}
	}
	if len(first.DanmakuIDs) > 0 {
		s.Endings, err = ask(ctx, c, query.Endings(first.RoomID, first.DanmakuIDs), (*query.Ending).Fields)
	}
	return s, err
}

// tailOverlap is how far back every look of TailIncidents goes: rows of different
// partitions and rooms do not arrive in the order of their times.
const tailOverlap = 2 * time.Minute

// tailLimit is how many incidents one look may find after the first: more than there
// are in tailOverlap when everything is going wrong.
const tailLimit = 100_000

// TailIncidents calls fn for incidents from f.Since on as they arrive, oldest
// first, and looks again every interval of wall time until ctx ends or fn fails.
// f.Limit is of those that are there already.
func (c *Client) TailIncidents(ctx context.Context, f query.IncidentFilter, every time.Duration, fn func(query.Incident) error) error {
	type key struct{ kind, room, id string }
	seen := map[key]time.Time{}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for first := true; ; first = false {
		list, err := c.Incidents(ctx, f)
		if err != nil && ctx.Err() == nil {
			return err
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].Time.Before(list[j].Time) })
		if first && len(list) > 0 && len(list) >= f.Most() {
			f.Since = list[0].Time // older ones were left out, and stay so
		}
		for _, i := range list {
			k := key{i.Kind, i.RoomID, i.ID}
			if _, ok := seen[k]; ok {
				continue
			}
			seen[k] = i.Time
			if err := fn(i); err != nil {
				return err
			}
			if from := i.Time.Add(-tailOverlap); from.After(f.Since) {
				f.Since = from
			}
		}
		for k, at := range seen {
			if at.Before(f.Since) {
				delete(seen, k)
			}
		}
		f.Limit = tailLimit
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Latency is the percentiles of every stage.
func (c *Client) Latency(ctx context.Context, s query.Scope) ([]query.Latency, error) {
	rows, err := ask(ctx, c, query.Latencies(s), (*query.LatencyRow).Fields)
	if err != nil {
		return nil, err
	}
	return query.LatencyReport(rows), nil
}

// Counts is how many danmaku ended how.
func (c *Client) Counts(ctx context.Context, s query.Scope) (query.Counts, error) {
	out := query.NewCounts()
	type row struct {
		state string
		n     int64
	}
	states, err := ask(ctx, c, query.OutcomeCounts(s), func(r *row) []any { return []any{&r.state, &r.n} })
	if err != nil {
		return out, err
	}
	for _, r := range states {
		out.Outcomes[event.State(r.state)] = r.n
	}
	conflicts, err := ask(ctx, c, query.OutcomeConflicts(s.Room), func(n *int64) []any { return []any{n} })
	if err == nil {
		out.Conflicts = conflicts[0]
	}
	return out, err
}

// ABReport counts and judges an experiment. Without a version it is the newest.
func (c *Client) ABReport(ctx context.Context, p query.Plan) (query.ABReport, error) {
	latest, err := ask(ctx, c, query.LatestVersion(p.Experiment), func(v *uint32) []any { return []any{v} })
	if err != nil {
		return query.ABReport{}, err
	}
	if latest[0] == 0 {
		return query.ABReport{}, c.noExperiment(ctx, p.Experiment)
	}
	if p.Version.Version == 0 {
		p.Version.Version = latest[0]
	}
	var in query.ABInput
	if in.Units, err = ask(ctx, c, query.Units(p.Version), (*query.VariantUnits).Fields); err != nil {
		return query.ABReport{}, err
	}
	type mixed struct{ seen, mixed int64 }
	m, err := ask(ctx, c, query.MixedUnits(p.Version), func(m *mixed) []any { return []any{&m.seen, &m.mixed} })
	if err != nil {
		return query.ABReport{}, err
	}
	in.SeenUnits, in.Mixed = m[0].seen, m[0].mixed
	if in.Windows, err = ask(ctx, c, query.Windows(p.Version), (*query.VariantWindows).Fields); err != nil {
		return query.ABReport{}, err
	}
	if in.Speech, err = ask(ctx, c, query.Speech(p.Version), (*query.VariantSpeech).Fields); err != nil {
		return query.ABReport{}, err
	}
	return query.NewABReport(p, in), nil
}

func (c *Client) noExperiment(ctx context.Context, name string) error {
	type row struct {
		name    string
		version uint32
	}
	known, err := ask(ctx, c, query.Experiments(), func(r *row) []any { return []any{&r.name, &r.version} })
	if err != nil {
		return err
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = k.name
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return fault.Errorf(fault.Invalid, "no unit of experiment %q was seen; experiments with units: %s", name, strings.Join(names, ", "))
}

// SQL runs one statement of an analyst, who can read and nothing else, and
// returns at most limit rows.
func (c *Client) SQL(ctx context.Context, sql string, limit int) (query.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"readonly": 2}))
	sql = strings.TrimRight(strings.TrimSpace(sql), "; \n")
	if err := onlyReads(sql); err != nil {
		return query.Result{}, err
	}
	rows, err := c.conn.Query(ctx, sql)
	if err != nil {
		return query.Result{}, refusal(err)
	}
	defer rows.Close()
	out := query.Result{Columns: rows.Columns(), Rows: [][]any{}}
	for _, t := range rows.ColumnTypes() {
		out.Types = append(out.Types, t.DatabaseTypeName())
	}
	for rows.Next() {
		if len(out.Rows) == limit {
			out.Truncated = true
			break
		}
		row, err := values(rows)
		if err != nil {
			return query.Result{}, fault.Wrap(fault.Internal, err)
		}
		out.Rows = append(out.Rows, row)
	}
	if err := rows.Err(); err != nil && !out.Truncated {
		return query.Result{}, refusal(err)
	}
	return out, nil
}

// What begins a statement that reads. The server's readonly = 2 lets others
// through, KILL QUERY among them, which would end the sink's statements.
var (
	reads  = regexp.MustCompile(`(?is)^(\s|\(|--[^\n]*\n|/\*.*?\*/)*(select|with|show|describe|desc|explain|exists)\b`)
	shaped = regexp.MustCompile(`(?is)\b(format\s+[a-z]\w*|into\s+outfile\s.*)$`)
)

func onlyReads(sql string) error {
	if !reads.MatchString(sql) {
		return fault.Errorf(fault.Invalid, "sql: this command only reads: begin with SELECT, WITH, SHOW, DESCRIBE, EXPLAIN or EXISTS")
	}
	if what := shaped.FindString(sql); what != "" {
		return fault.Errorf(fault.Invalid, "sql: leave %q out: the rows are printed here, with --json as JSON", what)
	}
	return nil
}

// refusal says in words what a read-only statement may not do.
func refusal(err error) error {
	var ex *clickhouse.Exception
	if errors.As(err, &ex) && ex.Code == readonly {
		return fault.Wrap(fault.Invalid, fmt.Errorf("sql: this command only reads: %w", err))
	}
	return Classify(fmt.Errorf("sql: %w", err))
}

const readonly = 164

// values scans a row of any shape into what JSON can hold.
func values(rows driver.Rows) ([]any, error) {
	types := rows.ColumnTypes()
	into := make([]any, len(types))
	for i, t := range types {
		into[i] = reflect.New(t.ScanType()).Interface()
	}
	if err := rows.Scan(into...); err != nil {
		return nil, fmt.Errorf("sql: %w", err)
	}
	for i, p := range into {
		into[i] = plain(reflect.ValueOf(p).Elem())
	}
	return into, nil
}

// plain is v as JSON can show it: numbers that are none as text, and no base64.
func plain(v reflect.Value) any {
	if ip, ok := v.Interface().(net.IP); ok {
		return ip.String()
	}
	switch {
	case (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil():
		return nil
	case v.Kind() == reflect.Pointer, v.Kind() == reflect.Interface: // what is in a tuple
		return plain(v.Elem())
	case v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)):
		return fmt.Sprint(v.Float())
	case v.Kind() == reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plain(v.Index(i))
		}
		return out
	case v.Kind() == reflect.Map:
		out := make(map[string]any, v.Len())
		for _, k := range v.MapKeys() {
			out[fmt.Sprint(k.Interface())] = plain(v.MapIndex(k))
		}
		return out
	}
	return v.Interface()
}
