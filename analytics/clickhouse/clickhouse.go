package clickhouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"livehost/internal/config"
	"livehost/internal/fault"
)

// Config is how to reach ClickHouse. Durations are wall time.
type Config struct {
	DSN         config.Secret `yaml:"dsn"`         // clickhouse://user:pass@host:9000/db or http://host:8123/db
	Database    string        `yaml:"database"`    // created when it is missing
	Timeout     time.Duration `yaml:"timeout"`     // of one insert or query
	Connections int           `yaml:"connections"` // at most this many
}

// DefaultConfig is everything but the DSN.
func DefaultConfig() Config {
	return Config{Database: "livehost", Timeout: 30 * time.Second, Connections: 8}
}

var databaseName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Validate reports every problem.
func (c Config) Validate() error {
	var problems []error
	if c.DSN == "" {
		problems = append(problems, errors.New("dsn: empty; use clickhouse://host:9000 or http://host:8123, or --embedded"))
	} else if _, err := parse(c.DSN); err != nil {
		problems = append(problems, err)
	}
	if !databaseName.MatchString(c.Database) {
		problems = append(problems, fmt.Errorf("database: %q is not a plain name", c.Database))
	}
	if c.Timeout <= 0 || c.Connections < 1 {
		problems = append(problems, errors.New("timeout and connections: must be positive"))
	}
	return errors.Join(problems...)
}

// parse reads a DSN; its error does not repeat what may be a password.
func parse(dsn config.Secret) (*clickhouse.Options, error) {
	opts, err := clickhouse.ParseDSN(string(dsn))
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err
	}
	if err != nil {
		return nil, fmt.Errorf("dsn: %w", err)
	}
	return opts, nil
}

// Dial replaces how connections are made; the embedded engine is reached so.
type Dial func(ctx context.Context) (net.Conn, error)

// Client is one process's ClickHouse.
type Client struct {
	cfg  Config
	conn driver.Conn
	db   *sql.DB

	mu     sync.Mutex
	tables map[string][]clickhouse.ColumnNameAndType // what blocks have, by table
}

// Open connects, creates the database when it is missing and checks that it
// answers. dial may be nil.
func Open(ctx context.Context, cfg Config, dial Dial) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fault.Wrap(fault.Invalid, fmt.Errorf("clickhouse: %w", err))
	}
	opts, err := options(cfg, dial)
	if err != nil {
		return nil, err
	}
	if err := ensureDatabase(ctx, *opts, cfg.Database); err != nil {
		return nil, err
	}
	opts.Auth.Database = cfg.Database
	conn, err := clickhouse.Open(opts)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "clickhouse: %w", err)
	}
	return &Client{cfg: cfg, conn: conn, db: clickhouse.OpenDB(opts), tables: map[string][]clickhouse.ColumnNameAndType{}}, nil
}

func options(cfg Config, dial Dial) (*clickhouse.Options, error) {
	opts, err := parse(cfg.DSN)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, fmt.Errorf("clickhouse: %w", err))
	}
	if dial != nil {
		opts.DialContext = func(ctx context.Context, _ string) (net.Conn, error) { return dial(ctx) }
	}
	opts.MaxOpenConns, opts.MaxIdleConns = cfg.Connections, cfg.Connections
	opts.DialTimeout, opts.ReadTimeout = 5*time.Second, cfg.Timeout
	return opts, nil
}

// ensureDatabase speaks without a database, as the wanted one may be missing.
func ensureDatabase(ctx context.Context, opts clickhouse.Options, name string) error {
	opts.Auth.Database = "default"
	opts.MaxOpenConns, opts.MaxIdleConns = 1, 1
	conn, err := clickhouse.Open(&opts)
	if err != nil {
		return fault.Errorf(fault.Invalid, "clickhouse: %w", err)
	}
	defer conn.Close()
	if err := conn.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+name); err != nil {
		return Classify(fmt.Errorf("clickhouse at %s: %w", strings.Join(opts.Addr, ","), err))
	}
	return nil
}

// DB is the same server for the migrations.
func (c *Client) DB() *sql.DB { return c.db }

// Conn is the native interface, for reads.
func (c *Client) Conn() driver.Conn { return c.conn }

// Close disconnects.
func (c *Client) Close() error { return errors.Join(c.conn.Close(), c.db.Close()) }
