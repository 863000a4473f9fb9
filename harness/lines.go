package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// jsonProblem gives a decoding error its line and a reason that says what to do.
func jsonProblem(file string, data []byte, dec *json.Decoder, err error) error {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return Problem{file, lineAt(data, syntax.Offset), "JSON: " + syntax.Error()}
	case errors.As(err, &mistyped):
		return Problem{file, lineAt(data, mistyped.Offset), fmt.Sprintf("%s: is a JSON %s, want %s", mistyped.Field, mistyped.Value, mistyped.Type)}
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return Problem{file, lineAt(data, int64(len(data))), "JSON: the file ends before the catalogue does"}
	}
	if m := unknownField.FindStringSubmatch(err.Error()); m != nil {
		lines, _ := jsonLines(data)
		path, line := findField(lines, m[1])
		return Problem{file, line, path + ": there is no such field; see docs/harness.md for the catalogue's"}
	}
	return Problem{file, lineAt(data, dec.InputOffset()), "JSON: " + err.Error()}
}

var unknownField = regexp.MustCompile(`^json: unknown field "(.*)"$`)

// findField is the first path that ends in the field.
func findField(lines map[string]int, field string) (path string, line int) {
	for p, n := range lines {
		if (p == field || strings.HasSuffix(p, "."+field)) && (path == "" || n < line || n == line && p < path) {
			path, line = p, n
		}
	}
	return path, line
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
}

// jsonLines maps the path of every value ("products[3].link_id") to its line, and
// lists the paths that are there twice: the decoder takes the last without a word.
// data is well-formed.
func jsonLines(data []byte) (lines map[string]int, twice []string) {
	lines = map[string]int{}
	dec := json.NewDecoder(bytes.NewReader(data))
	line, at := 1, 0
	here := func() int {
		end := int(dec.InputOffset())
		line, at = line+bytes.Count(data[at:end], []byte("\n")), end
		return line
	}
	var value func(path string)
	value = func(path string) {
		tok, err := dec.Token()
		if err != nil {
			return
		}
		if lines[path] > 0 {
			twice = append(twice, path)
		}
		lines[path] = here()
		switch tok {
		case json.Delim('{'):
			for dec.More() {
				key, _ := dec.Token()
				name, _ := key.(string)
				if path != "" {
					name = path + "." + name
				}
				value(name)
			}
			_, _ = dec.Token()
		case json.Delim('['):
			for i := 0; dec.More(); i++ {
				value(path + "[" + strconv.Itoa(i) + "]")
			}
			_, _ = dec.Token()
		}
	}
	value("")
	return lines, twice
}
