package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"livehost/internal/clock"
	"livehost/streams"
	"livehost/streams/kafka"
)

// noPast is a reader of a log in which nothing of ours is yet: rooms have new
// names, so that the player need not look for what it published.
type noPast struct{ streams.Reader }

func (noPast) Read(_ context.Context, _ string, _ int32, from int64, _ func(streams.Record) error) (int64, error) {
	return from, nil
}

type place struct {
	group, topic string
	partition    int32
}

// recovery starts to measure how long it takes from now on until every consumer
// group has finished what is in the log now.
func (x *trial) recovery(ctx context.Context, to chan<- time.Duration) error {
	begin := time.Now()
	lags, err := x.lags(ctx)
	if err != nil {
		return err
	}
	due := make(map[place]int64)
	for _, l := range lags {
		due[place{l.Group, l.Topic, l.Partition}] = l.End
	}
	go func() {
		for left := 1; left > 0; {
			if clock.WallSleep(ctx, 200*time.Millisecond) != nil {
				return
			}
			now, err := x.lags(ctx)
			if err != nil {
				continue
			}
			left = 0
			for _, l := range now {
				if end := due[place{l.Group, l.Topic, l.Partition}]; l.Lag() > 0 && l.Committed < end {
					left++
				}
			}
		}
		to <- time.Since(begin)
	}()
	return nil
}

// lags are those of the stages' groups, which have the stages' names.
func (r *rig) lags(ctx context.Context) ([]kafka.GroupLag, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	all, err := r.reader.Lags(ctx)
	return slices.DeleteFunc(all, func(l kafka.GroupLag) bool { return !slices.Contains(stageNames, l.Group) }), err
}

// settle waits until every danmaku has its outcome and every group has caught up;
// what has not when the time is over is left for the judgement.
func (x *trial) settle(ctx context.Context, recovered <-chan time.Duration) error {
	for deadline := time.Now().Add(settleWithin); time.Now().Before(deadline); {
		if err := clock.WallSleep(ctx, 500*time.Millisecond); err != nil {
			return err
		}
		l := x.journal.log(x.prefix)
		ended := make(map[string]bool, len(l.Outcomes))
		for _, o := range l.Outcomes {
			ended[string(o.V.DanmakuID)] = true
		}
		left := 0
		for _, d := range l.Danmaku {
			if !ended[string(d.V.DanmakuID)] {
				left++
			}
		}
		if left == 0 {
			break
		}
	}
	for deadline := time.Now().Add(catchUpWithin); ; {
		lags, err := x.lags(ctx)
		if err == nil {
			x.result.Unfinished = 0
			for _, l := range lags {
				x.result.Unfinished += l.Lag()
			}
		}
		if (err == nil && x.result.Unfinished == 0) || time.Now().After(deadline) {
			break
		}
		if err := clock.WallSleep(ctx, 500*time.Millisecond); err != nil {
			return err
		}
	}
	select {
	case d := <-recovered:
		x.result.RecoveryS = round(d)
	case <-time.After(time.Second):
		x.result.Findings = append(x.result.Findings, "the consumer groups never finished what was in the log at the end of the fault")
	}
	return nil
}

// freePorts are n successive free loopback ports.
func freePorts(n int) ([]int, error) {
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		first := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		ports := make([]int, 0, n)
		for port := first; port < first+n; port++ {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				break
			}
			_ = l.Close()
			ports = append(ports, port)
		}
		if len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("no %d successive ports are free", n)
}
