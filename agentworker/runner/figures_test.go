package runner_test

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/model"
	"livehost/agentworker/model/modeltest"
	"livehost/agentworker/prompt"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/harness/harnesstest"
	"livehost/internal/benchfile"
	"livehost/internal/clock"
	"livehost/streams/event"
)

// figures go to bench.json under "agent": a run of the shipped release with all its
// hooks, three rounds and two tool calls.
type figures struct {
	RunnerCPUMs float64 `json:"runner_cpu_ms"`                   // our own CPU of one run
	OverheadP99 float64 `json:"run_wall_minus_simulated_ms_p99"` // wall beyond the simulated policy's, eight runs at a time
	KBPerRun    float64 `json:"kb_per_run"`                      // of 1,000 runs that wait for their last answer, without prompt bytes
	PromptKB    float64 `json:"prompt_kb_per_run"`               // what those runs hold of prompts beside the shared prefix
}

// lines are the policy's answers, by how many it has given in the run.
func lines(asked int) modeltest.Step {
	switch asked {
	case 0:
		return modeltest.Call("load_skill", `{"name":"price-promotion"}`)
	case 1:
		return modeltest.Call("get_product", `{"link_id":"1"}`, "get_stock", `{"link_id":"1"}`)
	}
	return modeltest.Say("1号链接今天89元")
}

// speaker answers every run by how far it is, after a wait.
type speaker struct {
	wait time.Duration
	last func(model.Request) // called before the last answer
}

func (s speaker) Complete(ctx context.Context, req model.Request) (model.Response, error) {
	asked := 0
	for _, m := range req.Messages {
		if m.Role == model.Assistant {
			asked++
		}
	}
	if asked == 2 && s.last != nil {
		s.last(req)
	}
	return modeltest.After(s.wait, lines(asked))(ctx, req)
}

func shippedRelease(b *testing.B) *runner.Release {
	b.Helper()
	content := harnesstest.Shipped(b, "harness")
	rel := &runner.Release{Release: content, Private: runner.PrivateTexts(content)}
	var err error
	if rel.Engine, err = hook.New(content.Hooks, guardrail.Checks()); err != nil {
		b.Fatal(err)
	}
	if rel.Prompts, err = prompt.New(prompt.DefaultConfig(), content); err != nil {
		b.Fatal(err)
	}
	result := tool.Output{Text: `{"link_id":"1","name":"围巾","price":"89元","price_fen":8900,"stock":3,"in_stock":true}`}
	rel.Toolbox, err = tool.New(tool.DefaultConfig(), tool.Deps{
		Log:     slog.New(slog.DiscardHandler),
		Servers: shop{answers: map[string]tool.Output{"get_product 1": result, "get_stock 1": result}},
	})
	if err != nil {
		b.Fatal(err)
	}
	return rel
}

func shippedRig(b *testing.B, rel *runner.Release, m model.Model) *rig {
	b.Helper()
	wall := clock.Real()
	r, err := runner.New(runner.DefaultConfig(), runner.Deps{Clock: wall, Log: slog.New(slog.DiscardHandler), Model: m})
	if err != nil {
		b.Fatal(err)
	}
	return &rig{Runner: r, log: &stepLog{}, release: rel, clock: wall}
}

// one makes a run and checks that it said what it should.
func (r *rig) one(b *testing.B) {
	task := r.task(window(event.Single, member("d1", "1号多少钱", "price")))
	res, err := r.Run(b.Context(), task)
	if err == nil {
		err = task.Recorder.Flush(b.Context())
	}
	if err != nil || res.Reply == nil || res.Reply.Fallback != "" {
		b.Errorf("%v %s", err, summary(res))
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for no process of ours
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

func BenchmarkFigures(b *testing.B) {
	rel := shippedRelease(b)
	shippedRig(b, rel, speaker{}).one(b) // what is made once is made
	if b.Failed() {
		return
	}
	var f figures
	for b.Loop() {
		f.RunnerCPUMs = cpuOfRuns(b, rel)
		f.OverheadP99 = overheadOfRuns(b, rel)
		f.KBPerRun, f.PromptKB = memoryOfRuns(b, rel)
	}
	b.ReportMetric(f.RunnerCPUMs, "cpu-ms/run")
	b.ReportMetric(f.OverheadP99, "overhead-ms-p99")
	b.ReportMetric(f.KBPerRun, "KB/run")
	b.ReportMetric(f.PromptKB, "prompt-KB/run")
	path, err := benchfile.Path()
	if err != nil {
		b.Fatal(err)
	}
	if err := benchfile.Merge(path, "agent", f); err != nil {
		b.Fatal(err)
	}
}

func cpuOfRuns(b *testing.B, rel *runner.Release) float64 {
	const runs = 200
	began := cpu()
	for range runs {
		shippedRig(b, rel, speaker{}).one(b)
	}
	return (cpu() - began).Seconds() * 1000 / runs
}

func overheadOfRuns(b *testing.B, rel *runner.Release) float64 {
	const runs, atOnce, wait = 400, 8, 50 * time.Millisecond
	var mu sync.Mutex
	var over []float64
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for range runs / atOnce {
				r := shippedRig(b, rel, speaker{wait: wait})
				began := time.Now()
				r.one(b)
				took := time.Since(began) - 3*wait
				mu.Lock()
				over = append(over, took.Seconds()*1000)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(over)
	return over[len(over)*99/100]
}

func memoryOfRuns(b *testing.B, rel *runner.Release) (kb, promptKB float64) {
	const runs = 1000
	var arrived, ended sync.WaitGroup
	var mu sync.Mutex
	prompts := 0
	release := make(chan struct{})
	arrived.Add(runs)
	park := func(req model.Request) {
		n := len(req.Messages[0].Content) + len(req.Messages[1].Content)
		mu.Lock()
		prompts += n
		mu.Unlock()
		arrived.Done()
		<-release
	}
	before := heap()
	for range runs {
		r := shippedRig(b, rel, speaker{last: park})
		r.log = nil
		task := r.task(window(event.Single, member("d1", strings.Clone("1号多少钱"), "price")))
		task.Deadline = time.Now().Add(time.Minute)
		ended.Go(func() { _, _ = r.Run(context.Background(), task) })
	}
	arrived.Wait()
	total := float64(heap() - before)
	close(release)
	ended.Wait()
	return (total - float64(prompts)) / runs / 1024, float64(prompts) / runs / 1024
}
