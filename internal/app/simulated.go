package app

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"go.uber.org/fx"

	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/config"
	"livehost/internal/embedded/commerce"
	"livehost/internal/embedded/policy"
	"livehost/internal/embedded/policy/latency"
	"livehost/internal/lifecycle"
	"livehost/streams"
	"livehost/streams/event"
)

// SimulatedConfig is the stand-ins for what livehost is a client of, when they
// run as services of their own (serve --target=policy,commerce): the scripted
// policy and the reference commerce server.
type SimulatedConfig struct {
	Policy   policy.Config `yaml:"policy"`
	Commerce string        `yaml:"commerce_addr"` // host:port of the commerce server
}

func defaultSimulated() SimulatedConfig {
	c := SimulatedConfig{Policy: policy.DefaultConfig(), Commerce: "127.0.0.1:8810"}
	c.Policy.Addr = "127.0.0.1:8801"
	return c
}

// simulators are the targets that are no stages; "all" does not mean them.
var simulators = []string{"policy", "commerce"}

func (c SimulatedConfig) validateCommerce() error {
	_, _, err := net.SplitHostPort(c.Commerce)
	return config.At("simulated.commerce_addr", err)
}

// simulatorModules is what each of these targets adds.
var simulatorModules = map[string]fx.Option{
	"policy":   fx.Invoke(startPolicy),
	"commerce": fx.Invoke(startCommerce),
}

func startPolicy(lc fx.Lifecycle, cfg Config, clk *clock.Clock, log *slog.Logger) error {
	fleet, err := policy.Start(cfg.Simulated.Policy, clk, log)
	if err != nil {
		return err
	}
	lc.Append(fx.StopHook(fleet.Close))
	return nil
}

// startCommerce serves the first release's catalogue; prices and stock follow the log.
func startCommerce(lc fx.Lifecycle, sd fx.Shutdowner, cfg Config, h *harness.Harness, rd streams.Reader, clk *clock.Clock, log *slog.Logger) error {
	catalog, err := catalogOf(h)
	if err != nil {
		return err
	}
	deps := commerce.Deps{Log: log, Clock: clk, Catalog: catalog}
	if cfg.Simulated.Policy.Profile != latency.Instant {
		deps.Latency = latency.ToolLatency(cfg.Simulated.Policy.Seed, clk.Now)
	}
	cc := commerce.DefaultConfig()
	cc.Addr = cfg.Simulated.Commerce
	srv, err := commerce.New(cc, deps)
	if err != nil {
		return err
	}
	lifecycle.Append(lc, sd, log, "commerce", srv.Run)
	lifecycle.Append(lc, sd, log, "commerce feed", func(ctx context.Context) error {
		return rd.Follow(ctx, []string{event.TopicRoomEvent, event.TopicOrder}, false, func(r streams.Record) { feedCommerce(srv, r) })
	})
	return nil
}

func feedCommerce(srv *commerce.Server, r streams.Record) {
	switch r.Topic {
	case event.TopicRoomEvent:
		if ev, err := event.Decode[event.RoomEvent](r.Value); err == nil {
			srv.Apply(ev)
		}
	case event.TopicOrder:
		if o, err := event.Decode[event.Order](r.Value); err == nil {
			srv.ApplyOrder(o)
		}
	}
}

// needs says which servers the targets are clients of.
func needs(want []string) (kafka, redis bool) {
	for _, t := range want {
		kafka = kafka || t != "policy"
		redis = redis || (t != "policy" && t != "commerce" && t != webTarget)
	}
	return kafka, redis
}

// validateServers reports every problem of the connections that the targets need.
func (c Config) validateServers(want []string) error {
	kafka, redis := needs(want)
	var problems []error
	if kafka {
		problems = append(problems, config.At("kafka", c.Kafka.Validate()))
	}
	if redis {
		problems = append(problems, config.At("redis", c.Redis.Validate()))
	}
	return errors.Join(problems...)
}
