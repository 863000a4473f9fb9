package agentworker

import (
	"errors"
	"fmt"

	"livehost/agentworker/guardrail"
	"livehost/agentworker/hook"
	"livehost/agentworker/prompt"
	"livehost/agentworker/runner"
	"livehost/harness"
	"livehost/streams/event"
)

// ReleaseSet is Releases over one loaded harness. The variants of the default
// experiment are named after releases; Variants renames others. It is immutable
// and safe for concurrent use: switching a release makes a new set.
type ReleaseSet struct {
	variants map[event.Variant]string
	releases map[releaseKey]*runner.Release
}

type releaseKey struct {
	id       string
	merchant event.MerchantID
}

// NewReleaseSet prepares every release of h, for every merchant: hooks are
// compiled and prompts' constant parts rendered once. variants maps variants to
// release ids; a variant that is not in it is a release id itself.
func NewReleaseSet(h *harness.Harness, toolbox runner.Toolbox, prompts prompt.Config, variants map[event.Variant]string) (*ReleaseSet, error) {
	set := &ReleaseSet{variants: variants, releases: map[releaseKey]*runner.Release{}}
	var errs []error
	for _, id := range h.Releases() {
		for _, merchant := range append([]event.MerchantID{""}, h.Merchants()...) {
			r, err := prepare(h, id, merchant, toolbox, prompts)
			if err != nil {
				errs = append(errs, fmt.Errorf("release %s, merchant %q: %w", id, merchant, err))
				continue
			}
			set.releases[releaseKey{id, merchant}] = r
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("agentworker: %w", err)
	}
	return set, nil
}

func prepare(h *harness.Harness, id string, merchant event.MerchantID, toolbox runner.Toolbox, prompts prompt.Config) (*runner.Release, error) {
	r, err := h.ForMerchant(id, merchant)
	if err != nil {
		return nil, err
	}
	engine, err := hook.New(r.Hooks, guardrail.Checks())
	if err != nil {
		return nil, err
	}
	builder, err := prompt.New(prompts, r)
	if err != nil {
		return nil, err
	}
	return &runner.Release{Release: r, Engine: engine, Toolbox: toolbox, Prompts: builder}, nil
}

// Resolve is the variant's release with the merchant's overlay, if there is one.
func (s *ReleaseSet) Resolve(v event.Variant, merchant event.MerchantID) (*runner.Release, error) {
	id, ok := s.variants[v]
	if !ok {
		id = string(v)
	}
	for _, key := range []releaseKey{{id, merchant}, {id, ""}} {
		if r := s.releases[key]; r != nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("agentworker: variant %q: there is no release %q", v, id)
}
