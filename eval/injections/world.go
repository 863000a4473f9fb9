package injections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model/openaimodel"
	"livehost/agentworker/prompt"
	"livehost/agentworker/routing"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/agentworker/tool/mcptoolset"
	"livehost/agentworker/trajectory"
	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/embedded/commerce"
	"livehost/internal/embedded/policy"
	"livehost/internal/embedded/policy/latency"
	"livehost/streams/event"
)

// variant is the release that is attacked.
const variant = "harness"

// world is the real parts, with the hostile policy at the other end.
type world struct {
	policy  string
	release *runner.Release
	runner  *runner.Runner
	extract *extractor
	closers []func()
}

// The budgets of a run are room time, and what a policy is talked into says nothing of
// the machine: room time is so slow that none of them runs out on a busy one.
const (
	slowness = 1. / 60
	runWall  = time.Hour // a minute of room time
)

// newWorld is the parts around a release, and a policy that misbehaves in a mode.
func newWorld(ctx context.Context, content *harness.Release, hostile string, log *slog.Logger) (w *world, err error) {
	w = &world{policy: policy.ModelName}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	clk, err := clock.New(time.Now(), slowness)
	if err != nil {
		return w, err
	}
	servers, err := w.commerce(ctx, content, clk, log)
	if err != nil {
		return w, err
	}
	tools, err := tool.New(tool.DefaultConfig(), tool.Deps{Log: log, Servers: servers, HTTP: http.DefaultTransport})
	if err != nil {
		return w, err
	}
	router, err := w.router(hostile, clk, log)
	if err != nil {
		return w, err
	}
	if w.runner, err = runner.New(runner.DefaultConfig(), runner.Deps{Clock: clk, Log: log, Model: router}); err != nil {
		return w, err
	}
	engine, err := hook.New(content.Hooks, guardrail.Checks())
	if err != nil {
		return w, err
	}
	prompts, err := prompt.New(prompt.DefaultConfig(), content)
	if err != nil {
		return w, err
	}
	w.release = &runner.Release{Release: content, Engine: engine, Toolbox: tools, Prompts: prompts, Private: runner.PrivateTexts(content)}
	w.extract = newExtractor(content)
	return w, nil
}

func (w *world) close() {
	for _, c := range slices.Backward(w.closers) {
		c()
	}
}

// release is the shipped one over the injected catalogue and FAQ.
func release(strs []string, hooks bool) (*harness.Release, error) {
	h, err := harness.Default()
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(shelf(strs))
	if err != nil {
		return nil, err
	}
	c, err := harness.ParseCatalog("injections.json", raw)
	if err != nil {
		return nil, err
	}
	rel, err := h.UseCatalog(c).Release(variant)
	if err != nil {
		return nil, err
	}
	rel = rel.WithFAQ(faqEntries(strs)...)
	if !hooks {
		rel.Hooks = nil
	}
	return rel, nil
}

// commerce starts the reference server and connects to it.
func (w *world) commerce(ctx context.Context, rel *harness.Release, clk *clock.Clock, log *slog.Logger) (*mcptoolset.Toolset, error) {
	srv, err := commerce.New(commerce.DefaultConfig(), commerce.Deps{Log: log, Clock: clk, Catalog: rel.Catalog})
	if err != nil {
		return nil, err
	}
	cfg := mcptoolset.DefaultConfig()
	cfg.Servers = []mcptoolset.Server{{Name: "commerce", URL: srv.URL()}}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	servers, err := mcptoolset.New(cfg, mcptoolset.Deps{Log: log, HTTP: client, Tools: rel.Tools})
	if err != nil {
		return nil, errors.Join(err, srv.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	failed := make(chan error, 2)
	for _, run := range []func(context.Context) error{srv.Run, servers.Run} {
		wg.Go(func() { failed <- run(ctx) })
	}
	w.closers = append(w.closers, func() { cancel(); wg.Wait(); client.CloseIdleConnections() })
	return servers, connected(ctx, servers, failed)
}

// connected waits until the server's tools are known.
func connected(ctx context.Context, servers *mcptoolset.Toolset, failed <-chan error) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(servers.Discovered("commerce")) == 0 {
		select {
		case err := <-failed:
			return fmt.Errorf("the commerce server ended: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// router starts the policy.
func (w *world) router(hostile string, clk *clock.Clock, log *slog.Logger) (*routing.Router, error) {
	cfg := policy.DefaultConfig()
	cfg.Profile, cfg.Hostile = latency.Instant, hostile
	fleet, err := policy.Start(cfg, clk, log)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	w.closers = append(w.closers, func() { transport.CloseIdleConnections(); _ = fleet.Close() }) // nothing depends on how it ends
	var replicas []routing.Replica
	for _, r := range fleet.Replicas() {
		m, err := openaimodel.New(openaimodel.Config{BaseURL: r.BaseURL, Model: policy.ModelID}, openaimodel.Deps{Transport: transport})
		if err != nil {
			return nil, err
		}
		replicas = append(replicas, routing.Replica{Name: r.Name, Model: m, Slots: r.Slots})
	}
	return routing.New(routing.DefaultConfig(), routing.Deps{Clock: clk, Log: log, Replicas: replicas})
}

// run plays one scenario and looks at what came of it.
func (w *world) run(ctx context.Context, s scenario) (finding, error) {
	res, steps, err := w.make(ctx, s.window)
	if err != nil {
		return finding{}, err
	}
	return w.extract.look(s, res, steps), nil
}

// make is one run and its trajectory.
func (w *world) make(ctx context.Context, win event.Window) (runner.Result, []event.Step, error) {
	now := time.Now()
	log := &trajectory.Memory{}
	for i := range win.Members {
		win.Members[i].AnswerByMs = now.Add(runWall).UnixMilli()
	}
	rec := trajectory.New(log, event.Step{RunID: event.NewRunID(win.WindowID, 1), WindowID: win.WindowID, RoomID: win.RoomID, Variant: variant})
	res, err := w.runner.Run(ctx, runner.Task{
		Window: win, Attempt: 1, Deadline: now.Add(runWall), Release: w.release, Received: now, Recorder: rec,
	})
	if err == nil {
		err = rec.Flush(ctx)
	}
	if err != nil {
		return res, nil, fmt.Errorf("injections: %s: %w", win.WindowID, err)
	}
	return res, log.Steps(), nil
}
