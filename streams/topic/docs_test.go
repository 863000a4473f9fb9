package topic

import (
	"bytes"
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
)

var update = flag.Bool("update", false, "rewrite docs/topics.md")

const docsFile = "../../docs/topics.md"

// TestDocs holds docs/topics.md to the catalogue and the payload types.
func TestDocs(t *testing.T) {
	got, err := markdown("../event")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(docsFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date; run go test ./streams/topic -run TestDocs -update", docsFile)
	}
}

// comments are the doc and line comments of a package's types and fields.
type comments struct {
	types  map[string]string            // by type
	fields map[string]map[string]string // by type and Go field
	values map[string][]string          // constants by type, as written
}

// markdown is the topic reference; the meaning of fields is read from the
// comments in the folder of the payload types.
func markdown(events string) ([]byte, error) {
	c, err := readComments(events)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# Topics\n\nGenerated from `streams/topic` and `streams/event` by `go test ./streams/topic -run TestDocs -update`.\n\n" +
		"The key of every record is its room id; all topics have the same number of partitions " +
		fmt.Sprintf("(%d by default), ", DefaultPartitions) + "so a room has one partition number everywhere (murmur2, Kafka's default partitioner). " +
		"Timestamps are the broker's append time. Values are JSON; unknown fields are ignored; a record without a required field, or of an unknown schema version, " +
		"goes to `<topic>.dlq` (one partition, kept 30 days) with the headers `dlq-reason`, `dlq-topic`, `dlq-partition`, `dlq-offset` and `dlq-append-time-ms`. " +
		"Ids are strings; fields ending in `_ms` are UTC milliseconds of room time (a platform's seconds, microseconds and nanoseconds are told by their size; a danmaku or room event without a time has that of its append); money is integer fen. " +
		"The aggregator dead-letters a danmaku, room event or order with an id, or the name of a source or gift, longer than 256 bytes.\n\n" +
		"| topic | written by | kept | largest record |\n|---|---|---|---|\n")
	var queue []reflect.Type
	var keyed []Topic
	for _, t := range All(DefaultPartitions) {
		if t.Payload != nil {
			keyed = append(keyed, t)
			fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %d KiB |\n", t.Name, strings.ReplaceAll(t.Name, ".", ""), t.Writers, kept(t), t.MaxRecordBytes/kib)
		}
	}
	seen := map[reflect.Type]bool{}
	for _, t := range keyed {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", t.Name, t.Doc)
		typ := reflect.TypeOf(t.Payload)
		seen[typ] = true
		required := map[string]bool{}
		for _, name := range t.Payload.Missing() {
			required[name] = true
		}
		queue = append(queue, c.table(&b, typ, required)...)
	}
	b.WriteString("\n## Types\n")
	for len(queue) > 0 {
		typ := queue[0]
		queue = queue[1:]
		if seen[typ] {
			continue
		}
		seen[typ] = true
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", typ.Name(), c.types[typ.Name()])
		if typ.Kind() != reflect.Struct {
			fmt.Fprintf(&b, "One of %s.\n", strings.Join(c.values[typ.Name()], ", "))
			continue
		}
		queue = append(queue, c.table(&b, typ, nil)...)
	}
	return b.Bytes(), nil
}

func kept(t Topic) string {
	if t.Compact {
		return "last of each room"
	}
	return fmt.Sprintf("%d days", t.Retention/(24*time.Hour))
}

// table writes the fields of a struct and returns the types of ours they use.
func (c comments) table(b *bytes.Buffer, typ reflect.Type, required map[string]bool) (used []reflect.Type) {
	b.WriteString("| field | type | | meaning |\n|---|---|---|---|\n")
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || name == "" {
			continue
		}
		text, deps := c.wireType(f.Type)
		used = append(used, deps...)
		must := ""
		if required[name] {
			must = "required"
		}
		meaning := c.fields[typ.Name()][f.Name]
		if meaning == "" && f.Type.Kind() == reflect.String { // an id says it with its type
			meaning = c.types[f.Type.Name()]
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, text, must, strings.ReplaceAll(meaning, "|", "\\|"))
	}
	return used
}

// wireType is the JSON type of t in words, with links to types of ours.
func (c comments) wireType(t reflect.Type) (string, []reflect.Type) {
	_, described := c.types[t.Name()]
	described = described && strings.HasSuffix(t.PkgPath(), "streams/event")
	switch t.Kind() {
	case reflect.Pointer:
		return c.wireType(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "JSON", nil
		}
		text, deps := c.wireType(t.Elem())
		return "list of " + text, deps
	case reflect.Map:
		text, deps := c.wireType(t.Elem())
		return "object of " + text, deps
	case reflect.Struct:
		return "[" + t.Name() + "](#" + strings.ToLower(t.Name()) + ")", []reflect.Type{t}
	case reflect.Bool:
		return "boolean", nil
	case reflect.Float32, reflect.Float64:
		return "number", nil
	case reflect.String:
		if described && len(c.values[t.Name()]) > 0 {
			return "[" + t.Name() + "](#" + strings.ToLower(t.Name()) + ")", []reflect.Type{t}
		}
		return "string", nil
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "integer", nil
	default:
		return t.Kind().String(), nil
	}
}

func readComments(dir string) (comments, error) {
	c := comments{types: map[string]string{}, fields: map[string]map[string]string{}, values: map[string][]string{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return c, err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return c, err
		}
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range gen.Specs {
					c.add(gen, spec)
				}
			}
		}
	}
	return c, nil
}

func (c comments) add(gen *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		doc := text(spec.Doc, spec.Comment)
		if doc == "" {
			doc = text(gen.Doc, nil)
		}
		c.types[spec.Name.Name] = doc
		if st, ok := spec.Type.(*ast.StructType); ok {
			fields := map[string]string{}
			for _, f := range st.Fields.List {
				for _, n := range f.Names {
					fields[n.Name] = text(f.Doc, f.Comment)
				}
			}
			c.fields[spec.Name.Name] = fields
		}
	case *ast.ValueSpec:
		typ, ok := spec.Type.(*ast.Ident)
		if !ok || len(spec.Values) != 1 {
			return
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			value := "`" + strings.Trim(lit.Value, `"`) + "`"
			if note := text(nil, spec.Comment); note != "" {
				value += " (" + note + ")"
			}
			c.values[typ.Name] = append(c.values[typ.Name], value)
		}
	}
}

// text is a comment on one line.
func text(groups ...*ast.CommentGroup) string {
	var parts []string
	for _, g := range groups {
		if g != nil {
			parts = append(parts, strings.Join(strings.Fields(g.Text()), " "))
		}
	}
	return strings.Join(parts, " ")
}
