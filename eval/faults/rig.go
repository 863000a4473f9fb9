package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"livehost/eval/process"
	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/demo"
	"livehost/internal/services"
	"livehost/streams/kafka"
	"livehost/streams/source"
	"livehost/streams/topic"
)

// sessionTimeout is how long the broker waits for a killed member; the least that
// it allows.
const sessionTimeout = 6 * time.Second

// rig is the servers, the stages and what looks at them.
type rig struct {
	options
	dir      string
	servers  *services.Set // nil when somebody else's are used
	redis    string        // host:port
	store    string        // ClickHouse's DSN; empty: no analytics
	stages   map[string]*process.Process
	policy   []*proxy // before the replicas
	commerce *proxy
	network  *network // before the brokers, for the stages apart; nil when somebody else's servers are used
	catalog  *harness.Catalog
	said     []string

	kafka   kafka.Config
	pub     *kafka.Publisher
	reader  *kafka.Reader
	journal *journal
	stop    context.CancelFunc
	ended   chan error // of the journal
}

// The stages, downstream first. A second one of each can be started besides, and one
// that reaches the brokers through the network instead.
var stageNames = []string{"analytics", "dispatcher", "agentworker", "aggregator"}

func second(name string) string { return name + "-2" }
func apart(name string) string  { return name + "-apart" }

// policySlots is what the scripted policy takes at once: its replicas' slots.
const (
	policyReplicas = 4
	policySlots    = 2
)

// open starts everything.
func open(ctx context.Context, o options, dir string) (_ *rig, err error) {
	r := &rig{options: o, dir: dir, stages: make(map[string]*process.Process)}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	cfg, err := services.DefaultConfig()
	if err != nil {
		return nil, err
	}
	cfg.Dir, cfg.Livehost, cfg.Brokers, cfg.Port = filepath.Join(dir, "servers"), o.livehost, 3, 0
	if r.network, err = newNetwork(cfg.Brokers); err != nil {
		return nil, err
	}
	cfg.Proxies = r.network.addrs()
	if r.servers, err = services.Up(ctx, cfg, os.Stderr); err != nil {
		return nil, err
	}
	r.network.forward(r.servers.BehindProxies())
	r.kafka = kafka.DefaultConfig()
	r.kafka.Brokers, r.redis, r.store = r.servers.KafkaBrokers(), r.servers.RedisAddr(), r.servers.ClickHouseDSN()
	return r, r.start(ctx)
}

// start makes topics, stages and clients on the servers that the rig names.
func (r *rig) start(ctx context.Context) error {
	if _, err := kafka.Provision(ctx, r.kafka, topic.All(topic.DefaultPartitions)); err != nil {
		return err
	}
	if err := r.openStages(); err != nil {
		return err
	}
	return r.openClients(ctx)
}

// openClients makes what the suite itself reads and writes with.
func (r *rig) openClients(ctx context.Context) error {
	h, err := harness.Default()
	if err != nil {
		return err
	}
	release, err := h.Release(h.Releases()[0])
	if err != nil {
		return err
	}
	r.catalog = release.Catalog
	if r.said, err = texts(r.catalog); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	if r.pub, err = kafka.NewPublisher(r.kafka, log); err != nil {
		return err
	}
	if r.reader, err = kafka.NewReader(r.kafka, log); err != nil {
		return err
	}
	r.journal, r.ended = newJournal(), make(chan error, 1)
	follow, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	go func() { r.ended <- r.journal.run(follow, r.reader) }()
	return nil
}

// openStages starts the simulated policy and commerce, proxies before them, and
// the stages behind the proxies.
func (r *rig) openStages() error {
	ports, err := freePorts(policyReplicas + 1)
	if err != nil {
		return err
	}
	var replicas []any
	for i := range policyReplicas {
		p, err := newProxy(fmt.Sprintf("http://127.0.0.1:%d", ports[0]+i))
		if err != nil {
			return err
		}
		r.policy = append(r.policy, p)
		replicas = append(replicas, map[string]any{"name": fmt.Sprintf("policy-%d", i+1), "base_url": "http://" + p.addr + "/v1", "slots": policySlots})
	}
	commerce := fmt.Sprintf("127.0.0.1:%d", ports[0]+policyReplicas)
	if r.commerce, err = newProxy("http://" + commerce); err != nil {
		return err
	}
	base := map[string]any{
		"log":        map[string]any{"level": "warn"},
		"redis":      map[string]any{"addrs": []string{r.redis}},
		"clickhouse": map[string]any{"dsn": r.store},
		"analytics":  map[string]any{"hash_key": "of the fault suite, not secret"},
		"outlet":     map[string]any{"voice": "console"},
		"policy":     map[string]any{"model": "scripted-policy", "replicas": replicas},
		"mcp":        []any{map[string]any{"name": "commerce", "url": "http://" + r.commerce.addr + "/mcp"}},
		"simulated": map[string]any{
			"policy":        map[string]any{"addr": fmt.Sprintf("127.0.0.1:%d", ports[0]), "replicas": policyReplicas, "slots": policySlots},
			"commerce_addr": commerce,
		},
	}
	errs := []error{
		r.add("policy", "policy", "policy", base, r.kafka.Brokers), r.add("commerce", "commerce", "commerce", base, r.kafka.Brokers),
	}
	for _, name := range stageNames {
		errs = append(errs, r.add(name, name, name, base, r.kafka.Brokers), r.add(second(name), name, second(name), base, r.kafka.Brokers))
		if r.network != nil {
			errs = append(errs, r.add(apart(name), name, name, base, r.network.addrs()))
		}
	}
	for _, name := range append([]string{"policy", "commerce"}, stageNames...) {
		if name != "analytics" || r.store != "" {
			errs = append(errs, r.stages[name].Start())
		}
	}
	return errors.Join(errs...)
}

// add makes a stage: its name, which the brokers know it by, what it is, and the
// member of the consumer group it comes back as.
func (r *rig) add(name, target, instance string, base map[string]any, brokers []string) error {
	config := maps.Clone(base)
	config["kafka"] = map[string]any{
		"brokers": brokers, "client_id": name, "instance_id": instance, "session_timeout": sessionTimeout.String(),
	}
	s, err := process.New(r.dir, r.livehost, name, target, config)
	r.stages[name] = s
	return err
}

// close ends everything that was started, the processes first.
func (r *rig) close() error {
	var errs []error
	for _, s := range r.stages {
		if s != nil {
			errs = append(errs, s.Kill())
		}
	}
	for _, p := range append(r.policy, r.commerce) {
		if p != nil {
			errs = append(errs, p.close())
		}
	}
	if r.stop != nil {
		r.stop()
		errs = append(errs, <-r.ended)
	}
	if r.reader != nil {
		r.reader.Close()
	}
	if r.pub != nil {
		r.pub.Close()
	}
	if r.network != nil {
		errs = append(errs, r.network.close())
	}
	if r.servers != nil {
		errs = append(errs, r.servers.Down())
	}
	return errors.Join(errs...)
}

// trial is one fault being done.
type trial struct {
	*rig
	name   string
	prefix string // of the rooms
	random *rand.Rand
	result *result
}

const (
	// warmUp is how long viewers write before the fault.
	warmUp = 4 * time.Second
	// coolDown is how long they go on after it.
	coolDown = 6 * time.Second
	// settleWithin is how long after the last danmaku all must have ended: windows
	// close 25 s after it, and a sentence may be under way.
	settleWithin = 60 * time.Second
	// catchUpWithin is how long consumer groups may take then.
	catchUpWithin = 60 * time.Second
)

// do does one fault under load and judges what came of it.
func (r *rig) do(ctx context.Context, f fault) (*result, error) {
	begin := time.Now()
	var salt uint64
	for _, c := range f.name {
		salt = salt*31 + uint64(c)
	}
	x := &trial{
		rig: r, name: f.name, prefix: fmt.Sprintf("%s-%d", f.name, r.seed), random: rand.New(rand.NewPCG(r.seed, salt)),
		result: &result{Name: f.name, Seed: r.seed, Also: map[string]int{}},
	}
	fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().Format("15:04:05"), f.name)
	playing, endLoad := context.WithCancel(ctx)
	defer endLoad()
	epoch := time.Now().Add(500 * time.Millisecond)
	items := load(x.prefix, bound, epoch, r.catalog, r.said, rand.New(rand.NewPCG(r.seed, salt+1)))
	played := make(chan error, 1)
	player := demo.NewPlayer(epoch, items, demo.PlayerDeps{
		Publisher: r.pub, Reader: noPast{r.reader}, Clock: clock.Real(), Log: slog.New(slog.DiscardHandler), Control: func(source.Control) {},
	})
	go func() { played <- player.Run(playing) }()
	if err := clock.WallSleep(ctx, warmUp); err != nil {
		return nil, err
	}
	if err := f.inject(ctx, x); err != nil {
		return nil, err
	}
	recovered := make(chan time.Duration, 1)
	if err := x.recovery(ctx, recovered); err != nil {
		return nil, err
	}
	if err := clock.WallSleep(ctx, coolDown); err != nil {
		return nil, err
	}
	endLoad()
	if err := <-played; err != nil {
		return nil, err
	}
	if err := x.settle(ctx, recovered); err != nil {
		return nil, err
	}
	select {
	case err := <-r.ended:
		r.ended <- err
		return nil, fmt.Errorf("the log is not followed any more: %w", err)
	default:
	}
	x.judge(ctx, f)
	x.result.WallS = round(time.Since(begin))
	return x.result, nil
}

// judge says what came of the fault.
func (x *trial) judge(ctx context.Context, f fault) {
	x.result.judge(x.journal.log(x.prefix), policyReplicas*policySlots)
	find := func(what string) { x.result.Findings = append(x.result.Findings, what) }
	if x.result.Variants < 2 {
		find("the viewers were all of one variant: it could not be mixed")
	}
	if f.check != nil {
		if err := f.check(ctx, x); err != nil {
			find(err.Error())
		}
	}
	for _, s := range x.stages {
		if err := s.Died(); err != nil {
			find(err.Error())
		}
	}
}

func round(d time.Duration) float64 { return d.Round(100 * time.Millisecond).Seconds() }
