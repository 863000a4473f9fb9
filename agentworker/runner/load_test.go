package runner_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"livehost/agentworker/model"
	"livehost/agentworker/model/modeltest"
	"livehost/streams/event"
)

// A thousand runs at once, a third of them cancelled at some moment, some with tools
// that hang: each ends by its deadline, in one way for every member, or with the
// error of its cancellation.
func TestThousandRunsWithCancel(t *testing.T) { // alone: others measure wall time
	synctest.Test(t, func(t *testing.T) {
		const runs = 1000
		s := shop{answers: defaultShop.answers, wait: map[string]time.Duration{"get_product": 700 * time.Millisecond, "get_order_status": time.Hour}}
		r := newRig(t, speaking{}, s)
		rnd := rand.New(rand.NewPCG(3, 4))
		began := time.Now()
		var wg sync.WaitGroup
		for i := range runs {
			ctx, cancel := context.WithCancel(t.Context())
			cancelled := i%3 == 0
			if cancelled {
				stop := time.AfterFunc(time.Duration(rnd.IntN(9000))*time.Millisecond, cancel)
				defer stop.Stop()
			}
			defer cancel()
			w := window(event.Single, member("d1", "1号多少钱", "price"))
			task := r.task(w)
			wg.Go(func() {
				res, err := r.Run(ctx, task)
				switch {
				case err == nil:
					conserve(t, w, res)
				case ctx.Err() == nil:
					t.Errorf("run %d: %v", i, err)
				}
				if ferr := task.Recorder.Flush(t.Context()); ferr != nil {
					t.Error(ferr)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the last run ended after %v, its deadline was 10 s", took)
		}
	})
}

// speaking is a policy that takes its time, fails and hangs, by the request's id.
type speaking struct{}

func (speaking) Complete(ctx context.Context, req model.Request) (model.Response, error) {
	steps := []modeltest.Step{
		modeltest.Call("use_skill", `{"which":"price"}`, "item", `{"number":"1"}`, "order", `{}`),
		modeltest.Say("今天89元"), modeltest.Fail(model.StreamError), modeltest.Hang(), modeltest.Say(""),
	}
	n := len(req.Messages)
	ctx, cancel := context.WithTimeout(ctx, req.Budget)
	defer cancel()
	return modeltest.After(time.Duration(n*137%900)*time.Millisecond, steps[rand.IntN(len(steps))])(ctx, req)
}
