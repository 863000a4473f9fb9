package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"time"

	"go.uber.org/fx"

	"livehost/dispatcher/outlet"
	"livehost/eval/audit"
	"livehost/harness"
	"livehost/internal/cli"
	"livehost/internal/clock"
	"livehost/internal/config"
	"livehost/internal/demo"
	"livehost/internal/embedded/commerce"
	"livehost/internal/embedded/engine"
	"livehost/internal/embedded/policy"
	"livehost/internal/lifecycle"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/source"
)

const (
	// readyWithin is the wall time the stages may take to join their groups.
	readyWithin = time.Minute
	// leadWall is the wall time between that and the first item.
	leadWall = 300 * time.Millisecond
	// settleSpeech is the room time in which the last outcome may come once the windows
	// of the last danmaku are closed: its speech may take longer.
	settleSpeech = 35 * time.Second
	// settleWallMin is the least wall time for it, at high speeds.
	settleWallMin = 15 * time.Second
	// overheadWallMs is what our own work takes of wall time, for the warning
	// about speeds at which it would count.
	overheadWallMs = 25
)

// run is one demo being run.
type demoRun struct {
	opts    cli.DemoOptions
	std     cli.IO
	log     *slog.Logger
	room    *demo.Room
	catalog *harness.Catalog
	dataDir string
	cfg     Config
	clk     *clock.Clock
	keeper  *clock.Keeper
	state   demoState
	servers *embedded
	store   *embeddedStore // nil where the engine is not installed
	items   []source.Item
	started time.Time
	resumed bool   // an earlier run left a log
	release func() // gives the data directory back; nil until it is ours
}

// demoState is what a restart needs to know; kept in the data directory.
type demoState struct {
	Room    string `json:"room"`
	EpochMs int64  `json:"epoch_ms"` // room time of the room's beginning; 0: it has not begun
	HashKey string `json:"hash_key"` // of viewers' pseudonyms in ClickHouse
}

// runDemo is `livehost demo`.
func runDemo(ctx context.Context, o cli.DemoOptions, std cli.IO) error {
	r := &demoRun{opts: o, std: std, started: time.Now(), log: newLogger(LogConfig{Level: "warn", Format: "text"}, std.Err)}
	if err := r.open(); err != nil {
		return err
	}
	if r.dataDir == "" {
		dir, err := os.MkdirTemp("", "livehost-demo-")
		if err != nil {
			return fmt.Errorf("data directory: %w; name one with --data", err)
		}
		r.dataDir = dir
	}
	defer r.cleanUp()
	stopProfile, err := profile(o.Profiling)
	if err != nil {
		return err
	}
	defer stopProfile()
	if err := r.startServers(ctx); err != nil {
		return whileStarting(ctx, err)
	}
	return r.play(ctx)
}

// whileStarting is what a start failed with. After a signal that is the signal, not
// whichever call it happened to interrupt.
func whileStarting(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("stopped while starting: %w", context.Cause(ctx))
	}
	return err
}

// open reads everything that may be wrong before anything is started.
func (r *demoRun) open() (err error) {
	o := r.opts
	r.room, err = demo.OpenRoom(demo.RoomOptions{File: o.Room, Focus: o.Focus, From: o.From, For: o.For, Busiest: o.Busiest})
	if err != nil {
		return err
	}
	for _, p := range r.room.Problems {
		fmt.Fprintln(r.std.Err, p.Error())
	}
	if r.opts.Speed == 0 {
		r.opts.Speed = r.room.Speed
	}
	if r.opts.Profile == "" {
		r.opts.Profile = r.room.Profile
	}
	if r.opts.Profile == "" {
		r.opts.Profile = policy.DefaultConfig().Profile
	}
	pc := policy.DefaultConfig()
	pc.Profile = r.opts.Profile
	if err := pc.Validate(); err != nil {
		return config.At("--profile", err)
	}
	if lost := overheadWallMs * r.opts.Speed; lost > 500 {
		fmt.Fprintf(r.std.Err, "at speed %v, %d ms of our own work count as %.1f s of room time: figures will look worse than they are\n", r.opts.Speed, overheadWallMs, lost/1000)
	}
	r.dataDir = o.Data
	r.cfg = DefaultConfig()
	if o.Config != "" {
		if err := config.Load(&r.cfg, o.Config, os.Environ()); err != nil {
			return err
		}
	}
	return r.openCatalog()
}

// openCatalog finds what is sold: --catalog or the configuration's, the script's own, or the releases'.
func (r *demoRun) openCatalog() (err error) {
	if r.opts.Catalog != "" {
		r.cfg.Harness.Catalog = r.opts.Catalog
	}
	switch {
	case r.cfg.Harness.Catalog != "":
		r.catalog, err = harness.LoadCatalog(r.cfg.Harness.Catalog)
	case r.room.Catalog != nil:
		r.catalog, err = harness.ParseCatalog(r.room.Name+": catalog.json", r.room.Catalog)
	default:
		h, herr := loadHarness(r.cfg.Harness)
		if herr != nil {
			return herr
		}
		r.catalog, err = catalogOf(h)
	}
	return err
}

// startServers starts the embedded servers and finds where room time is.
func (r *demoRun) startServers(ctx context.Context) error {
	var err error
	if r.release, err = holdDataDir(r.dataDir); err != nil {
		return err
	}
	fresh, err := r.loadState()
	if err != nil {
		return err
	}
	if r.clk, r.keeper, err = clock.Open(filepath.Join(r.dataDir, "clock.json"), time.Now(), r.opts.Speed); err != nil {
		return err
	}
	if fresh {
		r.state = demoState{Room: r.room.Name, HashKey: string(newHashKey())}
	}
	r.servers, err = startEmbedded(embeddedOptions{dataDir: r.dataDir, profile: r.opts.Profile, catalog: r.catalog, policy: r.cfg.Policy}, r.clk, r.log)
	if err != nil {
		return err
	}
	r.servers.configure(&r.cfg)
	if err := r.cfg.Validate(targets); err != nil {
		return err
	}
	if err := r.startStore(ctx); err != nil {
		return err
	}
	r.cfg.ABTest.SnapshotPath = filepath.Join(r.dataDir, "experiment.json")
	if err := provision(ctx, r.cfg, r.log); err != nil {
		return err
	}
	return r.saveState()
}

// startStore starts the ClickHouse engine. Without its library the demo goes on,
// and says what is missing.
func (r *demoRun) startStore(ctx context.Context) (err error) {
	cache, err := engine.CacheDir()
	if err == nil {
		_, err = engine.Installed(cache)
	}
	if err != nil {
		fmt.Fprintf(r.std.Err, "no ClickHouse in this run: %v\n", err)
		return nil
	}
	r.cfg.Analytics.HashKey = config.Secret(r.state.HashKey)
	r.store, err = startEngine(ctx, r.dataDir, r.opts.ClickHousePort, r.log)
	return err
}

func (r *demoRun) epoch() time.Time { return time.UnixMilli(r.state.EpochMs) }

// language is the room's, for what is printed.
func (r *demoRun) language() string {
	for _, it := range r.items {
		if e, ok := it.Event.(event.RoomEvent); ok && e.Settings != nil {
			return e.Settings.Language
		}
	}
	return "zh"
}

func (r *demoRun) statePath() string { return filepath.Join(r.dataDir, "demo.json") }

// loadState reads what an earlier run left; fresh when there was none.
func (r *demoRun) loadState() (fresh bool, err error) {
	b, err := os.ReadFile(r.statePath())
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("data directory: %w", err)
	}
	if err := json.Unmarshal(b, &r.state); err != nil {
		return false, fmt.Errorf("%s is damaged: %w; name another --data folder", r.statePath(), err)
	}
	if r.state.Room != r.room.Name {
		return false, fmt.Errorf("%s holds a run of %s, not of %s; name another --data folder", r.dataDir, r.state.Room, r.room.Name)
	}
	return false, nil
}

func (r *demoRun) saveState() error {
	b, err := json.Marshal(r.state)
	if err != nil {
		return fmt.Errorf("demo state: %w", err)
	}
	tmp := r.statePath() + ".tmp"
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return os.Rename(tmp, r.statePath())
}

// outages are the stretches in which the room wants the tools away.
func outages(epoch time.Time, items []source.Item) []commerce.Outage {
	var out []commerce.Outage
	for _, it := range items {
		if it.Control != nil && it.Control.Kind == source.Outage {
			from := epoch.Add(it.At)
			out = append(out, commerce.Outage{From: from, To: from.Add(it.Control.For)})
		}
	}
	return out
}

// play runs stages, player and printer until the room is over and accounted for,
// and fails when an invariant is broken.
func (r *demoRun) play(ctx context.Context) error {
	// The printer tells what is said; the outlet only takes the time.
	outlets, err := outlet.New(r.cfg.Outlet, r.clk, io.Discard, r.log)
	if err != nil {
		return err
	}
	playCtx, stopPlaying := context.WithCancel(ctx) // ended by the first signal
	defer stopPlaying()
	var (
		reader    streams.Reader
		publisher streams.Publisher
		running   *kafka.Running
		watch     = demo.NewWatch()
	)
	want, console := r.console()
	store := fx.Options()
	if r.store != nil {
		want, store = append([]string{analyticsTarget}, want...), r.store.option(r.log)
	}
	app := system(r.cfg, want, r.clk, r.log, outlets,
		fx.Populate(&reader, &publisher, &running), console, store,
		fx.Invoke(func(lc fx.Lifecycle, sd fx.Shutdowner, rd *kafka.Reader) {
			lifecycle.Append(lc, sd, r.log, "clock", r.keeper.Run)
			lifecycle.Append(lc, sd, r.log, "servers", func(ctx context.Context) error { return r.servers.run(ctx, rd) })
			lifecycle.Append(lc, sd, r.log, "watch", func(ctx context.Context) error { return watch.Run(ctx, rd) })
		}),
	)
	if err := app.Err(); err != nil {
		return err
	}
	if err := app.Start(ctx); err != nil {
		return whileStarting(ctx, err)
	}
	err = whileStarting(ctx, r.begin(ctx, running))
	stopPrinter := func() error { return nil }
	if err == nil {
		r.introduce()
		stopPrinter = r.printLive(reader, stopPlaying)
		err = r.untilSettled(ctx, playCtx, app, r.player(reader, publisher), watch)
	}
	err = errors.Join(err, stopPrinter())
	if err == nil {
		err = r.judge(context.WithoutCancel(ctx), reader)
		r.stay(ctx)
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return errors.Join(err, app.Stop(stop))
}

// judge reads the whole log and reports it.
func (r *demoRun) judge(ctx context.Context, reader streams.Reader) error {
	log, err := audit.Read(ctx, reader)
	if err != nil {
		return err
	}
	s := r.summarize(log)
	if r.store != nil {
		if s.ClickHouse, err = compare(ctx, r.store.client, s.Summary); err != nil {
			return err
		}
	}
	return r.report(s)
}

// begin waits until the stages have joined and then lets the room begin, unless an
// earlier run did.
func (r *demoRun) begin(ctx context.Context, running *kafka.Running) error {
	wait, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for !running.Ready() {
		select {
		case <-wait.Done():
			return fmt.Errorf("the stages did not join their groups within %v: %w", readyWithin, wait.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	if r.resumed = r.state.EpochMs != 0; !r.resumed {
		r.state.EpochMs = r.clk.Now().Add(time.Duration(float64(leadWall) * r.opts.Speed)).UnixMilli()
		if err := r.saveState(); err != nil {
			return err
		}
	}
	r.items = r.room.Items(r.epoch(), r.catalog)
	r.servers.commerce.Schedule(outages(r.epoch(), r.items)...)
	return nil
}

func (r *demoRun) player(reader streams.Reader, publisher streams.Publisher) *demo.Player {
	return demo.NewPlayer(r.epoch(), r.items, demo.PlayerDeps{
		Publisher: publisher, Reader: reader, Clock: r.clk, Log: r.log,
		Control: func(source.Control) {}, // outages are scheduled in begin
	})
}

// printLive prints what happens until stop, which waits for the last line. When
// nothing can be printed any more, failed is called.
func (r *demoRun) printLive(reader streams.Reader, failed func()) (stop func() error) {
	if r.opts.JSON {
		return func() error { return nil }
	}
	p := demo.NewPrinter(demo.PrinterConfig{Epoch: r.epoch(), Language: r.language(), FromEnd: r.resumed}, r.std.Out)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		err := p.Run(ctx, reader)
		if err != nil {
			failed()
		}
		done <- err
	}()
	return func() error {
		cancel()
		return <-done
	}
}

// untilSettled returns when the room is over and every danmaku has its outcome,
// or has had the time for one. A signal ends the room early.
func (r *demoRun) untilSettled(ctx, playCtx context.Context, app *fx.App, player *demo.Player, watch *demo.Watch) error {
	played := make(chan error, 1)
	go func() { played <- player.Run(playCtx) }()
	select {
	case err := <-played:
		if err != nil {
			return err
		}
	case s := <-app.Wait():
		if s.ExitCode != 0 {
			return errors.New("a part of the demo stopped early; see above")
		}
	}
	if ctx.Err() != nil {
		fmt.Fprintln(r.std.Err, "stopping: no more danmaku, waiting for those under way")
	}
	patience := max(r.clk.Wall(r.cfg.Aggregator.MaxInFlight+settleSpeech), settleWallMin)
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	watch.Settle(wait) // what is left is reported as unaccounted
	return nil
}

// profile writes a CPU profile until stop; none when path is "".
func profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--cpuprofile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("--cpuprofile: %w", err), f.Close())
	}
	return func() { pprof.StopCPUProfile(); _ = f.Close() }, nil
}

func (r *demoRun) cleanUp() {
	if r.store != nil { // when the start failed before the application took it
		if err := r.store.close(); err != nil {
			r.log.Warn("ClickHouse did not close", "err", err)
		}
	}
	if r.servers != nil {
		r.servers.close()
	}
	switch {
	case r.release != nil:
		defer r.release()
	case r.opts.Data != "": // the folder is not ours, and nothing was written
		return
	}
	if r.opts.Keep || r.opts.Data != "" {
		fmt.Fprintf(r.std.Err, "data kept in %s (livehost danmaku show ID --data %s)\n", r.dataDir, r.dataDir)
		return
	}
	if err := os.RemoveAll(r.dataDir); err != nil {
		r.log.Warn("data directory not removed", "err", err)
	}
}
