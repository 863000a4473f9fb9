package app

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"livehost/agentworker/hook"
	"livehost/harness"
)

// fits reports content that the configuration of an agentworker leaves without effect. Nothing fails at
// the start for it: a tool without its server fails at every call, and a dispatcher
// that waits for the verdict of a hook nobody runs says nothing all evening.
func (c Config) fits(want []string, h *harness.Harness) error {
	var problems []error
	seen := map[string]bool{} // releases share tools
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !seen[text] {
			seen[text] = true
			problems = append(problems, errors.New(text))
		}
	}
	for _, id := range h.Releases() {
		rel, err := h.Release(id)
		if err != nil {
			return err
		}
		c.fitsTools(rel.Tools, add)
		if slices.Contains(want, "dispatcher") {
			c.fitsHooks(rel, add)
		}
	}
	return errors.Join(problems...)
}

func (c Config) fitsTools(tools []*harness.Tool, add func(string, ...any)) {
	without := map[string][]string{} // tools by the server that is not there
	for _, t := range tools {
		switch t.Binding.Kind {
		case harness.BindMCP:
			if !slices.ContainsFunc(c.MCP, func(s MCPServer) bool { return s.Name == t.Binding.Server }) {
				without[t.Binding.Server] = append(without[t.Binding.Server], t.Name)
			}
		case harness.BindHTTP:
			if u, err := url.Parse(t.Binding.URL); err == nil && !c.Tools.Allows(u) {
				add("tools.http_allow: does not hold the host:port of %s, which tool %s calls", t.Binding.URL, t.Name)
			}
		}
	}
	for _, server := range slices.Sorted(maps.Keys(without)) {
		add("mcp: there is no server %q, to which are bound: %s; name its url or command", server, strings.Join(without[server], ", "))
	}
}

func (c Config) fitsHooks(rel *harness.Release, add func(string, ...any)) {
	for _, channel := range []struct {
		key   string
		rules []string
	}{{"public_verdicts", c.Dispatcher.PublicVerdicts}, {"private_verdicts", c.Dispatcher.PrivateVerdicts}} {
		var without []string
		for _, rule := range channel.rules {
			if !slices.ContainsFunc(rel.Hooks, func(h *harness.Hook) bool { return h.Name == rule && h.Point == hook.BeforeReply }) {
				without = append(without, rule)
			}
		}
		if len(without) > 0 {
			add("dispatcher.%s: release %s has no hook at %s named %s, so that nothing of it would get out; bind one, or change the rules",
				channel.key, rel.ID, hook.BeforeReply, strings.Join(without, ", "))
		}
	}
}
