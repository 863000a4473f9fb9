package skill_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/agentworker/skill"
	"livehost/harness"
	"livehost/harness/harnesstest"
)

func TestBlock(t *testing.T) {
	t.Parallel()
	r := harnesstest.Load(t, harnesstest.Release, "")
	got := skill.Block(r.Skills, 0, func(s string) string { return s })
	want := "## Skills\n- price [intents: price, purchase] What things cost. 观众常说：多少钱、什么价\n- nudge Add to cart, kindly. 加购提醒"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got, want := skill.Block(r.Skills[:1], 4, func(s string) string { return s }), "## Skills\n- price [intents: price, purchase] What…"; got != want {
		t.Errorf("shortened: %q, want %q", got, want)
	}
	if got := skill.Block(nil, 0, nil); got != "" {
		t.Errorf("no skills give %q", got)
	}
}

func TestLoaded(t *testing.T) {
	t.Parallel()
	r := harnesstest.Load(t, harnesstest.Release, "")
	price, _ := r.Skill("price")
	nudge, _ := r.Skill("nudge")
	var l skill.Loaded
	for _, step := range []struct {
		add   *harness.Skill
		reply bool
		names []string
	}{
		{nudge, false, []string{"nudge"}},
		{nudge, false, []string{"nudge"}},
		{price, true, []string{"nudge", "price"}},
	} {
		l.Add(step.add)
		if l.HasReply() != step.reply || cmp.Diff(step.names, l.Names()) != "" {
			t.Errorf("after %s: reply %v, names %v", step.add.Name, l.HasReply(), l.Names())
		}
	}
	if !skill.Required(r) || skill.Required(harnesstest.Load(t, harnesstest.Baseline, "")) {
		t.Error("a reply skill is required where the release has one, and only there")
	}
}
