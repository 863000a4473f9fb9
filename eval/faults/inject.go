package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"livehost/internal/clock"
	"livehost/internal/services"
	"livehost/streams"
	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// fault is one thing that goes wrong.
type fault struct {
	name   string
	quick  bool // part of a quick run
	inject func(context.Context, *trial) error
	check  func(context.Context, *trial) error // beside the judgement; nil: nothing
}

// faults are all of them, in the order they are done.
var faults = []fault{
	{name: "kill-agentworker-between-claim-and-reply", quick: true, inject: killBetweenClaimAndReply},
	{name: "kill-dispatcher-between-started-and-ended", quick: true, inject: killBetweenStartedAndEnded},
	{name: "kill-any-stage", inject: killAnyStage},
	{name: "kill-leading-broker", inject: killLeader},
	{name: "rolling-restart", inject: rollingRestart},
	{name: "second-members-come-and-go", inject: secondMembers},
	{name: "worker-stopped-beyond-its-lease", inject: stoppedBeyondLease("agentworker")},
	{name: "dispatcher-stopped-beyond-its-lease", inject: stoppedBeyondLease("dispatcher")},
	{name: "brokers-unreachable-from-one-stage", inject: cutOff},
	{name: "redis-restarts-empty", quick: true, inject: redisEmpty},
	{name: "clickhouse-away", inject: clickhouseAway},
	{name: "policy-hangs", inject: policyIs(hang)},
	{name: "policy-refuses", inject: policyIs(refuse)},
	{name: "policy-cuts-streams", inject: policyIs(cut)},
	{name: "commerce-dies-mid-call", inject: commerceDies},
	{name: "poison-in-every-topic", quick: true, inject: poison, check: checkPoison},
	{name: "sigterm-mid-run", inject: sigterm},
}

// times is how often something is done: n times, or a few when it is quick.
func (x *trial) times(n int) int {
	if x.quick {
		return max(1, n/12)
	}
	return n
}

// between is a random duration.
func (x *trial) between(a, b time.Duration) time.Duration {
	return a + time.Duration(x.random.Int64N(int64(b-a)))
}

// killAgain kills a stage and starts it again at once.
func (x *trial) killAgain(name string) error {
	x.result.Injected++
	return errors.Join(x.stages[name].Kill(), x.stages[name].Start())
}

// drain ends a stage with SIGTERM and starts it again. A stage that does not end
// as it should is a finding.
func (x *trial) drain(name string) error {
	x.result.Injected++
	if err := x.stages[name].Stop(); err != nil {
		x.result.Findings = append(x.result.Findings, err.Error())
	}
	return x.stages[name].Start()
}

// anyPolicyBusy returns when a model call is under way: its window is claimed, and
// its reply is not there.
func (x *trial) anyPolicyBusy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	first := make(chan error, len(x.policy))
	for _, p := range x.policy {
		go func() { first <- p.busy(ctx) }()
	}
	if err := <-first; err != nil {
		return fmt.Errorf("no model call in a minute: %w", err)
	}
	return nil
}

// anyDeliveryStarted returns when somebody begins to speak.
func (x *trial) anyDeliveryStarted(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	if err := x.journal.nextStarted(ctx); err != nil {
		return fmt.Errorf("no delivery began in a minute: %w", err)
	}
	return nil
}

func killBetweenClaimAndReply(ctx context.Context, x *trial) error {
	for range x.times(20) {
		if err := x.anyPolicyBusy(ctx); err != nil {
			return err
		}
		if err := clock.WallSleep(ctx, x.between(0, 250*time.Millisecond)); err != nil {
			return err
		}
		if err := x.killAgain("agentworker"); err != nil {
			return err
		}
		if err := clock.WallSleep(ctx, x.between(time.Second, 5*time.Second)); err != nil {
			return err
		}
	}
	return nil
}

func killBetweenStartedAndEnded(ctx context.Context, x *trial) error {
	for range x.times(20) {
		if err := x.anyDeliveryStarted(ctx); err != nil {
			return err
		}
		if err := clock.WallSleep(ctx, x.between(0, 1500*time.Millisecond)); err != nil {
			return err
		}
		if err := x.killAgain("dispatcher"); err != nil {
			return err
		}
		if err := clock.WallSleep(ctx, x.between(500*time.Millisecond, 3*time.Second)); err != nil {
			return err
		}
	}
	return nil
}

func killAnyStage(ctx context.Context, x *trial) error {
	for range x.times(60) {
		if err := x.killAgain(stageNames[x.random.IntN(len(stageNames))]); err != nil {
			return err
		}
		if err := clock.WallSleep(ctx, x.between(500*time.Millisecond, 4*time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// killLeader kills the broker that leads the first room's partition.
func killLeader(ctx context.Context, x *trial) error {
	for range x.times(2) {
		partition := topic.PartitionOf(event.RoomID(x.prefix+"-0"), topic.DefaultPartitions)
		leader, err := kafka.Leader(ctx, x.kafka, event.TopicDanmaku, partition)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("kafka-%d", leader)
		if err := x.servers.Kill(name); err != nil {
			return err
		}
		x.result.Injected++
		if err := clock.WallSleep(ctx, 12*time.Second); err != nil {
			return err
		}
		if err := x.servers.Start(ctx, name); err != nil {
			return err
		}
		if err := clock.WallSleep(ctx, 3*time.Second); err != nil {
			return err
		}
	}
	return nil
}

// rollingRestart restarts every stage and every server, one after another.
func rollingRestart(ctx context.Context, x *trial) error {
	for _, name := range append([]string{"policy", "commerce"}, stageNames...) {
		if err := errors.Join(x.drain(name), clock.WallSleep(ctx, 2*time.Second)); err != nil {
			return err
		}
	}
	for _, name := range x.servers.Names() {
		if x.quick && strings.HasPrefix(name, "kafka-") && name != "kafka-1" {
			continue
		}
		if err := errors.Join(x.servers.Stop(name), x.servers.Start(ctx, name), clock.WallSleep(ctx, 3*time.Second)); err != nil {
			return err
		}
		x.result.Injected++
	}
	return nil
}

// secondMembers lets a second member of every group join and leave while the
// policy is slow; the last time they are killed, and the broker must notice.
func secondMembers(ctx context.Context, x *trial) error {
	for _, p := range x.policy {
		p.set(slow)
		defer p.set(pass)
	}
	for i := range max(2, x.times(3)) {
		for _, name := range stageNames {
			if err := x.stages[second(name)].Start(); err != nil {
				return err
			}
		}
		x.result.Injected++
		if err := clock.WallSleep(ctx, x.between(8*time.Second, 12*time.Second)); err != nil {
			return err
		}
		for _, name := range stageNames {
			if i == 0 {
				if err := x.stages[second(name)].Kill(); err != nil {
					return err
				}
			} else if err := x.stages[second(name)].Stop(); err != nil {
				x.result.Findings = append(x.result.Findings, err.Error())
			}
		}
		x.result.Injected++
		if err := clock.WallSleep(ctx, 8*time.Second); err != nil {
			return err
		}
	}
	return nil
}

func redisEmpty(ctx context.Context, x *trial) error {
	for range x.times(3) {
		if err := errors.Join(x.servers.Kill(services.Redis), clock.WallSleep(ctx, x.between(time.Second, 5*time.Second)), x.servers.Start(ctx, services.Redis)); err != nil {
			return err
		}
		x.result.Injected++
		if err := clock.WallSleep(ctx, 6*time.Second); err != nil {
			return err
		}
	}
	return nil
}

func clickhouseAway(ctx context.Context, x *trial) error {
	x.result.Injected++
	return errors.Join(x.servers.Kill(services.ClickHouse), clock.WallSleep(ctx, 20*time.Second), x.servers.Start(ctx, services.ClickHouse))
}

// policyIs treats every model call of twenty seconds badly.
func policyIs(m manner) func(context.Context, *trial) error {
	return func(ctx context.Context, x *trial) error {
		for _, p := range x.policy {
			p.spoilt.Store(0)
			p.set(m)
			defer p.set(pass)
		}
		err := clock.WallSleep(ctx, 20*time.Second)
		for _, p := range x.policy {
			x.result.Injected += int(p.spoilt.Load())
		}
		return err
	}
}

func commerceDies(ctx context.Context, x *trial) error {
	for range max(2, x.times(5)) {
		wait, cancel := context.WithTimeout(ctx, 60*time.Second)
		err := x.commerce.busy(wait)
		cancel()
		if err != nil {
			return fmt.Errorf("no tool call in a minute: %w", err)
		}
		if err := errors.Join(x.stages["commerce"].Kill(), clock.WallSleep(ctx, x.between(time.Second, 4*time.Second)), x.stages["commerce"].Start()); err != nil {
			return err
		}
		x.result.Injected++
		if err := clock.WallSleep(ctx, 3*time.Second); err != nil {
			return err
		}
	}
	return nil
}

// sigterm lets every stage drain in the middle of a run.
func sigterm(ctx context.Context, x *trial) error {
	for range max(1, x.times(3)) {
		if err := x.anyPolicyBusy(ctx); err != nil {
			return err
		}
		for _, name := range []string{"aggregator", "agentworker", "dispatcher", "analytics"} {
			if err := x.drain(name); err != nil {
				return err
			}
		}
		if err := clock.WallSleep(ctx, 5*time.Second); err != nil {
			return err
		}
	}
	return nil
}

// oldBy is how old the replayed danmaku is.
const oldBy = time.Hour

// poison puts into every topic a record that is not what the topic holds, and
// replays a danmaku that died an hour ago.
func poison(ctx context.Context, x *trial) error {
	room := event.RoomID(x.prefix + "-0")
	for _, t := range topic.All(topic.DefaultPartitions) {
		if t.Payload == nil {
			continue
		}
		for _, value := range []string{"not JSON", "{}", "", `{"schema":1,"room_id":"` + string(room) + `"}`} {
			if err := x.pub.Replay(ctx, streams.Record{Key: room, Value: []byte(value), Headers: map[string]string{kafka.HeaderTopic: t.Name}}); err != nil {
				return err
			}
			x.result.Injected++
		}
	}
	was := time.Now().Add(-oldBy)
	old := event.Danmaku{
		Schema: event.SchemaVersion, DanmakuID: event.DanmakuID(x.prefix + "-old"), RoomID: room, BroadcastID: "b-1", Source: "faults",
		ViewerID: "v-old", ViewerName: "老观众", Text: "这个多少钱", PlatformTimeMs: was.UnixMilli(),
	}
	value, err := event.Encode(old)
	if err != nil {
		return err
	}
	letter := streams.Record{Key: room, Value: value, Headers: map[string]string{
		kafka.HeaderTopic: event.TopicDanmaku, kafka.HeaderAppendTimeMs: fmt.Sprint(was.UnixMilli()),
	}}
	return errors.Join(x.pub.Replay(ctx, letter), clock.WallSleep(ctx, 5*time.Second))
}

// checkPoison sees that the poison went to the dead letters, and that the old
// danmaku expired unheard.
func checkPoison(ctx context.Context, x *trial) error {
	var errs []error
	for _, t := range topic.All(topic.DefaultPartitions) {
		if t.Payload == nil {
			continue
		}
		n := 0
		if _, err := x.reader.Read(ctx, topic.DLQ(t.Name), 0, 0, func(r streams.Record) error {
			if strings.HasPrefix(string(r.Key), x.prefix) {
				n++
			}
			return nil
		}); err != nil {
			return err
		}
		x.result.Also["dead_letters_"+t.Name] = n
	}
	for _, name := range []string{event.TopicDanmaku, event.TopicRoomEvent, event.TopicOrder, event.TopicWindow, event.TopicReply, event.TopicOutcome, event.TopicDelivery} {
		if x.result.Also["dead_letters_"+name] == 0 {
			errs = append(errs, fmt.Errorf("the poison of %s is in no dead letter", name))
		}
	}
	l := x.journal.log(x.prefix)
	state := event.State("none")
	for _, o := range l.Outcomes {
		if strings.HasSuffix(string(o.V.DanmakuID), "-old") {
			state = o.V.State
		}
	}
	if state != event.Expired {
		errs = append(errs, fmt.Errorf("the replayed danmaku of an hour ago has the outcome %s, not expired", state))
	}
	return errors.Join(errs...)
}
