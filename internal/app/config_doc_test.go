package app

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"livehost/internal/config"
)

var update = flag.Bool("update", false, "rewrite docs/config.md")

const configDoc = "../../docs/config.md"

// docs/config.md is the Config structs: their paths, defaults and comments.
func TestConfigReferenceGolden(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Configuration\n\nGenerated from the Config structs; `make golden` rewrites it. A YAML file with these paths goes over the defaults, and `LIVEHOST_` variables go over both: `LIVEHOST_KAFKA__CLIENT_ID`\nis `kafka.client_id`, lists are comma-separated. `livehost check` lists every problem.\n\n| path | default | meaning |\n|---|---|---|\n")
	r := reference{comments: map[string]map[string]string{}, out: &b}
	r.walk(t, "", reflect.ValueOf(DefaultConfig()))
	if *update {
		if err := os.WriteFile(configDoc, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(configDoc)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Error("docs/config.md is not what the code says: run `make golden` and review the diff")
	}
}

type reference struct {
	comments map[string]map[string]string // package.Type -> field -> comment
	out      *strings.Builder
}

func (r *reference) walk(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := strings.Split(f.Tag.Get("yaml"), ",")[0]
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		if name == "-" {
			continue // another branch says it
		}
		at, fv := strings.TrimPrefix(path+"."+name, "."), v.Field(i)
		if fv.Kind() == reflect.Struct {
			r.walk(t, at, fv)
			continue
		}
		fmt.Fprintf(r.out, "| `%s` | %s | %s |\n", at, shown(fv), strings.ReplaceAll(r.comment(t, v.Type(), f.Name), "|", `\|`))
		if fv.Kind() == reflect.Slice && fv.Type().Elem().Kind() == reflect.Struct {
			r.walk(t, at+"[]", reflect.New(fv.Type().Elem()).Elem())
		}
	}
}

func shown(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return "`" + x.String() + "`"
	case config.Secret:
		return "a secret"
	}
	if v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("`%v`", v.Interface())
}

// comment is what the source says about a field, on its line or above it.
func (r *reference) comment(t *testing.T, typ reflect.Type, field string) string {
	t.Helper()
	key := typ.PkgPath() + "." + typ.Name()
	if _, ok := r.comments[key]; !ok {
		r.comments[key] = fieldComments(t, filepath.Join("../..", strings.TrimPrefix(typ.PkgPath(), "livehost")), typ.Name())
	}
	return r.comments[key][field]
}

func fieldComments(t *testing.T, dir, typeName string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			ts, ok := n.(*ast.TypeSpec)
			if !ok || ts.Name.Name != typeName {
				return true
			}
			if st, ok := ts.Type.(*ast.StructType); ok {
				for _, fl := range st.Fields.List {
					for _, name := range fl.Names {
						out[name.Name] = strings.Join(strings.Fields(fl.Doc.Text()+" "+fl.Comment.Text()), " ")
					}
				}
			}
			return false
		})
	}
	return out
}
