package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

type options struct {
	livehost    string
	seed        uint64
	length      time.Duration // of the load
	kills       int
	pauses      int
	rooms       int
	dispatchers int
	brokers     string // comma-separated; empty: an embedded one
	redis       string // host:port; empty: an embedded one
	keep        bool
}

func (o options) validate() error {
	if o.length < 20*time.Second || o.kills < 0 || o.pauses < 0 || o.rooms < 1 || o.dispatchers < 1 {
		return errors.New("minutes: want a third of one or more; kills, pauses: 0 or more; rooms, dispatchers: 1 or more")
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var o options
	minutes := 0.0
	flag.StringVar(&o.livehost, "livehost", "bin/livehost", "the livehost binary")
	flag.Uint64Var(&o.seed, "seed", 1, "of the load and the kills")
	flag.Float64Var(&minutes, "minutes", 20, "how long viewers ask")
	flag.IntVar(&o.kills, "kills", 100, "how often a dispatcher is killed")
	flag.IntVar(&o.pauses, "pauses", 0, "how often one is stopped for longer than its lease")
	flag.IntVar(&o.rooms, "rooms", 50, "rooms with one voice each")
	flag.IntVar(&o.dispatchers, "dispatchers", 4, "processes")
	flag.StringVar(&o.brokers, "brokers", "", "Kafka to use, comma-separated host:port; empty: the embedded one")
	flag.StringVar(&o.redis, "redis", "", "Redis to use, host:port; empty: the embedded one")
	flag.BoolVar(&o.keep, "keep", false, "keep the logs")
	flag.Parse()
	o.length = time.Duration(minutes * float64(time.Minute))
	r, err := run(ctx, o)
	if r != nil {
		err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(r))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || !r.good() {
		os.Exit(1)
	}
}

// after is what everything that follows the load may take.
const after = 90 * time.Second

func run(ctx context.Context, o options) (_ *result, err error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.livehost, err = filepath.Abs(o.livehost); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.length+after)
	defer cancel()
	dir, err := os.MkdirTemp("", "livehost-soak-")
	if err != nil {
		return nil, err
	}
	var res *result
	defer func() {
		if o.keep || err != nil || !res.good() {
			fmt.Fprintln(os.Stderr, "logs are in", dir)
		} else {
			err = os.RemoveAll(dir)
		}
	}()
	b, err := open(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	res, err = b.soak(ctx)
	if err = errors.Join(err, b.close()); res != nil {
		res.WallS = time.Since(begin).Round(100 * time.Millisecond).Seconds()
	}
	return res, err
}

func brokersOf(list string) []string { return strings.Split(list, ",") }
