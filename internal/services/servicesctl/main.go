package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"livehost/internal/services"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "services:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	cfg, err := services.DefaultConfig()
	if err != nil {
		return err
	}
	f := flag.NewFlagSet("servicesctl", flag.ContinueOnError)
	f.StringVar(&cfg.Dir, "dir", cfg.Dir, "state directory")
	f.StringVar(&cfg.Livehost, "livehost", "", "livehost binary, for the ClickHouse engine; empty: no ClickHouse")
	f.IntVar(&cfg.Brokers, "brokers", cfg.Brokers, "brokers of Kafka, 1 or 3")
	f.IntVar(&cfg.Port, "port", cfg.Port, "first of 10 loopback ports; 0: any free ones")
	if len(args) == 0 {
		return errors.New("usage: servicesctl up|down|env [flags]")
	}
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "up":
		if cfg.Livehost != "" {
			if cfg.Livehost, err = filepath.Abs(cfg.Livehost); err != nil {
				return err
			}
		}
		s, err := services.Up(ctx, cfg, os.Stderr)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%v answer; state and logs are in %s\n", s.Names(), cfg.Dir)
		return printEnv(s)
	case "env":
		s, err := services.Open(cfg.Dir)
		if err != nil {
			return fmt.Errorf("%w; run `make services` first", err)
		}
		return printEnv(s)
	case "down":
		s, err := services.Open(cfg.Dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.Down()
	default:
		return fmt.Errorf("%q is none of up, down, env", args[0])
	}
}

func printEnv(s *services.Set) error {
	for _, v := range s.Env() {
		if _, err := fmt.Fprintln(os.Stdout, v); err != nil {
			return err
		}
	}
	return nil
}
