package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Attributes are the facts of a product by name, in the order of the file.
type Attributes []Attribute

// Attribute is one fact.
type Attribute struct{ Key, Value string }

// UnmarshalJSON reads an object of strings, keeping its order; a name that is
// there twice is refused.
func (a *Attributes) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return fmt.Errorf("attributes are %s, want an object of texts", data[:min(len(data), 20)])
	}
	seen := map[string]bool{}
	for dec.More() {
		var at Attribute
		key, err := dec.Token()
		if err != nil {
			return err
		}
		at.Key, _ = key.(string)
		value, err := dec.Token()
		if err != nil {
			return err
		}
		text, ok := value.(string)
		if !ok {
			return fmt.Errorf("attribute %q is no text; write it in quotes", at.Key)
		}
		at.Value = text
		if seen[at.Key] {
			return fmt.Errorf("attribute %q is there twice", at.Key)
		}
		seen[at.Key] = true
		*a = append(*a, at)
	}
	return nil
}

// MarshalJSON writes the object in order.
func (a Attributes) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i, at := range a {
		if i > 0 {
			buf.WriteByte(',')
		}
		for j, s := range []string{at.Key, at.Value} {
			if j > 0 {
				buf.WriteByte(':')
			}
			b, err := json.Marshal(s)
			if err != nil {
				return nil, err
			}
			buf.Write(b)
		}
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}
