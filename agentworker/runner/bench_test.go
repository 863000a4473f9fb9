package runner_test

import (
	"testing"

	"livehost/agentworker/model/modeltest"
	"livehost/streams/event"
)

// BenchmarkRun is the runner's own work for three rounds and two tools with an
// instant policy: prompt, tools, evidence, hooks, steps.
func BenchmarkRun(b *testing.B) {
	var steps []modeltest.Step
	call := []modeltest.Step{
		modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`), modeltest.Call("item", `{"number":"2"}`),
		modeltest.Say("1号89元，2号59元已售罄"),
	}
	for range 3 {
		steps = append(steps, call...)
	}
	w := window(event.Single, member("d1", "1号和2号多少钱", "price"))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		r := newRig(b, modeltest.New(steps...), defaultShop)
		b.StartTimer()
		if res := r.run(b, w); res.Reply == nil || res.Reply.Fallback != "" {
			b.Fatalf("%s", summary(res))
		}
	}
}
