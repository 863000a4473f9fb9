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

// bound is the longest a run may take.
const bound = 30 * time.Minute

type options struct {
	livehost string
	seed     uint64
	quick    bool
	only     string
	keep     bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var o options
	flag.StringVar(&o.livehost, "livehost", "bin/livehost", "the livehost binary")
	flag.Uint64Var(&o.seed, "seed", 1, "of the load and of when faults happen")
	flag.BoolVar(&o.quick, "quick", false, "some of the faults with few injections each: about four minutes in all")
	flag.StringVar(&o.only, "only", "", "comma-separated names of faults; empty: all")
	flag.BoolVar(&o.keep, "keep", false, "keep the logs and the servers' data")
	flag.Parse()
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	bad, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
	}
	if err != nil || bad > 0 {
		os.Exit(1)
	}
}

// run does the wanted faults, and returns in how many something was not as it must be.
func run(ctx context.Context, o options) (bad int, err error) {
	wanted, err := choose(o.only, o.quick)
	if err != nil {
		return 0, err
	}
	if o.livehost, err = filepath.Abs(o.livehost); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "livehost-faults-")
	if err != nil {
		return 0, err
	}
	b, err := open(ctx, o, dir)
	if err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, b.close())
		if o.keep || bad > 0 || err != nil {
			fmt.Fprintln(os.Stderr, "logs are in", dir)
		} else {
			err = os.RemoveAll(dir)
		}
	}()
	out := json.NewEncoder(os.Stdout)
	for _, f := range wanted {
		r, err := b.do(ctx, f)
		if err != nil {
			return bad, fmt.Errorf("%s: %w", f.name, err)
		}
		if err := out.Encode(r); err != nil {
			return bad, err
		}
		if !r.good() {
			bad++
			for _, what := range r.Findings {
				fmt.Fprintln(os.Stderr, " ", what)
			}
			if err := r.writeStories(dir); err != nil {
				return bad, err
			}
		}
	}
	return bad, nil
}

// choose finds the wanted faults by name, in the suite's order; without names all
// of them, or those of a quick run.
func choose(only string, quick bool) ([]fault, error) {
	var out []fault
	if only == "" {
		for _, f := range faults {
			if f.quick || !quick {
				out = append(out, f)
			}
		}
		return out, nil
	}
	var known []string
	want := strings.Split(only, ",")
	for _, f := range faults {
		known = append(known, f.name)
		for _, name := range want {
			if f.name == name {
				out = append(out, f)
			}
		}
	}
	if len(out) != len(want) {
		return nil, fmt.Errorf("-only %q: the faults are %s", only, strings.Join(known, ", "))
	}
	return out, nil
}
