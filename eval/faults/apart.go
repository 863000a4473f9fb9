package main

import (
	"context"
	"errors"
	"syscall"
	"time"

	"livehost/eval/process"
	"livehost/internal/clock"
)

const (
	// joinWithin is how long a second member takes to start, join and get its share.
	joinWithin = 8 * time.Second
	// stoppedFor is longer than the lease of a claim (12 s), than that of a sentence,
	// and than a session: whoever is stopped has lost all of them and does not know.
	stoppedFor = 16 * time.Second
	// cutFor is longer than a session, and longer than a danmaku has to be heard.
	cutFor = 20 * time.Second
)

// stoppedBeyondLease stops one of two members of a stage in the middle of its work
// (SIGSTOP, as a long pause of the collector or of the machine does), and lets it go
// on when the other one has taken its work over.
func stoppedBeyondLease(name string) func(context.Context, *trial) error {
	return func(ctx context.Context, x *trial) (err error) {
		other := x.stages[second(name)]
		if err := errors.Join(other.Start(), clock.WallSleep(ctx, joinWithin)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, other.Stop()) }()
		busy, within := x.anyPolicyBusy, 500*time.Millisecond
		if name == "dispatcher" {
			busy, within = x.anyDeliveryStarted, 1500*time.Millisecond
		}
		for i := range max(2, x.times(3)) {
			s := []*process.Process{x.stages[name], other}[i%2]
			if err := errors.Join(busy(ctx), clock.WallSleep(ctx, x.between(0, within)), s.Signal(syscall.SIGSTOP)); err != nil {
				return err
			}
			x.result.Injected++
			if err := errors.Join(clock.WallSleep(ctx, stoppedFor), s.Signal(syscall.SIGCONT), clock.WallSleep(ctx, joinWithin)); err != nil {
				return err
			}
		}
		return nil
	}
}

// cutOff lets one of two members of each stage in turn lose the brokers, and nothing
// else: it still has Redis, the policy and the voice. What it had sent arrives late.
func cutOff(ctx context.Context, x *trial) error {
	for _, name := range []string{"agentworker", "dispatcher", "aggregator"} {
		if err := x.cutOff(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (x *trial) cutOff(ctx context.Context, name string) (err error) {
	usual, other, one := x.stages[name], x.stages[second(name)], x.stages[apart(name)]
	if err := errors.Join(other.Start(), usual.Stop(), one.Start()); err != nil {
		return err
	}
	defer func() {
		x.network.set(one.Name, false)
		err = errors.Join(err, one.Stop(), usual.Start(), other.Stop())
	}()
	busy := x.anyPolicyBusy
	if name == "dispatcher" {
		busy = x.anyDeliveryStarted
	}
	if err := errors.Join(clock.WallSleep(ctx, joinWithin), busy(ctx)); err != nil {
		return err
	}
	x.network.set(one.Name, true)
	x.result.Injected++
	if err := clock.WallSleep(ctx, cutFor); err != nil {
		return err
	}
	x.network.set(one.Name, false)
	return clock.WallSleep(ctx, joinWithin)
}
