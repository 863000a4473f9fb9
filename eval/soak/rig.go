package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"livehost/eval/process"
	"livehost/internal/clock"
	"livehost/internal/embedded/kafkaserver"
	"livehost/internal/embedded/redisserver"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// sessionTimeout is how long the broker waits for a killed member; the least that it
// allows.
const sessionTimeout = 6 * time.Second

// rig is the servers, the dispatchers and the receiver.
type rig struct {
	options
	kafka     kafka.Config
	broker    *kafkaserver.Server // nil when somebody else's is used
	redis     *redisserver.Server // the same
	expire    context.CancelFunc  // ends redis's clock
	pub       *kafka.Publisher
	reader    *kafka.Reader
	receiver  *receiver
	processes []*process.Process
	kills     []kill
}

// kill is one thing that was done to a dispatcher.
type kill struct {
	at   time.Time
	what string
}

// open starts everything.
func open(ctx context.Context, o options, dir string) (_ *rig, err error) {
	r := &rig{options: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	redisAddr, err := r.openServers(quiet)
	if err != nil {
		return nil, err
	}
	if _, err := kafka.Provision(ctx, r.kafka, topic.All(topic.DefaultPartitions)); err != nil {
		return nil, err
	}
	if r.pub, err = kafka.NewPublisher(r.kafka, quiet); err != nil {
		return nil, err
	}
	if r.reader, err = kafka.NewReader(r.kafka, quiet); err != nil {
		return nil, err
	}
	if r.receiver, err = newReceiver(); err != nil {
		return nil, err
	}
	for i := range o.dispatchers {
		name := fmt.Sprint("dispatcher-", i+1)
		p, err := process.New(dir, o.livehost, name, "dispatcher", map[string]any{
			"log":    map[string]any{"level": "warn"},
			"redis":  map[string]any{"addrs": []string{redisAddr}},
			"outlet": map[string]any{"voice": "console", "webhook": map[string]any{"url": "http://" + r.receiver.addr, "secret": "of the soak, not secret"}},
			"kafka":  map[string]any{"brokers": r.kafka.Brokers, "client_id": name, "instance_id": name, "session_timeout": sessionTimeout.String()},
		})
		if err != nil {
			return nil, err
		}
		r.processes = append(r.processes, p)
		if err := p.Start(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// openServers starts the servers that were not named.
func (r *rig) openServers(log *slog.Logger) (redisAddr string, err error) {
	r.kafka = kafka.DefaultConfig()
	if r.kafka.Brokers = brokersOf(r.brokers); r.brokers == "" {
		if r.broker, err = kafkaserver.Start(kafkaserver.DefaultConfig(), log); err != nil {
			return "", err
		}
		r.kafka.Brokers = r.broker.Addrs()
	}
	if redisAddr = r.options.redis; redisAddr == "" {
		if r.redis, err = redisserver.Start(redisserver.DefaultConfig()); err != nil {
			return "", err
		}
		expire, stop := context.WithCancel(context.Background())
		r.expire, redisAddr = stop, r.redis.Addr()
		go func() { _ = r.redis.Run(expire) }() // it only ends when told
	}
	return redisAddr, nil
}

// close ends everything that was started.
func (r *rig) close() error {
	var errs []error
	for _, p := range r.processes {
		errs = append(errs, p.Kill())
	}
	if r.receiver != nil {
		errs = append(errs, r.receiver.server.Close())
	}
	if r.reader != nil {
		r.reader.Close()
	}
	if r.pub != nil {
		r.pub.Close()
	}
	if r.redis != nil {
		r.expire()
		r.redis.Close()
	}
	if r.broker != nil {
		r.broker.Close()
	}
	return errors.Join(errs...)
}

// joinWithin is how long dispatchers may take to share the rooms before the load begins.
const joinWithin = 5 * time.Second

// soak publishes the load while dispatchers are killed, waits for what is due to end and
// judges.
func (r *rig) soak(ctx context.Context) (*result, error) {
	if err := clock.WallSleep(ctx, joinWithin); err != nil {
		return nil, err
	}
	asked := load(r.rooms, r.length, rand.New(rand.NewPCG(r.seed, 1)))
	begin := time.Now()
	var late time.Duration
	both, running := errgroup.WithContext(ctx)
	both.Go(func() error { return r.breakThings(running, begin, rand.New(rand.NewPCG(r.seed, 2))) })
	both.Go(func() (err error) {
		late, err = r.play(running, begin, asked)
		return err
	})
	if err := both.Wait(); err != nil {
		return nil, err
	}
	if late > time.Second {
		fmt.Fprintf(os.Stderr, "soak: replies were published up to %v late, the machine is busy\n", late)
	}
	log, err := r.settled(ctx, asked)
	if err != nil {
		return nil, err
	}
	res := judge(r.options, asked, log, r.receiver, r.kills)
	res.LoadLateMs = late.Milliseconds()
	for _, p := range r.processes {
		if err := p.Died(); err != nil {
			res.find("%v", err)
		}
	}
	return res, nil
}

// play publishes each reply at its time, and says how late the latest was.
func (r *rig) play(ctx context.Context, begin time.Time, list []asked) (late time.Duration, err error) {
	for _, a := range list {
		if err := clock.WallSleep(ctx, time.Until(begin.Add(a.at))); err != nil {
			return late, err
		}
		late = max(late, time.Since(begin.Add(a.at)))
		if err := r.pub.Publish(ctx, a.timed(time.Now())); err != nil {
			return late, err
		}
	}
	return late, nil
}

const (
	// restartWithin is how soon most killed dispatchers are back: their group does not
	// notice that they were gone.
	restartWithin = 2 * time.Second
	// moved is the share of kills after which the others take the rooms over.
	moved = 0.2
	// pauseFor is longer than a session and than the lease of any of the sentences.
	pauseFor = 12 * time.Second
	// quietEnd is the last part of the load, in which nothing is done.
	quietEnd = 10 * time.Second
)

// breakThings kills and stops dispatchers at random moments.
func (r *rig) breakThings(ctx context.Context, begin time.Time, random *rand.Rand) error {
	type act struct {
		at    time.Duration
		pause bool
	}
	var acts []act
	for i := range r.options.kills + r.pauses {
		acts = append(acts, act{2*time.Second + time.Duration(random.Int64N(int64(r.length-quietEnd))), i >= r.options.kills})
	}
	slices.SortFunc(acts, func(a, b act) int { return int(a.at - b.at) })
	back := make([]comeback, len(r.processes))
	for _, a := range acts {
		i := random.IntN(len(r.processes))
		delay := time.Duration(random.Int64N(int64(restartWithin)))
		if random.Float64() < moved {
			delay += sessionTimeout + time.Second
		}
		if err := waitUntil(ctx, begin.Add(a.at), back); err != nil {
			return err
		}
		for ; !back[i].runs(); i = (i + 1) % len(back) { // one that runs
			if !slices.ContainsFunc(back, comeback.runs) {
				if err := waitUntil(ctx, slices.MinFunc(back, comeback.compare).at, back); err != nil {
					return err
				}
			}
		}
		if err := r.do(r.processes[i], a.pause, &back[i], delay); err != nil {
			return err
		}
	}
	return waitUntil(ctx, time.Now().Add(sessionTimeout+restartWithin+pauseFor), back)
}

// comeback is when a dispatcher is to go on, and how; the zero value runs.
type comeback struct {
	at time.Time
	do func() error
}

func (c comeback) runs() bool             { return c.do == nil }
func (c comeback) compare(d comeback) int { return c.at.Compare(d.at) }

// do kills or stops one, and notes when it is to be back.
func (r *rig) do(p *process.Process, pause bool, back *comeback, delay time.Duration) error {
	if err := p.Died(); err != nil {
		return err
	}
	end, again := p.Kill, p.Start
	if pause {
		end, again = func() error { return p.Signal(syscall.SIGSTOP) }, func() error { return p.Signal(syscall.SIGCONT) }
		delay = pauseFor
	}
	err := end()
	r.kills = append(r.kills, kill{time.Now(), p.Name}) // it did nothing after that
	*back = comeback{time.Now().Add(delay), again}
	return err
}

// waitUntil waits, and lets go on meanwhile what is due.
func waitUntil(ctx context.Context, until time.Time, back []comeback) error {
	for {
		next, at := -1, until
		for i, b := range back {
			if !b.runs() && b.at.Before(at) {
				next, at = i, b.at
			}
		}
		if err := clock.WallSleep(ctx, time.Until(at)); err != nil || next < 0 {
			return err
		}
		if err := back[next].do(); err != nil {
			return err
		}
		back[next] = comeback{}
	}
}

// settleWithin is how long after the last reply everything must have ended: speak_by is
// twenty seconds after the danmaku, and a dispatcher may be starting.
const settleWithin = 50 * time.Second

// settled reads the log when every danmaku has an outcome, or the time for that is over.
func (r *rig) settled(ctx context.Context, list []asked) (*log, error) {
	want := map[danmaku]bool{}
	for _, a := range list {
		if e, ok := a.event.(event.Reply); ok {
			want[danmaku{e.RoomID, e.Members[0].DanmakuID}] = true
		}
	}
	for deadline := time.Now().Add(settleWithin); ; {
		l, err := readLog(ctx, r.reader)
		if err != nil {
			return nil, err
		}
		if len(l.outcomes) >= len(want) || time.Now().After(deadline) {
			return l, nil
		}
		if err := clock.WallSleep(ctx, 2*time.Second); err != nil {
			return nil, err
		}
	}
}
