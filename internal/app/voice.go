package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"time"

	"go.uber.org/fx"

	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/dispatcher/redisvoice"
	"livehost/internal/cli"
	"livehost/internal/config"
	"livehost/internal/lifecycle"
	"livehost/internal/redisclient"
	"livehost/streams"
	"livehost/streams/event"
)

// dispatcherParts is what the dispatcher needs beside the log: its ledger, its switch,
// and the outlets that need a publisher or a listener.
var dispatcherParts = fx.Options(
	fx.Provide(provideLedger, func(client redisclient.Client, log *slog.Logger) dispatcher.Switch {
		return redisvoice.New(client, log)
	}),
	fx.Decorate(moreOutlets),
)

// moreOutlets adds the voice's sinks that outlet.New cannot make.
func moreOutlets(lc fx.Lifecycle, sd fx.Shutdowner, cfg Config, o dispatcher.Outlets, pub streams.Publisher, log *slog.Logger) (dispatcher.Outlets, error) {
	v, ok := o.Voice.(*outlet.Voice)
	if !ok {
		return o, nil
	}
	if cfg.Outlet.Cues {
		v = v.With(nil, outlet.NewCues(pub))
	}
	if cfg.Outlet.WebSocket.Addr != "" {
		floor := outlet.NewFloor()
		ws, err := outlet.NewWebSocket(cfg.Outlet.WebSocket, log, floor)
		if err != nil {
			return o, err
		}
		lifecycle.Append(lc, sd, log, "websocket", ws.Run)
		v = v.With(floor, ws)
	}
	o.Voice = v
	return o, nil
}

// voiceSwitch is the switch that the options reach.
func voiceSwitch(o cli.VoiceOptions, std cli.IO, do func(*redisvoice.Switch) error) error {
	cfg := DefaultConfig()
	if err := config.Load(&cfg, o.Config, os.Environ()); err != nil {
		return err
	}
	addr := o.Redis
	if addr == "" && len(cfg.Redis.Addrs) == 0 {
		var err error
		if addr, err = keptRedisAddr(o.Data); err != nil {
			return err
		}
		if addr == "" && o.Data != "" {
			return fmt.Errorf("--data %s: no process with embedded servers runs there; name the --data of the one whose voice is meant", o.Data)
		}
	}
	if addr != "" {
		cfg.Redis.Addrs = []string{addr}
	}
	if err := config.At("redis", cfg.Redis.Validate()); err != nil {
		return fmt.Errorf("%w\nname it with --redis host:port, --config, or --data of a process with embedded servers", err)
	}
	client := redisclient.New(cfg.Redis)
	defer client.Close()
	return do(redisvoice.New(client, newLogger(LogConfig{Level: "error", Format: "text"}, std.Err)))
}

func stopOf(o cli.VoiceOptions) dispatcher.Stop {
	return dispatcher.Stop{Room: event.RoomID(o.Room), Variant: event.Variant(o.Variant)}
}

// runVoiceStop is `livehost voice stop`.
func runVoiceStop(ctx context.Context, o cli.VoiceOptions, std cli.IO) error {
	return voiceSwitch(o, std, func(s *redisvoice.Switch) error {
		stop := stopOf(o)
		stop.Reason, stop.SinceMs = o.Reason, time.Now().UnixMilli()
		if u, err := user.Current(); err == nil {
			stop.By = u.Username
		}
		if err := s.Stop(ctx, stop); err != nil {
			return err
		}
		_, err := fmt.Fprintf(std.Out, "stopped: %s\n", coverOf(stop))
		return err
	})
}

// runVoiceResume is `livehost voice resume`.
func runVoiceResume(ctx context.Context, o cli.VoiceOptions, std cli.IO) error {
	return voiceSwitch(o, std, func(s *redisvoice.Switch) error {
		stop := stopOf(o)
		was, err := s.Resume(ctx, stop)
		if err != nil {
			return err
		}
		if !was {
			return fmt.Errorf("no stop of %s is in force; `livehost voice list` shows those that are", coverOf(stop))
		}
		_, err = fmt.Fprintf(std.Out, "resumed: %s\n", coverOf(stop))
		return err
	})
}

// runVoiceList is `livehost voice list`.
func runVoiceList(ctx context.Context, o cli.VoiceOptions, std cli.IO) error {
	return voiceSwitch(o, std, func(s *redisvoice.Switch) error {
		stops, err := s.List(ctx)
		if err != nil {
			return err
		}
		if o.JSON {
			return json.NewEncoder(std.Out).Encode(stops)
		}
		for _, stop := range stops {
			since := time.UnixMilli(stop.SinceMs).Format(time.DateTime)
			if _, err := fmt.Fprintf(std.Out, "%s\tsince %s\tby %s\t%s\n", coverOf(stop), since, stop.By, stop.Reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// coverOf says which voices a stop covers.
func coverOf(s dispatcher.Stop) string {
	switch {
	case s.Room != "":
		return "room " + string(s.Room)
	case s.Variant != "":
		return "variant " + string(s.Variant)
	}
	return "all voices"
}
