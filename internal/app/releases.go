package app

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
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
// overlay. Everything is compiled before the first run asks: a broken hook stops
// the start, not a run.
type releases struct {
	tools   *tool.Toolset
	prompts prompt.Config
	log     *slog.Logger

	mu   sync.RWMutex
	made map[releaseKey]*runner.Release
}

type releaseKey struct {
	release  string
	merchant event.MerchantID // empty: without overlay
}

func newReleases(h *harness.Harness, tools *tool.Toolset, log *slog.Logger) (*releases, error) {
	r := &releases{tools: tools, prompts: prompt.DefaultConfig(), log: log}
	made, err := r.compile(h, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	r.made = made
	return r, nil
}

// Resolve implements agentworker.Releases. The release a run was given stays what
// it is, whatever is reloaded meanwhile.
func (r *releases) Resolve(variant event.Variant, merchant event.MerchantID) (*runner.Release, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if rel := r.made[releaseKey{string(variant), merchant}]; rel != nil {
		return rel, nil
	}
	if rel := r.made[releaseKey{release: string(variant)}]; rel != nil {
		return rel, nil
	}
	return nil, fmt.Errorf("variant %s: the harness has no release of that name", variant)
}

// isDev says which releases may change under a running process.
func isDev(id string) bool { return id == "dev" || strings.HasPrefix(id, "dev-") }

// reload takes over the dev releases of h for the runs that begin from now on.
// Anything wrong leaves what there is.
func (r *releases) reload(h *harness.Harness) error {
	made, err := r.compile(h, isDev)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	next := maps.Clone(r.made)
	maps.DeleteFunc(next, func(k releaseKey, _ *runner.Release) bool { return isDev(k.release) })
	for key, rel := range made {
		next[key] = rel
		if old := r.made[key]; key.merchant == "" && (old == nil || old.Hash != rel.Hash) {
			r.log.Info("dev release reloaded", "release", key.release, "harness_hash", rel.Hash)
		}
	}
	r.made = next
	return nil
}

func (r *releases) compile(h *harness.Harness, want func(id string) bool) (map[releaseKey]*runner.Release, error) {
	made := map[releaseKey]*runner.Release{}
	var problems []error
	for _, id := range h.Releases() {
		if !want(id) {
			continue
		}
		for _, merchant := range append([]event.MerchantID{""}, h.Merchants()...) {
			rel, err := r.compileOne(h, id, merchant)
			if err != nil {
				problems = append(problems, fmt.Errorf("release %s: %w", id, err))
				break // the overlays would say the same
			}
			made[releaseKey{id, merchant}] = rel
		}
	}
	return made, errors.Join(problems...)
}

func (r *releases) compileOne(h *harness.Harness, id string, merchant event.MerchantID) (*runner.Release, error) {
	content, err := h.ForMerchant(id, merchant)
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
	return &runner.Release{Release: content, Engine: engine, Toolbox: r.tools, Prompts: builder, Private: runner.PrivateTexts(content)}, nil
}
