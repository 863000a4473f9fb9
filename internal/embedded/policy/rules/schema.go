package rules

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// schema is the part of JSON Schema that types a capture and checks an argument.
type schema struct {
	Type       typeNames          `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Enum       []any              `json:"enum"`
	Pattern    string             `json:"pattern"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`

	pattern *regexp.Regexp
}

// typeNames is "type": one name or several.
type typeNames []string

// UnmarshalJSON takes a string or a list of strings.
func (t *typeNames) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = typeNames{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

func parseSchema(raw []byte) (*schema, error) {
	s := &schema{}
	if len(raw) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	return s, s.compile("parameters")
}

func (s *schema) compile(path string) error {
	if s.Pattern != "" {
		re, err := regexp.Compile(s.Pattern)
		if err != nil {
			return fmt.Errorf("%s.pattern: %w", path, err)
		}
		s.pattern = re
	}
	for name, p := range s.Properties {
		if p == nil {
			return fmt.Errorf("%s.%s: is null", path, name)
		}
		if err := p.compile(path + "." + name); err != nil {
			return err
		}
	}
	if s.Items != nil {
		return s.Items.compile(path + ".items")
	}
	return nil
}

func (s *schema) number() bool {
	return slices.Contains(s.Type, "integer") || slices.Contains(s.Type, "number")
}

// value makes text an argument of this schema; ok is false when it is none.
func (s *schema) value(text string) (v any, ok bool) {
	if s == nil {
		return text, text != ""
	}
	if s.number() {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || (s.Minimum != nil && f < *s.Minimum) || (s.Maximum != nil && f > *s.Maximum) {
			return nil, false
		}
		if !slices.Contains(s.Type, "number") {
			if f != float64(int64(f)) {
				return nil, false
			}
			return int64(f), true
		}
		return f, true
	}
	if text == "" || (s.pattern != nil && !s.pattern.MatchString(text)) {
		return nil, false
	}
	if len(s.Enum) == 0 {
		return text, true
	}
	for _, e := range s.Enum {
		if es, isText := e.(string); isText && strings.EqualFold(es, text) {
			return es, true
		}
	}
	return nil, false
}
