package policy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sashabaranov/go-openai"
	"gopkg.in/yaml.v3"

	"livehost/agentworker/prompt"
	"livehost/agentworker/tool"
	"livehost/agentworker/tool/mcptoolset"
	"livehost/harness"
	"livehost/internal/clock"
	"livehost/internal/embedded/commerce"
	"livehost/internal/embedded/policy"
	"livehost/internal/testkit"
	"livehost/streams/event"
)

// content is a release of the real harness, perhaps under other names, with the
// real prompt pipeline, the real toolset and the reference commerce server.
type content struct {
	release *harness.Release
	prompts *prompt.Builder
	tools   *tool.Toolset
	policy  *openai.Client
}

// newContent loads the harness folder as change leaves it.
func newContent(t *testing.T, id string, change func(t *testing.T, files fstest.MapFS)) content {
	t.Helper()
	files := fstest.MapFS{}
	if err := fs.WalkDir(os.DirFS(harnessDir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(harnessDir, path))
		files[path] = &fstest.MapFile{Data: data}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(t, files)
	}
	h, err := harness.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	r, err := h.Release(id)
	if err != nil {
		t.Fatal(err)
	}
	p, err := prompt.New(prompt.DefaultConfig(), r)
	if err != nil {
		t.Fatal(err)
	}
	hc := httpClient(t)
	ts, err := tool.New(tool.DefaultConfig(), tool.Deps{Log: discard(), Servers: servers(t, r, hc), HTTP: hc.Transport})
	if err != nil {
		t.Fatal(err)
	}
	_, pc := start(t, nil, clock.Real())
	return content{release: r, prompts: p, tools: ts, policy: pc}
}

const harnessDir = "../../../harness"

// servers runs the commerce server and the connection to it.
func servers(t *testing.T, r *harness.Release, hc *http.Client) tool.Servers {
	t.Helper()
	s, err := commerce.New(commerce.DefaultConfig(), commerce.Deps{Log: discard(), Clock: clock.Real(), Catalog: r.Catalog})
	if err != nil {
		t.Fatal(err)
	}
	cfg := mcptoolset.DefaultConfig()
	cfg.Servers = []mcptoolset.Server{{Name: "commerce", URL: s.URL()}}
	m, err := mcptoolset.New(cfg, mcptoolset.Deps{Log: discard(), HTTP: hc, Tools: r.Tools})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 2)
	go func() { done <- s.Run(ctx) }()
	go func() { done <- m.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
	testkit.Eventually(t, "the commerce server is discovered", func() bool { return m.Discovered("commerce") != nil })
	return m
}

// window is one danmaku, or several, with the link in focus at their time.
func window(mode event.Mode, settings event.RoomSettings, focus string, texts ...string) *event.Window {
	w := &event.Window{RoomID: "r", Kind: event.DanmakuWindow, Mode: mode, Language: language(texts[0]), Intent: "other"}
	w.Context = event.ContextSnapshot{Settings: settings, FocusLink: event.LinkID(focus), ListedLinks: 40}
	for i, text := range texts {
		w.Members = append(w.Members, event.Member{
			DanmakuID: event.DanmakuID(fmt.Sprintf("d-%d", i+1)), ViewerID: event.ViewerID(fmt.Sprintf("u-%d", i+1)), ViewerName: "小雨",
			Text: text, Question: text, Language: language(text), FocusLink: event.LinkID(focus),
		})
	}
	return w
}

// say plays the window: the public text, or the terminal calls.
func (c content) say(t *testing.T, w *event.Window) string {
	t.Helper()
	p := c.prompts.Build(w, false)
	run := &tool.Run{RoomID: w.RoomID, MerchantID: c.release.Catalog.MerchantID, Release: c.release, Language: w.Language}
	for _, m := range w.Members {
		run.Askers = append(run.Askers, tool.Asker{DanmakuID: m.DanmakuID, ViewerID: m.ViewerID})
	}
	a := &agent{
		client: c.policy, final: map[string]bool{},
		run: func(name string, args map[string]any) string {
			b, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			return c.tools.Call(t.Context(), run, name, string(b)).Text
		},
		req: openai.ChatCompletionRequest{Model: policy.ModelID, Messages: []openai.ChatCompletionMessage{
			{Role: "system", Content: p.Prefix + p.System}, {Role: "user", Content: p.User},
		}},
	}
	for _, offered := range tool.Offered(c.release, w.Context.Settings) {
		a.req.Tools = append(a.req.Tools, openai.Tool{Type: "function", Function: &openai.FunctionDefinition{
			Name: offered.Name, Description: offered.Description, Parameters: offered.Parameters,
		}})
	}
	for _, b := range []string{harness.BuiltinAnswer, harness.BuiltinReplyPrivate, harness.BuiltinStaySilent, harness.BuiltinHandOver} {
		if x, ok := c.release.Builtin(b); ok {
			a.final[x.Name] = true
		}
	}
	tn := a.play(t)
	if len(tn.calls) == 0 {
		return tn.content
	}
	var out []string
	for _, call := range tn.calls {
		out = append(out, call.Function.Name+call.Function.Arguments)
	}
	return strings.Join(out, " ")
}

func language(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= 0x4e00 && r < 0xa000 }) {
		return "zh"
	}
	return "en"
}

// upsideDown gives a name another one.
func upsideDown(s string) string {
	rs := []rune(s)
	slices.Reverse(rs)
	return "z-" + strings.ReplaceAll(string(rs), "_", "-")
}

// renameAll gives every skill, tool and parameter another name, and turns every
// order that a release gives.
func renameAll(t *testing.T, files fstest.MapFS) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		data := files[path].Data
		switch dir, _, _ := strings.Cut(path, "/"); dir {
		case "overlays": // a merchant's skills name tools too; none is bound here
			delete(files, path)
			continue
		case "tools":
			data = renameTool(t, data)
		case "skills":
			name := strings.Split(path, "/")[1]
			delete(files, path)
			path = strings.Replace(path, name, upsideDown(name), 1)
			data = []byte(strings.Replace(renameText(t, string(data)), "name: "+name, "name: "+upsideDown(name), 1))
		case "prompts":
			data = []byte(renameText(t, string(data)))
		case "releases":
			data = renameRelease(t, data)
		}
		if strings.HasPrefix(path, "tools/") {
			delete(files, path)
			path = "tools/" + upsideDown(strings.TrimSuffix(strings.TrimPrefix(path, "tools/"), ".yaml")) + ".yaml"
		}
		files[path] = &fstest.MapFile{Data: data}
	}
}

func edit(t *testing.T, data []byte, change func(map[string]any)) []byte {
	t.Helper()
	var v map[string]any
	if err := yaml.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	change(v)
	out, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func renameTool(t *testing.T, data []byte) []byte {
	t.Helper()
	return edit(t, data, func(v map[string]any) {
		v["name"] = upsideDown(v["name"].(string))
		if a, ok := v["asker"].(string); ok && a != "" {
			v["asker"] = upsideDown(a)
		}
		schema := v["parameters"].(map[string]any)
		theirs := map[string]any{}
		if binding := v["binding"].(map[string]any); binding["params"] != nil {
			theirs = binding["params"].(map[string]any)
		}
		properties, params := map[string]any{}, map[string]any{}
		if old, ok := schema["properties"].(map[string]any); ok {
			for name, s := range old {
				properties[upsideDown(name)] = s
				if upsideDown(name) == v["asker"] {
					continue // it is not sent on
				}
				params[upsideDown(name)] = name
				if theirs[name] != nil {
					params[upsideDown(name)] = theirs[name]
				}
			}
		}
		schema["properties"] = properties
		v["binding"].(map[string]any)["params"] = params
		if req, ok := schema["required"].([]any); ok {
			for i := range req {
				req[i] = upsideDown(req[i].(string))
			}
		}
	})
}

func renameRelease(t *testing.T, data []byte) []byte {
	t.Helper()
	return edit(t, data, func(v map[string]any) {
		for _, key := range []string{"skills", "tools"} {
			list, _ := v[key].([]any)
			for i := range list {
				list[i] = upsideDown(list[i].(string))
			}
			slices.Reverse(list)
		}
		// Constant blocks stay before those made per run; both turn around.
		blocks := v["prompt"].([]any)
		perRun := slices.IndexFunc(blocks, func(x any) bool {
			return slices.Contains([]any{harness.BlockSkills, harness.BlockProductFacts, harness.BlockFAQ, harness.BlockRoomStatus}, x)
		})
		slices.Reverse(blocks[:perRun])
		slices.Reverse(blocks[perRun:])
	})
}

var (
	protocolLine = regexp.MustCompile(`(?m)^(- [a-z ]+: )(\w+)\(([^)]*)\)`)
	fence        = regexp.MustCompile("(?s)(## Examples\n.*?```yaml\n)(.*?)(\n```)")
)

// renameText changes the names in protocol lines and in the calls of examples.
func renameText(t *testing.T, text string) string {
	t.Helper()
	text = protocolLine.ReplaceAllStringFunc(text, func(line string) string {
		m := protocolLine.FindStringSubmatch(line)
		params := strings.Split(m[3], ", ")
		for i, p := range params {
			params[i] = upsideDown(p)
		}
		return m[1] + upsideDown(m[2]) + "(" + strings.Join(params, ", ") + ")"
	})
	return fence.ReplaceAllStringFunc(text, func(s string) string {
		m := fence.FindStringSubmatch(s)
		var list []map[string]any
		if err := yaml.Unmarshal([]byte(m[2]), &list); err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if call, ok := e["call"].(map[string]any); ok {
				call["tool"] = upsideDown(call["tool"].(string))
				args := map[string]any{}
				if old, ok := call["args"].(map[string]any); ok {
					for k, v := range old {
						args[upsideDown(k)] = v
					}
				}
				call["args"] = args
			}
		}
		b, err := yaml.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return m[1] + string(b) + m[3]
	})
}

// price writes a product's price as the reference server does.
func price(p *harness.Product, lang string) string {
	yuan := strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", float64(p.Price())/100), "0"), ".")
	if lang == "en" {
		return "¥" + yuan
	}
	return yuan + "元"
}

// TestContent asks the price of the catalogue's products, in both releases, with
// the harness as it is and with every name changed and every order turned.
func TestContent(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"harness", "react-baseline"} {
		for name, change := range map[string]func(*testing.T, fstest.MapFS){"as it is": nil, "renamed and shuffled": renameAll} {
			t.Run(id+" "+name, func(t *testing.T) {
				t.Parallel()
				c := newContent(t, id, change)
				for i := range c.release.Catalog.Products {
					p := &c.release.Catalog.Products[i]
					link, other := string(p.LinkID), "1"
					if link == other {
						other = "2"
					}
					for n, a := range []struct{ text, focus, want string }{
						{link + "号多少钱", other, price(p, "zh")},
						{"这个多少钱", link, price(p, "zh")},
						{"link " + link + " price?", other, price(p, "en")},
						{p.Name + "多少钱", other, price(p, "zh")},
					} {
						if i%6 != 0 && (n > 0 || change != nil || id != "harness") {
							continue
						}
						if got := c.say(t, window(event.Single, event.RoomSettings{}, a.focus, a.text)); !strings.Contains(got, a.want) {
							t.Errorf("%q @%s got %q, want %s", a.text, a.focus, got, a.want)
						}
					}
				}
			})
		}
	}
}

// TestContentWithoutThePriceSkill takes the skill of prices away: nothing else in
// the harness answers what something costs.
func TestContentWithoutThePriceSkill(t *testing.T) {
	t.Parallel()
	c := newContent(t, "harness", func(t *testing.T, files fstest.MapFS) {
		t.Helper()
		for path, f := range files {
			if strings.HasPrefix(path, "releases/") {
				f.Data = edit(t, f.Data, func(v map[string]any) {
					list, _ := v["skills"].([]any)
					v["skills"] = slices.DeleteFunc(list, func(x any) bool { return x == "price-promotion" })
				})
			}
		}
	})
	for i := range c.release.Catalog.Products {
		p := &c.release.Catalog.Products[i]
		link := string(p.LinkID)
		for _, text := range []string{link + "号多少钱", "这个多少钱", p.Name + "多少钱"} {
			if i%6 != 0 {
				continue
			}
			w := window(event.Single, event.RoomSettings{}, link, text)
			w.Members[0].Intent = "price"
			if got := c.say(t, w); strings.Contains(got, price(p, "zh")) {
				t.Errorf("%q got %q without the price skill", text, got)
			}
		}
	}
}

// TestContentInMultiMode asks in multi mode, with a private outlet.
func TestContentInMultiMode(t *testing.T) {
	t.Parallel()
	c := newContent(t, "harness", nil)
	room := event.RoomSettings{PrivateText: true, HandOver: true}
	got := c.say(t, window(event.Multi, room, "3", "5号多少钱", "5号链接多少钱啊", "我的快递到哪了", "哈哈哈"))
	for _, want := range []string{`answer{"covers":["d-1","d-2"]`, `reply_private{"danmaku_id":"d-3"`, "stay_silent"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s in it", got, want)
		}
	}
}
