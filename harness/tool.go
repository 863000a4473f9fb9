package harness

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// BindingKind is what runs a tool.
type BindingKind string

// The kinds of bindings.
const (
	BindBuiltin BindingKind = "builtin"
	BindMCP     BindingKind = "mcp"
	BindHTTP    BindingKind = "http"
)

// The built-in tools. The name a release gives a tool is its own; Binding.Name is
// one of these.
const (
	BuiltinLoadSkill    = "load_skill"
	BuiltinAnswer       = "answer"
	BuiltinReplyPrivate = "reply_private"
	BuiltinStaySilent   = "stay_silent"
	BuiltinHandOver     = "hand_over"
	BuiltinSearchFAQ    = "search_faq"
)

// ParamPath is the parameter of load_skill that names a resource of the skill.
const ParamPath = "path"

var builtins = []string{
	BuiltinLoadSkill, BuiltinAnswer, BuiltinReplyPrivate, BuiltinStaySilent, BuiltinHandOver, BuiltinSearchFAQ,
}

// Binding says what runs a tool.
type Binding struct {
	Kind   BindingKind       `yaml:"kind"`
	Name   string            `yaml:"name"`   // builtin: which
	Server string            `yaml:"server"` // mcp: the server's name in the configuration
	Tool   string            `yaml:"tool"`   // mcp: the tool's name there; empty: ours
	URL    string            `yaml:"url"`    // http
	Method string            `yaml:"method"` // http: GET or POST
	Params map[string]string `yaml:"params"` // our parameter -> theirs; a parameter left out keeps its name
}

// Tool is one tools/<name>.yaml.
type Tool struct {
	Name        string
	Description string
	Binding     Binding
	Private     bool               // its result never goes into public text
	Write       bool               // has effects: idempotency key, never retried blindly
	Asker       string             // the parameter that names the danmaku whose viewer is meant; not sent on
	Parameters  json.RawMessage    // JSON schema of the arguments, compact, an object
	Schema      *jsonschema.Schema // Parameters compiled
	Facts       []FactField
	File        string

	raw []byte
}

// FactField names a result field that is a fact which must not be stated without
// this result.
type FactField struct {
	Kind  string `yaml:"kind"`  // "price", "stock", "promotion"
	Field string `yaml:"field"` // dotted path into the result; a path through a list takes every element
}

type toolFile struct {
	Name        string         `yaml:"name"`
	Description string         `yaml:"description"`
	Binding     Binding        `yaml:"binding"`
	Private     bool           `yaml:"private"`
	Write       bool           `yaml:"write"`
	Asker       string         `yaml:"asker"`
	Parameters  map[string]any `yaml:"parameters"`
	Facts       []FactField    `yaml:"facts"`
}

var identifier = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func parseTool(file, stem string, data []byte) (*Tool, error) {
	var f toolFile
	doc, err := decodeYAML(file, data, &f)
	if err != nil {
		return nil, err
	}
	var ps problems
	checkName(&ps, doc, f.Name, stem)
	if strings.TrimSpace(f.Description) == "" {
		ps.add(file, doc.line("description"), "description is empty")
	}
	checkBinding(&ps, doc, f.Binding)
	if f.Write && f.Binding.Kind == BindHTTP && f.Binding.Method == "GET" {
		ps.add(file, doc.line("binding"), "a write is sent with POST: a GET is repeated on the way")
	}
	for i, fact := range f.Facts {
		if !slices.Contains([]string{"price", "stock", "promotion"}, fact.Kind) {
			ps.add(file, doc.line("facts", i), "facts[%d].kind is %q, want price, stock or promotion", i, fact.Kind)
		}
		if fact.Field == "" {
			ps.add(file, doc.line("facts", i), "facts[%d].field is empty", i)
		}
	}
	if properties, _ := f.Parameters["properties"].(map[string]any); f.Asker != "" && properties[f.Asker] == nil {
		ps.add(file, doc.line("asker"), "asker %q is not a parameter", f.Asker)
	}
	t := &Tool{
		Name: f.Name, Description: strings.TrimSpace(f.Description), Binding: f.Binding,
		Private: f.Private, Write: f.Write, Asker: f.Asker, Facts: f.Facts, File: file, raw: data,
	}
	if t.Parameters, t.Schema, err = compileSchema(f.Parameters); err != nil {
		ps.add(file, doc.line("parameters"), "parameters: %v", err)
	} else {
		t.checkParams(&ps, doc)
	}
	return t, ps.err()
}

func checkName(ps *problems, doc *yamlDoc, name, stem string) {
	if !identifier.MatchString(name) {
		ps.add(doc.file, doc.line("name"), "name %q is not 1 to 64 letters, digits, _ or -", name)
	}
	if name != stem {
		ps.add(doc.file, doc.line("name"), "name %q is not the file's name %q", name, stem)
	}
}

func checkBinding(ps *problems, doc *yamlDoc, b Binding) {
	line := doc.line("binding")
	switch b.Kind {
	case BindBuiltin:
		if !slices.Contains(builtins, b.Name) {
			ps.add(doc.file, line, "binding.name %q is not a built-in tool; it is one of %s", b.Name, strings.Join(builtins, ", "))
		}
	case BindMCP:
		if b.Server == "" {
			ps.add(doc.file, line, "binding.server is empty; name an MCP server of the configuration")
		}
	case BindHTTP:
		u, err := url.Parse(b.URL)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			ps.add(doc.file, line, "binding.url %q is not an http or https address", b.URL)
		}
		if b.Method != "GET" && b.Method != "POST" {
			ps.add(doc.file, line, "binding.method is %q, want GET or POST", b.Method)
		}
	default:
		ps.add(doc.file, line, "binding.kind is %q, want builtin, mcp or http", b.Kind)
	}
}

// needed are the parameters without which a built-in tool does nothing, by its name.
var needed = map[string][]string{
	BuiltinLoadSkill:    {"name"},
	BuiltinAnswer:       {"text"},
	BuiltinReplyPrivate: {"danmaku_id", "text"},
	BuiltinSearchFAQ:    {"query"},
}

// checkParams holds the parameters to what they are bound to.
func (t *Tool) checkParams(ps *problems, doc *yamlDoc) {
	theirs := map[string]bool{}
	for ours := range t.Schema.Properties {
		theirs[cmp.Or(t.Binding.Params[ours], ours)] = true
	}
	for _, ours := range sortedKeys(t.Binding.Params) {
		if t.Schema.Properties[ours] == nil {
			ps.add(doc.file, doc.line("binding", "params", ours), "binding.params: there is no parameter %q; it maps our parameters to theirs", ours)
		}
	}
	if t.Binding.Kind != BindBuiltin {
		return
	}
	for _, name := range needed[t.Binding.Name] {
		if !theirs[name] {
			ps.add(doc.file, doc.line("parameters"), "parameters: the built-in tool %s needs %s, and no parameter gives it", t.Binding.Name, name)
		}
	}
}

// compileSchema renders and compiles a parameter schema. Nothing outside it can
// be referenced.
func compileSchema(schema map[string]any) (json.RawMessage, *jsonschema.Schema, error) {
	if schema == nil {
		schema = map[string]any{"type": "object", "additionalProperties": false}
	}
	if schema["type"] != "object" {
		return nil, nil, fmt.Errorf("type is %v, want object", schema["type"])
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(schema); err != nil {
		return nil, nil, err
	}
	raw := bytes.TrimSpace(buf.Bytes())
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("mem:parameters", value); err != nil {
		return nil, nil, err
	}
	s, err := c.Compile("mem:parameters")
	if err != nil {
		return nil, nil, err
	}
	return raw, s, nil
}

type noLoader struct{}

func (noLoader) Load(u string) (any, error) {
	return nil, fmt.Errorf("reference to %s: only references inside the schema are allowed", u)
}
