package runner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/agentworker/model"
	"livehost/agentworker/model/modeltest"
	"livehost/agentworker/runner"
	"livehost/streams/event"
)

// summary renders a result in a few lines.
func summary(res runner.Result) string {
	var b strings.Builder
	if rep := res.Reply; rep != nil {
		if rep.Public != nil {
			fmt.Fprintf(&b, "public %v: %s\n", rep.Public.Covers, rep.Public.Text)
		}
		for _, p := range rep.Private {
			fmt.Fprintf(&b, "private %s: %s\n", p.DanmakuID, p.Text)
		}
		if len(rep.NotCovered) > 0 {
			fmt.Fprintf(&b, "not covered %v\n", rep.NotCovered)
		}
		if rep.Fallback != "" {
			fmt.Fprintf(&b, "fallback %s\n", rep.Fallback)
		}
		if len(rep.NotInRoom) > 0 {
			fmt.Fprintf(&b, "not in room %v\n", rep.NotInRoom)
		}
		for _, f := range rep.Facts {
			fmt.Fprintf(&b, "fact %s %s %s\n", f.Kind, f.LinkID, f.Value)
		}
	}
	for _, o := range res.Outcomes {
		fmt.Fprintf(&b, "%s %s %s\n", o.DanmakuID, o.State, o.Reason)
	}
	for _, h := range res.Hits {
		if h.Rule == "fallback" { // conserve looks at it
			continue
		}
		fmt.Fprintf(&b, "hit %s %s %s\n", h.Rule, h.Action, h.Span)
	}
	return b.String()
}

func TestRun(t *testing.T) {
	t.Parallel()
	price := []event.Member{member("d1", "1号链接多少钱", "price")}
	skill := []string{"use_skill", `{"which":"price"}`}
	item := func(n string) []string { return []string{"item", `{"number":"` + n + `"}`} }
	both := append(append([]string{}, skill...), item("1")...)
	four := []event.Member{
		member("d1", "1号多少钱", "price"), member("d2", "2号呢", "price"), member("d3", "哈哈", "low_info"), member("d4", "7号多少钱", "price"),
	}
	for _, tt := range []struct {
		name  string
		mode  event.Mode
		who   []event.Member
		steps []modeltest.Step
		want  string
	}{
		{
			"single: skill, tool, reply", event.Single, price,
			[]modeltest.Step{modeltest.Call(both...), modeltest.Say("围巾今天89元")},
			"public [d1]: 围巾今天89元\nfact price 1 8900\n",
		},
		{
			"the facts are those the text speaks of", event.Single, price,
			[]modeltest.Step{modeltest.Call(both...), modeltest.Say("有货，还剩3件")},
			"public [d1]: 有货，还剩3件\nfact stock 1 3\n",
		},
		{
			"an invented price is asked for again", event.Single, price,
			[]modeltest.Step{modeltest.Call(skill...), modeltest.Say("今天79元"), modeltest.Call(item("1")...), modeltest.Say("今天89元")},
			"public [d1]: 今天89元\nfact price 1 8900\nhit grounding retry 79元\n",
		},
		{
			"an invented price twice is the conservative reply", event.Single, price,
			[]modeltest.Step{modeltest.Call(skill...), modeltest.Say("今天79元")},
			"public [d1]: 这个问题我再核对一下，您先看看链接页\nfallback conservative\nhit grounding retry 79元\nhit grounding block 79元\n",
		},
		{
			"the price of another link", event.Single, price,
			[]modeltest.Step{modeltest.Call(append(append([]string{}, skill...), item("1")...)...), modeltest.Say("2号链接89元")},
			"public [d1]: 这个问题我再核对一下，您先看看链接页\nfallback conservative\nhit grounding retry 2号链接\nhit grounding block 2号链接\n",
		},
		{
			"no skill is asked for again", event.Single, price,
			[]modeltest.Step{modeltest.Call(item("1")...), modeltest.Say("今天89元"), modeltest.Call(skill...), modeltest.Say("今天89元")},
			"public [d1]: 今天89元\nfact price 1 8900\nhit skill retry 今天89元\n",
		},
		{
			"markdown is rewritten", event.Single, price,
			[]modeltest.Step{modeltest.Call(both...), modeltest.Say("**围巾**\n今天89元")},
			"public [d1]: 围巾 今天89元\nfact price 1 8900\nhit format rewrite **\n",
		},
		{
			"a rewrite is checked again", event.Single, price,
			[]modeltest.Step{modeltest.Call(skill...), modeltest.Say("加微**信**咨询")},
			"d1 suppressed bait\nhit format rewrite **\nhit bait suppress 加微信\n",
		},
		{
			"not in this room", event.Single, []event.Member{member("d1", "7号链接多少钱", "price")},
			[]modeltest.Step{modeltest.Call(append(append([]string{}, skill...), item("7")...)...), modeltest.Say("本场没有7号链接哦")},
			"public [d1]: 本场没有7号链接哦\nnot in room [d1]\n",
		},
		{
			"one of its kind is offered instead", event.Single, []event.Member{member("d1", "7号链接多少钱", "price")},
			[]modeltest.Step{modeltest.Call(append(append([]string{}, skill...), item("7")...)...), modeltest.Say("这类的可以看看1号围巾")},
			"public [d1]: 这类的可以看看1号围巾\n",
		},
		{
			"silence", event.Single, []event.Member{member("d1", "哈哈哈", "low_info")},
			[]modeltest.Step{modeltest.Call("hush", `{"why":"small_talk"}`)},
			"d1 silent small_talk\n",
		},
		{
			"a reason that is not in the list", event.Single, []event.Member{member("d1", "我要投诉", "complaint")},
			[]modeltest.Step{modeltest.Call("escalate", `{"why":"the viewer is angry"}`)},
			"d1 handed_over agent_choice\n",
		},
		{
			"multi: answers joined, the rest silent", event.Multi, four,
			[]modeltest.Step{
				modeltest.Call(append(append(append([]string{}, both...), item("2")...), item("7")...)...),
				modeltest.Call("hush", `{"why":"small_talk","who":"d3"}`, "respond", `{"say":"1号89元，2号59元已售罄，7号本场没有","ids":["d1","d2","d4"]}`),
			},
			"public [d1 d2 d4]: 1号89元，2号59元已售罄，7号本场没有\nnot in room [d4]\nfact price 1 8900\nfact stock 1 3\nfact price 2 5900\nfact stock 2 0\nd3 silent small_talk\n",
		},
		{
			"multi: an id of another window is refused, who is left is not covered", event.Multi, four[:2],
			[]modeltest.Step{
				modeltest.Call(both...), modeltest.Call("respond", `{"say":"1号89元","ids":["d9"]}`), modeltest.Call("respond", `{"say":"1号89元","ids":["d1"]}`),
			},
			"public [d1]: 1号89元\nnot covered [d2]\nfact price 1 8900\n",
		},
		{
			"multi: text without a call covers everybody", event.Multi, four[:2],
			[]modeltest.Step{modeltest.Call(append(append([]string{}, both...), item("2")...)...), modeltest.Say("1号89元，2号59元")},
			"public [d1 d2]: 1号89元，2号59元\nfact price 1 8900\nfact price 2 5900\n",
		},
		{
			"multi: several texts in one round", event.Multi, four[:3],
			[]modeltest.Step{
				modeltest.Call(both...),
				modeltest.Call("whisper", `{"to":"d2","say":"2号我再看看"}`, "respond", `{"say":"1号89元","ids":["d1"]}`, "hush", `{"why":"noise"}`),
			},
			"public [d1]: 1号89元\nprivate d2: 2号我再看看\nfact price 1 8900\nd3 silent noise\n",
		},
		{
			"an order goes to its viewer alone", event.Single, []event.Member{member("d1", "我的快递到哪了", "order")},
			[]modeltest.Step{modeltest.Call(append(append([]string{}, skill...), "order", `{}`)...), modeltest.Say("您的订单已发货，明天送到")},
			"private d1: 您的订单已发货，明天送到\n",
		},
		{
			"an order is not told in public", event.Multi, []event.Member{member("d1", "我的快递到哪了", "order"), member("d2", "1号多少钱", "price")},
			[]modeltest.Step{
				modeltest.Call(append(append([]string{}, skill...), "order", `{"whose":"d1"}`)...),
				modeltest.Call("respond", `{"say":"您的订单已发货，明天送到","ids":["d1","d2"]}`),
				modeltest.Call("respond", `{"say":"您的订单已发货，明天送到","ids":["d2"]}`),
			},
			"public [d1 d2]: 这个问题我再核对一下，您先看看链接页\nfallback conservative\n" +
				"hit private-facts retry a public answer to whom private data was read for\nhit private-facts retry ************\nhit private-facts retry ************\n",
		},
		{
			"chat that a run failed is met with silence", event.Single, []event.Member{member("d1", "哈哈哈", "low_info")},
			[]modeltest.Step{modeltest.Fail(model.Unreachable)},
			"d1 silent nothing_to_say\n",
		},
		{
			"and questions beside it with the conservative reply", event.Multi, four[2:],
			[]modeltest.Step{modeltest.Fail(model.Unreachable)},
			"public [d4]: 这个问题我再核对一下，您先看看链接页\nfallback conservative\nd3 silent nothing_to_say\n",
		},
		{
			"a conservative reply is for those whose intent it is for", event.Multi,
			[]event.Member{member("d1", "你是机器人吗", "identity"), member("d2", "1号多少钱", "price"), member("d3", "是真人吗", "identity")},
			[]modeltest.Step{modeltest.Fail(model.Unreachable)},
			"public [d1 d3]: 我是本直播间的AI主播\nprivate d2: 这个问题我再核对一下，您先看看链接页\nfallback conservative\n",
		},
		{
			"an order is not told to another viewer", event.Multi, []event.Member{member("d1", "我的快递到哪了", "order"), member("d2", "1号多少钱", "price")},
			[]modeltest.Step{
				modeltest.Call(append(append([]string{}, skill...), "order", `{"whose":"d1"}`)...),
				modeltest.Call("whisper", `{"to":"d1","say":"您的订单已发货，明天送到"}`, "whisper", `{"to":"d2","say":"您的订单已发货，明天送到"}`),
				modeltest.Call("hush", `{"why":"noise"}`),
			},
			"private d1: 您的订单已发货，明天送到\nd2 silent noise\nhit private-facts retry ************\n",
		},
		{
			"two answers are one voice", event.Multi, four[:2],
			[]modeltest.Step{
				modeltest.Call(append(append([]string{}, both...), item("2")...)...),
				modeltest.Call("respond", `{"say":"1号89元","ids":["d1"]}`, "respond", `{"say":"2号59元","ids":["d2"]}`),
			},
			"public [d1 d2]: 1号89元 2号59元\nfact price 1 8900\nfact price 2 5900\n",
		},
		{
			"several viewers: whose order must be said", event.Multi, []event.Member{member("d1", "我的快递到哪了", "order"), member("d2", "1号多少钱", "price")},
			[]modeltest.Step{
				modeltest.Call(append(append([]string{}, skill...), "order", `{}`)...), modeltest.Call("order", `{"whose":"d1"}`),
				modeltest.Call("whisper", `{"to":"d1","say":"您的订单已发货，明天送到"}`),
			},
			"private d1: 您的订单已发货，明天送到\nnot covered [d2]\n",
		},
		{
			"an invented link is not looked up", event.Single, price,
			[]modeltest.Step{modeltest.Call(append(append([]string{}, skill...), item("2")...)...), modeltest.Call(item("1")...), modeltest.Say("今天89元")},
			"public [d1]: 今天89元\nfact price 1 8900\nhit params block 2\n",
		},
		{
			"unknown tools and broken arguments are answered", event.Single, price,
			[]modeltest.Step{modeltest.Call("nope", `{}`, "item", `[1]`, "use_skill", `{"which":"price"}`), modeltest.Call(item("1")...), modeltest.Say("今天89元")},
			"public [d1]: 今天89元\nfact price 1 8900\n",
		},
		{
			"asked whether it is a robot", event.Single, []event.Member{member("d1", "你是机器人吗", "identity")},
			[]modeltest.Step{modeltest.Call(skill...), modeltest.Say("我是真人主播哦")},
			"public [d1]: 我是本直播间的AI主播\nfallback conservative\nhit identity block 我是真人\n",
		},
		{
			"reasoning markup never leaves", event.Single, price,
			[]modeltest.Step{modeltest.Call(skill...), modeltest.Say("<tool_call>{\"name\":\"x\"")},
			"public [d1]: 这个问题我再核对一下，您先看看链接页\nfallback conservative\nhit leakage block <tool_call\nhit language retry <tool_call>{\"name\":\"x\"\n",
		},
		{
			"rounds used up", event.Single, price,
			[]modeltest.Step{modeltest.Call(item("1")...)},
			"public [d1]: 这个问题我再核对一下，您先看看链接页\nfallback conservative\n",
		},
		{
			"a truncated answer is made again on the compact route", event.Single, price,
			[]modeltest.Step{modeltest.Call(both...), modeltest.Finish("今天", model.FinishLength), modeltest.Say("今天89元")},
			"public [d1]: 今天89元\nfallback compact\nfact price 1 8900\n",
		},
		{
			"English", event.Single, []event.Member{member("d1", "how much is link 1", "price")},
			[]modeltest.Step{modeltest.Call(both...), modeltest.Say("Link 1 is ¥89 today")},
			"public [d1]: Link 1 is ¥89 today\nfact price 1 8900\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, modeltest.New(tt.steps...), defaultShop)
			if d := cmp.Diff(tt.want, summary(r.run(t, window(tt.mode, tt.who...)))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestConservativeReplyWithoutPrivateText(t *testing.T) {
	t.Parallel()
	r := newRig(t, modeltest.New(modeltest.Fail(model.Unreachable)), defaultShop)
	w := window(event.Multi, member("d1", "你是机器人吗", "identity"), member("d2", "1号多少钱", "price"))
	w.Context.Settings.PrivateText = false
	want := "public [d1]: 我是本直播间的AI主播\nnot covered [d2]\nfallback conservative\n"
	if d := cmp.Diff(want, summary(r.run(t, w))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
