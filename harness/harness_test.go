package harness_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"livehost/harness"
	"livehost/harness/harnesstest"
)

func load(t *testing.T, fsys fstest.MapFS) *harness.Harness {
	t.Helper()
	h, err := harness.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func release(t *testing.T, h *harness.Harness, id string) *harness.Release {
	t.Helper()
	r, err := h.Release(id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDefault(t *testing.T) {
	t.Parallel()
	h, err := harness.Default()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"harness", "react-baseline"}, h.Releases()); d != "" {
		t.Errorf("releases (-want +got):\n%s", d)
	}
	base := release(t, h, "react-baseline")
	if _, ok := base.Builtin(harness.BuiltinLoadSkill); ok || len(base.Skills) > 0 {
		t.Error("react-baseline has skills")
	}
	for _, hook := range base.Hooks {
		if !hook.Safety {
			t.Errorf("react-baseline has hook %s, which is no safety hook", hook.Name)
		}
	}
	full := release(t, h, "harness")
	if len(full.Tools) != len(base.Tools)+1 {
		t.Errorf("harness has %d tools, react-baseline %d; only load_skill may differ", len(full.Tools), len(base.Tools))
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	h := load(t, harnesstest.FS(t))
	r := release(t, h, harnesstest.Release)
	var blocks []string
	for _, b := range r.Prompt {
		if b.Dynamic != (b.Text == "") {
			t.Errorf("block %s: dynamic %v with text %q", b.Name, b.Dynamic, b.Text)
		}
		blocks = append(blocks, b.Name)
	}
	if d := cmp.Diff([]string{"identity", "boundaries", "protocol", "skills", "product_facts", "faq", "room_status"}, blocks); d != "" {
		t.Errorf("blocks (-want +got):\n%s", d)
	}
	price, _ := r.Skill("price")
	if price.Kind != harness.ReplySkill || cmp.Diff([]string{"price", "purchase"}, price.Intents) != "" || !strings.HasPrefix(price.Body, "# Price") {
		t.Errorf("skill price: %+v", price)
	}
	if got := r.Fallbacks.For("zh", "price"); cmp.Diff([]string{"价格看链接页"}, got) != "" {
		t.Errorf("fallback zh price: %q", got)
	}
	if got := r.Fallbacks.For("zh", "low_info"); got == nil || len(got) > 0 {
		t.Errorf("fallback zh chat: %q, want nothing on purpose", got)
	}
	if got := r.Fallbacks.For("zh", "anything"); len(got) != 2 {
		t.Errorf("default fallback zh: %q", got)
	}
	if p, ok := r.Catalog.ByLink("3"); !ok || p.Price() != 7900 || p.Stock() != 40 || p.Attributes[0].Key != "材质" {
		t.Errorf("link 3: %+v", p)
	}
	if _, err := h.Release("none"); err == nil || !strings.Contains(err.Error(), "main, plain") {
		t.Errorf("unknown release: %v", err)
	}
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	h := load(t, harnesstest.FS(t))
	base := release(t, h, harnesstest.Release)
	r, err := h.ForMerchant(harnesstest.Release, harnesstest.Merchant)
	if err != nil {
		t.Fatal(err)
	}
	var skills, blocks []string
	for _, s := range r.Skills {
		skills = append(skills, s.Name)
	}
	for _, b := range r.Prompt {
		blocks = append(blocks, b.Name)
	}
	if d := cmp.Diff([]string{"price", "nudge", "gift"}, skills); d != "" {
		t.Errorf("skills (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"identity", "boundaries", "protocol", "house-rules", "skills", "product_facts", "faq", "room_status"}, blocks); d != "" {
		t.Errorf("blocks (-want +got):\n%s", d)
	}
	if s, _ := r.Skill("price"); !strings.Contains(s.Body, "thank the viewer") {
		t.Errorf("skill price is not replaced: %q", s.Body)
	}
	if !strings.Contains(r.Prompt[1].Text, "VIP") {
		t.Errorf("boundaries are not replaced: %q", r.Prompt[1].Text)
	}
	if got := r.SearchFAQ("能开发票吗", 1)[0].Answer; got != "会员订单自动开票" {
		t.Errorf("FAQ: %q", got)
	}
	if got := base.SearchFAQ("能开发票吗", 1)[0].Answer; got != "下单时勾选发票就能开" {
		t.Errorf("the overlay changed the release itself: %q", got)
	}
	if got := r.Fallbacks.For("zh", "price"); got[0] != "会员价看链接页" {
		t.Errorf("fallback: %q", got)
	}
	if plain, _ := h.ForMerchant(harnesstest.Baseline, harnesstest.Merchant); len(plain.Skills) != 0 {
		t.Error("the overlay gave skills to a release that cannot load any")
	}
	if r.Hash == base.Hash {
		t.Error("the overlay does not show in the hash")
	}
	other, err := h.ForMerchant(harnesstest.Release, "m-other")
	if err != nil || other != base {
		t.Errorf("a merchant without overlay gets %v, %v", other, err)
	}
}

// TestHash: any bound byte changes it, an unbound one does not.
func TestHash(t *testing.T) {
	t.Parallel()
	fsys := harnesstest.FS(t)
	base := release(t, load(t, fsys), harnesstest.Release).Hash
	if again := release(t, load(t, harnesstest.FS(t)), harnesstest.Release).Hash; again != base {
		t.Fatalf("the same content hashes to %s and %s", base, again)
	}
	unbound := []string{"overlays/", "releases/plain.yaml"}
	for file := range fsys {
		changed := harnesstest.FS(t)
		data := changed[file].Data
		if strings.HasSuffix(file, ".yaml") {
			data = append([]byte("# changed\n"), data...)
		} else {
			data = append(slices.Clone(data), '\n')
		}
		changed[file].Data = data
		bound := !slices.ContainsFunc(unbound, func(p string) bool { return strings.HasPrefix(file, p) })
		if got := release(t, load(t, changed), harnesstest.Release).Hash; (got != base) != bound {
			t.Errorf("%s: hash changed %v, want %v", file, got != base, bound)
		}
	}
	unused := harnesstest.FS(t)
	unused["prompts/unused.md"] = &fstest.MapFile{Data: []byte("text")}
	if got := release(t, load(t, unused), harnesstest.Release).Hash; got != base {
		t.Error("a prompt block that no release binds changes the hash")
	}
}

func TestUseCatalog(t *testing.T) {
	t.Parallel()
	h := load(t, harnesstest.FS(t))
	own := strings.Replace(string(harnesstest.FS(t)["catalog/test.json"].Data), `"catalog_id": "test"`, `"catalog_id": "own"`, 1)
	c, err := harness.ParseCatalog("own.json", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	r := release(t, h.UseCatalog(c), harnesstest.Release)
	if r.Catalog.CatalogID != "own" || r.Hash == release(t, h, harnesstest.Release).Hash {
		t.Errorf("catalogue %s, hash %s", r.Catalog.CatalogID, r.Hash)
	}
	if release(t, h, harnesstest.Release).Catalog.CatalogID != "test" {
		t.Error("the harness itself changed")
	}
}

// TestProblems: each broken file is reported with file, line and reason, and all
// of them at once.
func TestProblems(t *testing.T) {
	t.Parallel()
	all := harnesstest.FS(t)
	var wants []string
	for _, tt := range []struct{ file, content, want string }{
		{"skills/price/SKILL.md", "no front matter", "skills/price/SKILL.md:1: no front matter"},
		{"skills/nudge/SKILL.md", "---\nname: nudge\ndescription: d\nmetadata: {kind: magic}\n---\nbody", `skills/nudge/SKILL.md:4: metadata.kind is "magic"`},
		{"prompts/protocol.md", "p\n\n## Examples\n\n```yaml\n- viewer: a\n  reply: b\n- viewer: c\n  call: {tool: get_product, args: {link: x}}\n  reply: d\n```\n", `prompts/protocol.md:8: example: tool get_product has no parameter "link"`},
		{"prompts/react-examples.md", "## Examples\n\n```yaml\n- viewer: a\n  replay: b\n```\n", "prompts/react-examples.md:5: YAML: there is no key replay"},
		{"prompts/identity.md", " \n", "prompts/identity.md: the block is empty"},
		{"prompts/boundaries.md", "\xb6\xe0\xc9\xd9\n", "prompts/boundaries.md: is not UTF-8"},
		{"prompts/skills.md", "x", `prompts/skills.md: block "skills" is made per run`},
		{"prompts/fallbacks.yaml", "zh: {price: x}\n", "prompts/fallbacks.yaml:1: zh.default is missing"},
		{"hooks/identity.yaml", "name: identity\nversion: \"1\"\npoint: stop\naction: retry\ncheck: identity\n---\nname: other\n", "hooks/identity.yaml:6: YAML: a second document"},
		{"hooks/length.yaml", "name: length\nversion: \"1\"\npoint: later\naction: explode\n", `hooks/length.yaml:3: point is "later"`},
		{"hooks/grounding.yaml", "name: grounding\nversion: \"1\"\npoint: stop\naction: retry\ncheck: length\nno_such: 1\n", "hooks/grounding.yaml:6: YAML: field no_such not found"},
		{"tools/get_product.yaml", "name: get_product\ndescription: d\nbinding: {kind: carrier_pigeon}\n", `tools/get_product.yaml:3: binding.kind is "carrier_pigeon"`},
		{"tools/issue_coupon.yaml", "name: issue_coupon\ndescription: d\nwrite: true\nbinding: {kind: http, url: \"https://x.example/y\", method: GET}\n", "tools/issue_coupon.yaml:4: a write is sent with POST"},
		{"tools/answer.yaml", "name: answer\ndescription: d\nbinding: {kind: builtin, name: answer}\nparameters: {type: object, properties: {a: {type: strin}}}\n", "tools/answer.yaml:4: parameters:"},
		{"tools/search_faq.yaml", "name: search_faq\nname: twice\n", "tools/search_faq.yaml:2: YAML: mapping key"},
		{"catalog/test.json", "{\n\"catalog_id\": \"test\",\n\"produkte\": []}", "catalog/test.json:3: produkte: there is no such field"},
		{"faq/common.yaml", "- id: a\n  question: [q]\n  answer: x\n- id: a\n  question: [q]\n  answer: y\n", `faq/common.yaml:4: id "a" is empty or there twice`},
		{"releases/main.yaml", "id: main\npolicy: {version: v}\nprompt: [identity, room_status, boundaries]\nskills: [no-such]\ntools:\n  - answer\n  - no_such_tool\nhooks: []\ncatalog: test\nfaq: []\n", `releases/main.yaml:7: there is no tool "no_such_tool"`},
		{"releases/plain.yaml", "id: other\n", `releases/plain.yaml:1: id "other" is not the file's name "plain"`},
		{"overlays/m-vip/skills/gift/SKILL.md", "---\nname: present\ndescription: d\nmetadata: {kind: strategy}\n---\nbody", `overlays/m-vip/skills/gift/SKILL.md:2: name "present" is not the folder's name`},
		{"skills/several/SKILL.md", "---\nname: several\nmetadata: {kind: rely}\n---\n", `skills/several/SKILL.md:3: metadata.kind is "rely"`}, // and no description
		{"skills/lists/SKILL.md", "---\nname: lists\ndescription: d\nmetadata:\n  kind: reply\n  intents: [price, size]\n---\nbody", "skills/lists/SKILL.md:6: metadata.intents is a list"},
		{"skills/gift.md", "---\nname: gift\n", "skills/gift.md: is not read: skills holds only folders"},
		{"hooks/late.yml", "name: late\n", "hooks/late.yml: is not read: hooks holds only files *.yaml"},
		{"tools/more/x.yaml", "name: x\n", "tools/more: is not read"},
		{"overlays/m-vip/hooks/length.yaml", "name: length\n", "overlays/m-vip/hooks: is not read: an overlay is of skills, prompts, faq"},
		{"overlays/notes.txt", "x", "overlays/notes.txt: is not read"},
		{"hooks/empty.yaml", "# nothing yet\n", "hooks/empty.yaml:1: is empty"},
		{"hooks/gbk.yaml", "name: gbk\nreminder: {zh: \xb6\xe0}\n", "hooks/gbk.yaml:2: is not UTF-8"},
		{"faq/none.yaml", "~\n", "faq/none.yaml:1: has no entries"},
		{"overlays/m-vip/prompts/fallbacks.yaml", "cn: {price: x}\n", `overlays/m-vip/prompts/fallbacks.yaml:1: "cn" is no language`},
		{"overlays/m-mute/prompts/fallbacks.yaml", "zh:\n  price: [a, \" \"]\n", "overlays/m-mute/prompts/fallbacks.yaml:2: zh.price has an empty text"},
		{"overlays/m-none/prompts/fallbacks.yaml", "zh:\n  price:\n", "overlays/m-none/prompts/fallbacks.yaml:2: zh.price has an empty text"},
		{"overlays/m-hush/prompts/fallbacks.yaml", "zh:\n  default: []\n", "overlays/m-hush/prompts/fallbacks.yaml:2: zh.default is empty"},
		{"tools/mapped.yaml", "name: mapped\ndescription: d\nbinding: {kind: mcp, server: s, params: {lnk: link_id}}\n", `tools/mapped.yaml:3: binding.params: there is no parameter "lnk"`},
		{"tools/mute.yaml", "name: mute\ndescription: d\nbinding: {kind: builtin, name: answer}\n", "tools/mute.yaml:1: parameters: the built-in tool answer needs text"},
		{"prompts/event.md", examples(`{event: gfit, reply: b}`), `prompts/event.md:4: example: there is no event "gfit" to answer`},
		{"prompts/blank.md", examples(`{viewer: a, reply: ""}`), "prompts/blank.md:4: example: reply has an empty text"},
		{"prompts/capture.md", examples(`{viewer: "{link}号", call: {tool: get_product, args: {link_id: "{lnik}"}}, reply: b}`), "prompts/capture.md:4: example: args.link_id uses {lnik}, which no viewer phrase captures"},
		{"prompts/brace.md", examples(`{viewer: a, reply: "{link"}`), "prompts/brace.md:4: example: reply \"{link\" has a { without }"},
		{"prompts/phrase.md", examples(`{viewer: "{a b}", reply: b}`), "prompts/phrase.md:4: example: viewer \"{a b}\" has {a b}, which is no placeholder"},
		{"prompts/result.md", examples(`{viewer: a, reply: "[{result.price}]"}`), "prompts/result.md:4: example: reply uses {result.price} without a call"},
		{"prompts/when.md", examples(`{viewer: a, reply: b, when: [{if: {error: X}, reply: "] [ok"}]}`), "prompts/when.md:4: example: when[0].reply \"] [ok\" has a ] without ["},
		{"prompts/second.md", examples(`{viewer: a, reply: b}`) + "\n" + examples(`{viewer: a}`), "prompts/second.md:10: example: has no reply"},
	} {
		one := harnesstest.FS(t)
		for _, fsys := range []fstest.MapFS{one, all} {
			fsys[tt.file] = &fstest.MapFile{Data: []byte(tt.content)}
		}
		wants = append(wants, tt.want)
		if _, err := harness.Load(one); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s alone: %v\nwant %s", tt.file, err, tt.want)
		}
	}
	_, err := harness.Load(all)
	for _, want := range wants {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("among all: %q is not reported", want)
		}
	}
	if n := len(load(t, harnesstest.FS(t)).Hashes()); n != 4 {
		t.Errorf("%d hashes, want 2 releases with and without overlay", n)
	}
	if _, err := harness.Load(fstest.MapFS{}); err == nil {
		t.Error("an empty folder is a harness")
	}
}

// examples is a prompt block of one example, on its line 4.
func examples(entry string) string { return "## Examples\n\n```yaml\n- " + entry + "\n```\n" }

// What nobody can have meant to be content may lie beside it; what compiles hooks is
// asked about each that is well-formed, whatever else is wrong.
func TestLoadBesideContent(t *testing.T) {
	t.Parallel()
	fsys := harnesstest.FS(t)
	for _, file := range []string{"README.md", "skills/README.md", "hooks/.length.yaml.swp", "hooks/length.yaml~", "..data/hooks/x", "tools/..data/x"} {
		fsys[file] = &fstest.MapFile{Data: []byte("x")}
	}
	load(t, fsys)
	fsys["tools/answer.yaml"] = &fstest.MapFile{Data: []byte("name: other\n")}
	fsys["hooks/identity.yaml"] = &fstest.MapFile{Data: []byte("point: never\n")}
	var asked []string
	_, err := harness.Load(fsys, harness.Known{Compile: func(h *harness.Hook) error {
		asked = append(asked, h.Name)
		return harness.Problem{File: h.File, Line: h.WhenLine, Reason: "no condition"}
	}})
	for _, want := range []string{"tools/answer.yaml:1: name", "hooks/length.yaml:1: no condition", "hooks/identity.yaml:1: point"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	if slices.Contains(asked, "identity") || !slices.Contains(asked, "length") {
		t.Errorf("asked about %v", asked)
	}
}

// An intent that nothing has leaves a skill unloaded and a fallback unsaid: low-info
// with a hyphen would be met with the default's words instead of silence.
func TestLoadKnownIntents(t *testing.T) {
	t.Parallel()
	fsys := harnesstest.FS(t)
	fsys["skills/warranty/SKILL.md"] = &fstest.MapFile{Data: []byte("---\nname: warranty\ndescription: d\nmetadata:\n  kind: reply\n  intents: shipping, guarantee\n---\nbody")}
	fsys["overlays/m-vip/prompts/fallbacks.yaml"] = &fstest.MapFile{Data: []byte("zh:\n  default: [a]\n  gift: [b]\n  low-info: []\n")}
	load(t, fsys)
	_, err := harness.Load(fsys, harness.Known{Intents: []string{"product", "price", "shipping", "low_info"}})
	for _, want := range []string{
		`skills/warranty/SKILL.md:6: metadata.intents: there is no intent "guarantee"; there is product, price, shipping, low_info, `,
		`overlays/m-vip/prompts/fallbacks.yaml:4: zh: there is no intent "low-info"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if err != nil && (strings.Contains(err.Error(), `"shipping"`) || strings.Contains(err.Error(), `"gift"`)) {
		t.Error(err)
	}
}

func TestSearchFAQ(t *testing.T) {
	t.Parallel()
	h, err := harness.Default()
	if err != nil {
		t.Fatal(err)
	}
	r := release(t, h, "harness")
	for query, want := range map[string]string{
		"能开发票吗": "invoice", "主播能不能开发票呀": "invoice", "怎么买": "how-to-order", "请问在哪买呀": "how-to-order",
		"支持货到付款吗": "cash-on-delivery", "can i pay later": "installments", "Can I pay later?": "installments",
		"多少钱": "", "3号面霜多少钱": "", "哈哈哈": "", "": "", "hello": "", "？": "", "怎么用呢": "", "有没有无线充电": "", "在哪呢": "", "do you have a knife": "",
	} {
		got := ""
		if found := r.SearchFAQ(query, 1); len(found) > 0 {
			got = found[0].ID
		}
		if got != want {
			t.Errorf("SearchFAQ(%q) = %q, want %q", query, got, want)
		}
	}
}
