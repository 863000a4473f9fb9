package livehost_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "livehost"

// stages talk through topics alone; they share streams/event.
var stages = []string{"aggregator", "agentworker", "dispatcher", "analytics", "web"}

// onlyIn is the one place where each SDK may be imported. A trailing slash
// means the folder and everything below it. Tests and fakes are free, and so is
// internal/embedded, which runs the other end of the protocols.
var onlyIn = map[string][]string{
	"github.com/twmb/franz-go":            {"streams/kafka/"},
	"github.com/sashabaranov/go-openai":   {"agentworker/model/openaimodel/"},
	"github.com/mark3labs/mcp-go":         {"agentworker/tool/mcptoolset/"},
	"github.com/ClickHouse/clickhouse-go": {"analytics/clickhouse/"},
}

// libraries import nothing of ours but what is listed.
var libraries = map[string][]string{
	"harness":        {"internal/fault", "streams/event"},
	"abtest/assign":  {"internal/fault", "streams/event"},
	"abtest/stats":   {},
	"streams/event":  {"internal/fault"},
	"internal/clock": {"internal/fault"},
	"internal/fault": {},
}

// forbiddenFolders are dumping grounds, at any depth below the top level names.
var forbiddenFolders = map[string]bool{"pkg": true, "common": true, "util": true, "utils": true, "helpers": true, "misc": true}

const (
	maxFileLines = 500
	maxFuncLines = 60
)

type source struct {
	dir, name string // dir is slash-separated, "" for the root
	file      *ast.File
	fset      *token.FileSet
	lines     int
	generated bool
}

func (s source) path() string { return filepath.ToSlash(filepath.Join(s.dir, s.name)) }
func (s source) test() bool   { return strings.HasSuffix(s.name, "_test.go") }

func (s source) imports() []string {
	var out []string
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		out = append(out, p)
	}
	return out
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, b, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir == "." {
			dir = ""
		}
		out = append(out, source{
			dir: dir, name: filepath.Base(path), file: f, fset: fset,
			lines: strings.Count(string(b), "\n"), generated: ast.IsGenerated(f),
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func under(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

func stageOf(dir string) string {
	for _, s := range stages {
		if under(dir, s) {
			return s
		}
	}
	return ""
}

// fake reports a test helper package (<pkg>test) or the embedded servers.
func fake(dir string) bool {
	return strings.HasSuffix(dir, "test") || under(dir, "internal/embedded") || under(dir, "internal/testkit")
}

func TestDependencies(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, imp := range s.imports() {
			if msg := importProblem(s, imp); msg != "" {
				t.Errorf("%s imports %s: %s", s.path(), imp, msg)
			}
		}
	}
}

func importProblem(s source, imp string) string {
	ours, isOurs := strings.CutPrefix(imp, module+"/")
	if !isOurs {
		return sdkProblem(s, imp)
	}
	from, to := stageOf(s.dir), stageOf(ours)
	switch {
	case from != "" && to != "" && from != to && !s.test():
		return "stages never import each other; they share streams/event and talk through topics"
	case from != "" && under(ours, "eval") && !s.test():
		return "eval is offline; no stage imports it"
	case from != "" && (under(ours, "internal/app") || under(ours, "internal/embedded")) && !s.test():
		return "a stage is composed by internal/app, never the reverse"
	case under(s.dir, "cmd") && ours != "internal/app":
		return "cmd imports internal/app only"
	case under(ours, "internal/app") && !under(s.dir, "cmd") && !under(s.dir, "internal/app") && !s.test():
		return "only cmd imports internal/app, which alone knows everything"
	}
	if allowed, ok := libraries[s.dir]; ok && !s.test() {
		for _, a := range allowed {
			if ours == a {
				return ""
			}
		}
		return "this package is a library; it may import " + strings.Join(allowed, ", ")
	}
	return ""
}

func sdkProblem(s source, imp string) string {
	if s.test() || fake(s.dir) {
		return ""
	}
	for sdk, homes := range onlyIn {
		if imp != sdk && !strings.HasPrefix(imp, sdk+"/") {
			continue
		}
		for _, h := range homes {
			if strings.HasPrefix(s.dir+"/", h) {
				return ""
			}
		}
		return "only " + strings.Join(homes, ", ") + " may import this SDK"
	}
	if strings.HasPrefix(imp, "github.com/redis/go-redis") && !strings.HasPrefix(filepath.Base(s.dir), "redis") {
		return "go-redis belongs in packages named redis*"
	}
	if strings.HasPrefix(imp, "go.uber.org/fx") && s.name != "module.go" &&
		!under(s.dir, "internal/app") && !under(s.dir, "internal/embedded") && !under(s.dir, "internal/lifecycle") && !under(s.dir, "cmd") {
		return "fx belongs in module.go, internal/{app,embedded,lifecycle} and cmd"
	}
	return ""
}

func TestAdaptersImportTheirStageAndNotTheReverse(t *testing.T) {
	t.Parallel()
	adapters := []string{
		"dispatcher/outlet", "dispatcher/redisledger", "agentworker/redisclaims", "agentworker/tool/mcptoolset",
		"agentworker/model/openaimodel", "abtest/redisstore", "analytics/clickhouse", "streams/kafka",
	}
	for _, s := range sources(t) {
		if s.test() || fake(s.dir) {
			continue
		}
		for _, imp := range s.imports() {
			for _, a := range adapters {
				if root := strings.SplitN(a, "/", 2)[0]; imp == module+"/"+a && under(s.dir, root) && !under(s.dir, a) {
					t.Errorf("%s imports the adapter %s: declare a port in the root instead", s.path(), a)
				}
			}
		}
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	t.Parallel()
	has, code := map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		if s.test() || s.dir == "" {
			continue
		}
		code[s.dir] = true
		if s.name == "doc.go" && s.file.Doc != nil {
			has[s.dir] = true
		}
	}
	for dir := range code {
		if !has[dir] && !under(dir, "cmd") {
			t.Errorf("%s has no doc.go that says what it owns, what it does not, and its invariants", dir)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.generated {
			continue
		}
		if s.lines > maxFileLines && !s.test() {
			t.Errorf("%s has %d lines, more than %d: redraw the boundary", s.path(), s.lines, maxFileLines)
		}
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if n := s.fset.Position(fn.End()).Line - s.fset.Position(fn.Pos()).Line + 1; n > maxFuncLines {
				t.Errorf("%s: %s has %d lines, more than %d: redraw the boundary", s.path(), fn.Name.Name, n, maxFuncLines)
			}
		}
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, part := range strings.Split(s.dir, "/") {
			if forbiddenFolders[part] {
				t.Errorf("%s: folder %q is a dumping ground; name it after what it owns", s.path(), part)
			}
		}
		if s.dir == "config" || s.dir == "test" {
			t.Errorf("%s: no top-level %s folder", s.path(), s.dir)
		}
	}
}

// forbiddenCalls are calls with a better one; the value is the teacher.
var forbiddenCalls = []struct {
	pkg, name, instead string
	applies            func(source) bool
}{
	{"time", "Sleep", "wait for a channel, use testing/synctest, or poll with a deadline", func(s source) bool { return s.test() && !bubbled(s) }},
	{"context", "WithTimeout", "stages measure deadlines in room time: use Clock.WithTimeout, or clock.WithWallTimeout for protocols, leases and shutdown", func(s source) bool {
		st := stageOf(s.dir)
		return !s.test() && !fake(s.dir) && (st == "aggregator" || st == "agentworker" || st == "dispatcher") && !strings.HasPrefix(filepath.Base(s.dir), "redis")
	}},
	{"slog", "Default", "take a *slog.Logger", func(source) bool { return true }},
}

// bubbled reports a test whose sleeps are in the virtual time of synctest.
func bubbled(s source) bool {
	for _, imp := range s.imports() {
		if imp == "testing/synctest" {
			return true
		}
	}
	return false
}

func TestForbiddenCalls(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			for _, f := range forbiddenCalls {
				if x.Name == f.pkg && sel.Sel.Name == f.name && f.applies(s) {
					t.Errorf("%s: %s.%s: %s", s.fset.Position(sel.Pos()), f.pkg, f.name, f.instead)
				}
			}
			return true
		})
	}
}

func TestNoInit(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: init(): construct it where it is needed", s.path())
			}
		}
	}
}
