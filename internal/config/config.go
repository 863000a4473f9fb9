package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"gopkg.in/yaml.v3"
)

// EnvPrefix starts the name of every environment variable that is read;
// LIVEHOST_KAFKA__CLIENT_ID sets kafka.client_id. Lists are comma-separated.
const EnvPrefix = "LIVEHOST_"

// Secret is a value that is used but never shown.
type Secret string

// String hides the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "***"
}

// MarshalText hides the value in every encoding.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Load overlays into, a pointer to a struct of defaults with yaml tags, with the
// file (none when path is "") and the environment.
func Load(into any, path string, environ []string) error {
	k := koanf.New(".")
	if path != "" {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("config: %w; name an existing file with --config", err)
		}
		if err := k.Load(file.Provider(path), oneDocument{}); err != nil {
			return unread(path, err)
		}
	}
	err := k.Load(env.Provider(".", env.Opt{
		Prefix: EnvPrefix,
		TransformFunc: func(name, value string) (string, any) {
			name = strings.ToLower(strings.TrimPrefix(name, EnvPrefix))
			return strings.ReplaceAll(name, "__", "."), value
		},
		EnvironFunc: func() []string { return environ },
	}), nil)
	if err != nil {
		return fmt.Errorf("config: environment: %w", err)
	}
	var read mapstructure.Metadata
	err = k.UnmarshalWithConf("", into, koanf.UnmarshalConf{Tag: "yaml", DecoderConfig: &mapstructure.DecoderConfig{
		TagName: "yaml", WeaklyTypedInput: true, Result: into, Metadata: &read,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(
			sameKind,
			mapstructure.StringToTimeDurationHookFunc(),
			mapstructure.StringToSliceHookFunc(","),
			mapstructure.TextUnmarshallerHookFunc(),
		),
	}})
	return errors.Join(explain(err), unknown(read.Unused, path))
}

// oneDocument reads YAML files. Koanf's own parser drops all documents but the first
// without a word.
type oneDocument struct{}

// Unmarshal implements koanf.Parser.
func (oneDocument) Unmarshal(b []byte) (out map[string]any, err error) {
	if !utf8.Valid(b) {
		good := bytes.ToValidUTF8(b, []byte("\x00"))
		return nil, fmt.Errorf("line %d: is not UTF-8 text; save the file as UTF-8", 1+bytes.Count(good[:bytes.IndexByte(good, 0)], []byte("\n")))
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(doc.Content) > 0 && doc.Content[0].Kind != yaml.MappingNode && doc.Content[0].Tag != "!!null" {
		return nil, fmt.Errorf("line %d: a configuration is keys with values, as in `log: {level: info}`", doc.Content[0].Line)
	}
	if err := doc.Decode(&out); err != nil {
		return nil, err
	}
	if dec.Decode(&more) == nil && len(more.Content) > 0 && more.Content[0].Tag != "!!null" {
		return nil, fmt.Errorf("line %d: a second YAML document begins here; a configuration is one document", more.Line)
	}
	return out, nil
}

// Marshal implements koanf.Parser.
func (oneDocument) Marshal(m map[string]any) ([]byte, error) { return yaml.Marshal(m) }

// unread says, a line each, why the file cannot be read.
func unread(path string, err error) error {
	texts := []string{err.Error()}
	var several *yaml.TypeError
	if errors.As(err, &several) {
		texts = several.Errors
	}
	var problems []error
	for _, text := range texts {
		text = strings.TrimPrefix(text, "yaml: ")
		if line, reason, ok := strings.Cut(strings.TrimPrefix(text, "line "), ": "); ok && strings.HasPrefix(text, "line ") {
			problems = append(problems, fmt.Errorf("config: %s:%s: %s", path, line, reason))
			continue
		}
		problems = append(problems, fmt.Errorf("config: %s: %s", path, text))
	}
	return errors.Join(problems...)
}

// sameKind refuses what the decoder would make something else of: variables of the
// environment are all text, so it converts what it can, and takes 5 for 5 ns.
func sameKind(from, to reflect.Value) (any, error) {
	number := from.CanInt() || from.CanUint() || from.CanFloat()
	switch {
	case to.Type() == reflect.TypeFor[time.Duration]() && number && !from.IsZero():
		return nil, fmt.Errorf("%v has no unit: write 5s, 300ms or 1m30s", from)
	case to.Kind() == reflect.Bool && number:
		return nil, fmt.Errorf("%v is not true or false", from)
	case (to.CanInt() || to.CanUint() || to.CanFloat()) && from.Kind() == reflect.Bool:
		return nil, fmt.Errorf("%v is not a number", from)
	case (to.CanInt() || to.CanUint()) && from.CanFloat() && from.Float() != math.Trunc(from.Float()):
		return nil, fmt.Errorf("%v is not a whole number", from)
	case from.Kind() == reflect.String && from.String() != "" && to.Type() != reflect.TypeFor[time.Duration]():
		return from.Interface(), reads(from.String(), to)
	}
	return from.Interface(), nil
}

// reads refuses a text that is nothing of the type.
func reads(text string, to reflect.Value) error {
	var err error
	want := ""
	switch {
	case to.CanInt() || to.CanUint():
		_, err = strconv.ParseInt(text, 0, 64)
		want = "a whole number"
	case to.CanFloat():
		_, err = strconv.ParseFloat(text, 64)
		want = "a number"
	case to.Kind() == reflect.Bool:
		_, err = strconv.ParseBool(text)
		want = "true or false"
	}
	if err != nil {
		return fmt.Errorf("%q is not %s", text, want)
	}
	return nil
}

// unknown names every key that means nothing, and where it may have come from.
func unknown(keys []string, path string) error {
	slices.Sort(keys)
	problems := make([]error, len(keys))
	for i, key := range keys {
		where := EnvPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "__")) + " in the environment"
		switch {
		case strings.Contains(key, "["): // no variable is of one entry of a list
			where = path
		case path != "":
			where = path + " or " + where
		}
		problems[i] = fmt.Errorf("config: %s: there is no such key; correct or remove it (%s)", key, where)
	}
	return errors.Join(problems...)
}

// explain turns the decoder's error into one line a problem.
func explain(err error) error {
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return fmt.Errorf("config: %w", err)
	}
	var lines []string
	for _, e := range joined.Unwrap() {
		lines = append(lines, strings.Split(e.Error(), "\n")...) // those of a branch are joined again
	}
	sort.Strings(lines)
	out := make([]error, len(lines))
	for i, l := range lines {
		out[i] = fmt.Errorf("config: %s", l)
	}
	return errors.Join(out...)
}

// At prefixes every problem in err with a path, so that joined errors of nested
// Validate methods say where they are.
func At(path string, err error) error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error }) // the joined error itself is taken apart, not one it wraps
	if !ok {
		return fmt.Errorf("%s: %w", path, err)
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, At(path, e))
	}
	return errors.Join(out...)
}
