package hook_test

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/runner"
	"livehost/harness/harnesstest"
	"livehost/internal/benchfile"
	"livehost/streams/event"
)

// figures is the key hooks of bench.json: microseconds that all before_reply
// hooks of the shipped release take for one reply. It is the thread's CPU time, so
// that what else the machine does is not counted.
type figures struct {
	P50 float64 `json:"us_per_reply_p50"`
	P99 float64 `json:"us_per_reply_p99"`
}

func threadTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

func BenchmarkFigures(b *testing.B) {
	rel := harnesstest.Shipped(b, "harness")
	e, err := hook.New(rel.Hooks, guardrail.Checks())
	if err != nil {
		b.Fatal(err)
	}
	replies := []string{
		"控油清爽面霜今天89元，满300减50，还有460件", "它含烟酰胺、甘油、透明质酸钠，油皮和混油皮都能用", "48小时内发货，3-5天送到，退换找客服处理",
		"The cream is ¥89 today, ¥50 off over ¥300", "身高165厘米体重55公斤建议M码，喜欢宽松拿L码", "全网最低价，保证三天见效", "您说的77号本场没有，1号面霜可以看看",
	}
	in := guardrail.Input{Language: "zh", Evidence: &guardrail.Evidence{}, Prompts: runner.PrivateTexts(rel), Members: []event.Member{{DanmakuID: "d1", ViewerName: "小雨", Question: "1号多少钱", Text: "1号多少钱"}}}
	for _, t := range rel.Tools {
		in.Internal = append(in.Internal, t.Name)
	}
	for i, p := range rel.Catalog.Products[:8] {
		in.Evidence.AddFacts(p.SellingPoint)
		in.Evidence.AddResult(guardrail.ToolResult{Tool: "get_product", Args: map[string]any{"link_id": string(p.LinkID)}, Data: map[string]any{
			"link_id": string(p.LinkID), "name": p.Name, "price": fmt.Sprintf("%d元", p.Price()/100), "price_fen": float64(p.Price()), "stock": float64(p.Stock()), "in_stock": i%3 > 0, "promotion": "满300减50",
		}})
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took []time.Duration
	for b.Loop() {
		took = took[:0]
		for i := range 4000 {
			in.Text = replies[i%len(replies)]
			began := threadTime(b)
			e.NewRun().At(hook.BeforeReply, &in, hook.Vars{Kind: "danmaku", Round: 2, Language: "zh"})
			took = append(took, threadTime(b)-began)
		}
	}
	slices.SortFunc(took, cmp.Compare)
	us := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Nanoseconds()) / 1000
	}
	f := figures{P50: us(0.50), P99: us(0.99)}
	b.ReportMetric(f.P50, "us/reply-p50")
	b.ReportMetric(f.P99, "us/reply-p99")
	path, err := benchfile.Path()
	if err != nil {
		b.Fatal(err)
	}
	if err := benchfile.Merge(path, "hooks", f); err != nil {
		b.Fatal(err)
	}
}
