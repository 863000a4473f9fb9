package app

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.uber.org/fx"

	"livehost/agentworker"
	"livehost/agentworker/model/openaimodel"
	"livehost/agentworker/redisclaims"
	"livehost/agentworker/redisslots"
	"livehost/agentworker/routing"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/agentworker/tool/mcptoolset"
	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/lifecycle"
	"livehost/internal/redisclient"
	"livehost/internal/telemetry"
)

// agentworkerParts is what the agentworker needs beside the log: policy, tools,
// content and claims.
var agentworkerParts = fx.Options(
	fx.Provide(provideRouter, provideSlots, provideServers, provideToolset, provideRunner, provideClaims, newReleases,
		func(r *releases) agentworker.Releases { return r }),
	fx.Invoke(watchHarness),
	fx.Invoke(func(lc fx.Lifecycle, sd fx.Shutdowner, log *slog.Logger, s *mcptoolset.Toolset) {
		lifecycle.Append(lc, sd, log, "mcp", s.Run)
	}),
)

// policyTransport reuses connections: a replica has few requests at a time.
func policyTransport(lc fx.Lifecycle) *http.Transport {
	t := &http.Transport{MaxIdleConnsPerHost: 4, IdleConnTimeout: 2 * time.Minute, ForceAttemptHTTP2: false}
	lc.Append(fx.StopHook(t.CloseIdleConnections))
	return t
}

func provideRouter(lc fx.Lifecycle, cfg Config, clk *clock.Clock, log *slog.Logger, in *telemetry.Instruments, slots routing.Slots) (*routing.Router, error) {
	transport := in.Transport(policyTransport(lc))
	var replicas []routing.Replica
	for _, r := range cfg.Policy.Replicas {
		m, err := openaimodel.New(openaimodel.Config{
			BaseURL: r.BaseURL, Model: cfg.Policy.Model, APIKey: string(cfg.Policy.APIKey),
			Abort: cfg.Policy.Abort, FirstToken: cfg.Policy.FirstToken, Idle: cfg.Policy.Idle,
		}, openaimodel.Deps{Transport: transport, Clock: clk})
		if err != nil {
			return nil, err
		}
		replicas = append(replicas, routing.Replica{Name: r.Name, Key: r.slotsKey(), Model: m, Slots: r.Slots})
	}
	return routing.New(routing.DefaultConfig(), routing.Deps{Clock: clk, Log: log, Replicas: replicas, Slots: slots})
}

// provideSlots shares the replicas' slots with the other workers, where there may be
// some.
func provideSlots(cfg Config, client redisclient.Client) (routing.Slots, error) {
	if !cfg.Policy.SharedSlots {
		return nil, nil
	}
	return redisslots.New(redisslots.DefaultConfig(), redisslots.Deps{Client: client})
}

// provideServers reaches the MCP servers for the tools that any release binds.
func provideServers(lc fx.Lifecycle, cfg Config, h *harness.Harness, log *slog.Logger, in *telemetry.Instruments) (*mcptoolset.Toolset, error) {
	mc := mcptoolset.DefaultConfig()
	for _, s := range cfg.MCP {
		mc.Servers = append(mc.Servers, mcptoolset.Server{Name: s.Name, URL: s.URL, Command: s.Command, Args: s.Args})
	}
	var tools []*harness.Tool
	seen := map[string]bool{}
	for _, id := range h.Releases() {
		rel, err := h.Release(id)
		if err != nil {
			return nil, err
		}
		for _, t := range rel.Tools {
			if !seen[t.Name] {
				seen[t.Name] = true
				tools = append(tools, t)
			}
		}
	}
	client := &http.Client{Transport: in.Transport(&http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: 2 * time.Minute})}
	lc.Append(fx.StopHook(client.CloseIdleConnections))
	return mcptoolset.New(mc, mcptoolset.Deps{Log: log, HTTP: client, Tools: tools})
}

// watchHarness reloads the dev releases when the harness folder changes.
func watchHarness(lc fx.Lifecycle, sd fx.Shutdowner, cfg Config, r *releases, log *slog.Logger) {
	if cfg.Harness.Dir == "" {
		return
	}
	lifecycle.Append(lc, sd, log, "harness", func(ctx context.Context) error {
		return harness.Watch(ctx, cfg.Harness.Dir, watchEvery, func() {
			h, err := loadHarness(cfg.Harness)
			if err == nil {
				err = r.reload(h)
			}
			if err != nil {
				log.Warn("the changed harness is not good; the releases stay as they are", "err", err)
			}
		})
	})
}

// watchEvery is how often the harness folder is looked at, wall time.
const watchEvery = 500 * time.Millisecond

func provideToolset(lc fx.Lifecycle, cfg Config, servers *mcptoolset.Toolset, log *slog.Logger) (*tool.Toolset, error) {
	transport := cfg.Tools.Transport()
	lc.Append(fx.StopHook(transport.CloseIdleConnections))
	return tool.New(cfg.Tools, tool.Deps{Log: log, Servers: servers, HTTP: transport})
}

func provideRunner(cfg Config, clk *clock.Clock, log *slog.Logger, router *routing.Router, in *telemetry.Instruments) (*runner.Runner, error) {
	return runner.New(cfg.Runner, runner.Deps{Clock: clk, Log: log, Model: router, Telemetry: in})
}

func provideClaims(client redisclient.Client) (agentworker.Claims, error) {
	return redisclaims.New(redisclaims.DefaultConfig(), redisclaims.Deps{Client: client})
}
