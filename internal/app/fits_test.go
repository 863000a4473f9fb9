package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"livehost/harness/harnesstest"
)

// harnessDir is the test harness on disk, with other or more files.
func harnessDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, fsys := t.TempDir(), harnesstest.FS(t)
	for name, file := range fsys {
		if _, ok := files[name]; !ok {
			files[name] = string(file.Data)
		}
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const servers = "kafka: {brokers: [k:1]}\nredis: {addrs: [r:1]}\npolicy: {model: m, replicas: [{name: a, base_url: http://a/v1, slots: 1}]}\n"

// A configuration is checked against the content it names.
func TestCheckConfigurationAndContent(t *testing.T) {
	t.Parallel()
	http := harnessDir(t, map[string]string{"tools/get_product.yaml": "name: get_product\ndescription: d\nbinding: {kind: http, url: https://x.example/y, method: GET}\nparameters: {type: object, properties: {link_id: {type: string}}}\n"})
	crm := harnessDir(t, map[string]string{"tools/get_product.yaml": "name: get_product\ndescription: d\nbinding: {kind: mcp, server: crm}\nparameters: {type: object, properties: {link_id: {type: string}}}\n"})
	for _, tt := range []struct{ name, args, config, want string }{
		{"another server missing beside the embedded one", "--embedded", "harness: {dir: " + crm + "}\n", `mcp: there is no server "crm"`},
		{"another server beside the embedded one", "--embedded --target=agentworker", "harness: {dir: " + crm + "}\nmcp: [{name: crm, url: http://crm/mcp}]\n", ""},
		{"all is there", "--embedded", "", ""},
		{"the content is another process's", "--target=dispatcher", servers, ""},
		{"no MCP server", "", servers, `mcp: there is no server "commerce", to which are bound: get_product, `},
		{"MCP server twice", "", servers + "mcp: [{name: commerce, url: http://a/mcp}, {name: commerce, url: http://b/mcp}]\n", `mcp[1].name: "commerce" must be there and unique`},
		{"HTTP tool not allowed", "--embedded", "harness: {dir: " + http + "}\n", "tools.http_allow: does not hold the host:port of https://x.example/y"},
		{"verdict of no hook", "--embedded", "dispatcher: {public_verdicts: [groundign, leakage]}\n", "dispatcher.public_verdicts: release harness has no hook at before_reply named groundign,"},
		{"verdict of a hook elsewhere", "--embedded", "dispatcher: {private_verdicts: [asked-for]}\n", "dispatcher.private_verdicts: release harness has no hook at before_reply named asked-for,"},
		{"room limits", "--embedded", "room_defaults: {language: fr, private_per_minute: -3}\n", "room_defaults: private_per_minute: -3 is negative"},
		{"a file for a folder", "--embedded", "harness: {dir: " + write(t, "x", "") + "}\n", "is a file; name an existing folder"},
	} {
		args := append([]string{"check", "--config", write(t, "c.yaml", tt.config)}, strings.Fields(tt.args)...)
		code, _, errs := run(args...)
		if (code == 0) != (tt.want == "") || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d, want %q: %s", tt.name, code, tt.want, errs)
		}
	}
}

// Conditions are part of the content: with every other problem, and for check as well.
func TestConditionsAreChecked(t *testing.T) {
	t.Parallel()
	dir := harnessDir(t, map[string]string{
		"hooks/length.yaml":    "name: length\nversion: \"1\"\npoint: before_reply\nwhen: run.inten == \"price\"\naction: block\n",
		"prompts/identity.md":  "",
		"hooks/grounding.yaml": "name: other\n",
	})
	for _, tt := range []struct {
		args []string
		more string // beside what is wrong with the hooks
	}{
		{[]string{"harness", "validate", "--dir", dir}, "prompts/identity.md: the block is empty"},
		{[]string{"check", "--embedded", "--config", write(t, "c.yaml", "harness: {dir: "+dir+"}\n")}, "prompts/identity.md: the block is empty"},
		{[]string{"harness", "dry-run", "--data", dir, "--hooks", filepath.Join(dir, "hooks")}, ""},
	} {
		code, _, errs := run(tt.args...)
		for _, want := range []string{"hooks/length.yaml:4: hook length: when: undefined field 'inten'", "hooks/grounding.yaml:1: name", tt.more} {
			if code != 1 || !strings.Contains(errs, want) {
				t.Errorf("%v: exit %d, want %q: %s", tt.args, code, want, errs)
			}
		}
	}
}
