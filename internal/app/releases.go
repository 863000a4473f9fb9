package app

import (
	"fmt"
	"sync"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/prompt"
	"livehost/agentworker/runner"
	"livehost/agentworker/tool"
	"livehost/harness"
	"livehost/streams/event"
)

// releases gives each variant the release of its name, with the merchant's
// overlay. What a release needs compiled is compiled once.
type releases struct {
	harness *harness.Harness
	tools   *tool.Toolset
	prompts prompt.Config

	mu   sync.Mutex
	made map[releaseKey]*runner.Release
}

type releaseKey struct {
	variant  event.Variant
	merchant event.MerchantID
}

func newReleases(h *harness.Harness, tools *tool.Toolset) *releases {
	return &releases{harness: h, tools: tools, prompts: prompt.DefaultConfig(), made: map[releaseKey]*runner.Release{}}
}

// Resolve implements agentworker.Releases.
func (r *releases) Resolve(variant event.Variant, merchant event.MerchantID) (*runner.Release, error) {
	if !r.overlaid(merchant) {
		merchant = ""
	}
	key := releaseKey{variant, merchant}
	r.mu.Lock()
	defer r.mu.Unlock()
	if rel, ok := r.made[key]; ok {
		return rel, nil
	}
	rel, err := r.make(key)
	if err != nil {
		return nil, fmt.Errorf("release of variant %s: %w", variant, err)
	}
	r.made[key] = rel
	return rel, nil
}

func (r *releases) overlaid(merchant event.MerchantID) bool {
	for _, m := range r.harness.Merchants() {
		if m == merchant {
			return true
		}
	}
	return false
}

func (r *releases) make(key releaseKey) (*runner.Release, error) {
	content, err := r.harness.Release(string(key.variant))
	if key.merchant != "" {
		content, err = r.harness.ForMerchant(string(key.variant), key.merchant)
	}
	if err != nil {
		return nil, err
	}
	engine, err := hook.New(content.Hooks, guardrail.Checks())
	if err != nil {
		return nil, err
	}
	builder, err := prompt.New(r.prompts, content)
	if err != nil {
		return nil, err
	}
	return &runner.Release{Release: content, Engine: engine, Toolbox: r.tools, Prompts: builder}, nil
}
