package policy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"livehost/internal/clock"
	"livehost/internal/embedded/policy/latency"
	"livehost/internal/embedded/policy/rules"
	"livehost/internal/fault"
)

// Replica is one running replica.
type Replica struct {
	Name    string // policy-1, policy-2, ...
	BaseURL string // http://127.0.0.1:port/v1
	Slots   int
}

// Fleet is the running replicas.
type Fleet struct {
	replicas []*replica
	wg       sync.WaitGroup
}

// Start listens on a port for each replica and serves until Close.
func Start(cfg Config, clk *clock.Clock, log *slog.Logger) (*Fleet, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fault.Wrap(fault.Invalid, fmt.Errorf("policy: %w", err))
	}
	profile, err := latency.ProfileNamed(cfg.Profile)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err)
	}
	log = log.With("policy", ModelName)
	engine := rules.NewEngine(cfg.Seed)
	f := &Fleet{}
	for i := range cfg.Replicas {
		l, err := listen(cfg, i)
		if err != nil {
			return nil, errors.Join(fault.Wrap(fault.Unavailable, fmt.Errorf("policy: replica %d: %w", i+1, err)), f.Close())
		}
		r := newReplica(cfg, i, l, replicaDeps{
			clock: clk, log: log, engine: engine, profile: profile,
			sampler: latency.NewSampler(profile, cfg.Seed+uint64(i)),
		})
		f.replicas = append(f.replicas, r)
		f.wg.Go(func() {
			if err := r.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				r.log.Error("policy replica stopped", "err", err)
			}
		})
		r.log.Info("policy replica listens", "base_url", r.info.BaseURL, "slots", cfg.Slots, "profile", cfg.Profile)
	}
	return f, nil
}

func listen(cfg Config, i int) (net.Listener, error) {
	addr, err := cfg.addr(i)
	if err != nil {
		return nil, err
	}
	return new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
}

// Replicas lists the replicas in the order of their names.
func (f *Fleet) Replicas() []Replica {
	var out []Replica
	for _, r := range f.replicas {
		out = append(out, r.info)
	}
	return out
}

// Close aborts what runs, closes every connection and waits for the servers.
func (f *Fleet) Close() error {
	var errs []error
	for _, r := range f.replicas {
		// Connections first: a handler that ends on a live one would look like an answer.
		errs = append(errs, r.server.Close())
		r.stop()
	}
	f.wg.Wait()
	return errors.Join(errs...)
}

type replicaDeps struct {
	clock   *clock.Clock
	log     *slog.Logger
	engine  *rules.Engine
	profile latency.Profile
	sampler *latency.Sampler
}

// replica is one server with its slots.
type replica struct {
	replicaDeps
	cfg    Config
	info   Replica
	server *http.Server
	slots  *slots
	stop   context.CancelFunc

	mu      sync.Mutex
	seq     int
	running map[string]*generation // by completion id
}

// headerTimeout bounds, in wall time, how long a client may take to send headers.
const headerTimeout = 10 * time.Second

func newReplica(cfg Config, i int, l net.Listener, deps replicaDeps) *replica {
	ctx, stop := context.WithCancel(context.Background())
	name := fmt.Sprintf("policy-%d", i+1)
	deps.log = deps.log.With("replica", name)
	r := &replica{
		replicaDeps: deps, cfg: cfg, stop: stop, running: map[string]*generation{},
		info:  Replica{Name: name, BaseURL: "http://" + l.Addr().String() + "/v1", Slots: cfg.Slots},
		slots: newSlots(cfg.Slots, cfg.Queue),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", r.chat)
	mux.HandleFunc("GET /v1/models", r.models)
	mux.HandleFunc("GET /health", r.health)
	mux.HandleFunc("POST /abort_request", r.abort)
	r.server = &http.Server{
		Handler: named(mux), ReadHeaderTimeout: headerTimeout,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(deps.log.Handler(), slog.LevelDebug),
	}
	return r
}

// named says on every response who answers.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("X-Policy", ModelName)
		next.ServeHTTP(w, req)
	})
}
