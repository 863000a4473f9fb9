package ops

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Config says where to listen.
type Config struct {
	Addr string `yaml:"addr"` // host:port; empty: no server
}

// Validate reports every problem.
func (c Config) Validate() error {
	if c.Addr == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return fmt.Errorf("addr: %w", err)
	}
	return nil
}

// Server is the HTTP server.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// New listens; Run serves what the collectors and the process itself give.
func New(cfg Config, more ...prometheus.Collector) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("ops: %w", err)
	}
	registry := prometheus.NewRegistry()
	for _, c := range append(more, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})) {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("ops: %w", err)
		}
	}
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("ops: %w; configure another ops.addr", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return &Server{listener: l, http: &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}}, nil
}

// Addr is where it listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Run serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- s.http.Serve(s.listener) }()
	select {
	case err := <-done:
		return fmt.Errorf("ops: %w", err)
	case <-ctx.Done():
	}
	err := s.http.Close()
	if serr := <-done; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	return err
}

// Progress is how far a consumer is in one partition.
type Progress struct {
	Group, Topic    string
	Partition       int32
	Lag, Unfinished int64
	Lost            int64
	Oldest          time.Time // of the oldest unfinished record; zero: there is none
	Paused          bool
}

// consumers collects the progress of the process's consumers.
type consumers struct {
	progress                               func() []Progress
	lag, unfinished, oldest, lost, stopped *prometheus.Desc
}

// Consumers collects what progress returns at each scrape.
func Consumers(progress func() []Progress) prometheus.Collector {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("live_streams_"+name, help, []string{"group", "topic", "partition"}, nil)
	}
	return &consumers{
		progress:   progress,
		lag:        desc("lag_records", "Records of the partition that are not finished, taken or not."),
		unfinished: desc("unfinished_records", "Records that were taken and are not finished."),
		oldest:     desc("oldest_unfinished_seconds", "Age of the oldest record that was taken and is not finished; 0: there is none."),
		lost:       desc("lost_records_total", "Records that retention removed before they were taken."),
		stopped:    desc("paused", "1 while the partition is paused because too much is unfinished."),
	}
}

// Describe implements prometheus.Collector.
func (c *consumers) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.lag, c.unfinished, c.oldest, c.lost, c.stopped} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *consumers) Collect(ch chan<- prometheus.Metric) {
	for _, p := range c.progress() {
		send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64) {
			ch <- prometheus.MustNewConstMetric(d, kind, v, p.Group, p.Topic, strconv.Itoa(int(p.Partition)))
		}
		age, paused := 0.0, 0.0
		if !p.Oldest.IsZero() {
			age = time.Since(p.Oldest).Seconds()
		}
		if p.Paused {
			paused = 1
		}
		send(c.lag, prometheus.GaugeValue, float64(p.Lag))
		send(c.unfinished, prometheus.GaugeValue, float64(p.Unfinished))
		send(c.oldest, prometheus.GaugeValue, age)
		send(c.lost, prometheus.CounterValue, float64(p.Lost))
		send(c.stopped, prometheus.GaugeValue, paused)
	}
}
