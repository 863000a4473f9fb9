package config

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
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
		if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
			return fmt.Errorf("config: %s: %w", path, err)
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
	err = k.UnmarshalWithConf("", into, koanf.UnmarshalConf{Tag: "yaml", DecoderConfig: &mapstructure.DecoderConfig{
		TagName: "yaml", ErrorUnused: true, WeaklyTypedInput: true, Result: into,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(
			mapstructure.StringToTimeDurationHookFunc(),
			mapstructure.StringToSliceHookFunc(","),
			mapstructure.TextUnmarshallerHookFunc(),
		),
	}})
	return explain(err)
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
		lines = append(lines, e.Error())
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
