package harness

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Problem is one thing wrong with the content, and where.
type Problem struct {
	File   string // path inside the harness, or as given
	Line   int    // from 1; 0 when the whole file is meant
	Reason string // what is wrong and, where it is not plain, what to do
}

// Error is "file:line: reason".
func (p Problem) Error() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Reason)
	}
	return fmt.Sprintf("%s: %s", p.File, p.Reason)
}

// problems collects everything that is wrong; Load goes on after each.
type problems struct{ list []error }

func (ps *problems) add(file string, line int, format string, args ...any) {
	ps.list = append(ps.list, Problem{File: file, Line: line, Reason: fmt.Sprintf(format, args...)})
}

func (ps *problems) addErr(err error) {
	if err != nil {
		ps.list = append(ps.list, err)
	}
}

func (ps *problems) err() error { return errors.Join(ps.list...) }

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?line (\d+): (.*)$`)

// yamlProblems turns an error of yaml.v3 into problems; first is the line of the
// file at which the document begins.
func yamlProblems(file string, first int, err error) error {
	var texts []string
	var typeErr *yaml.TypeError
	if errors.As(err, &typeErr) {
		texts = typeErr.Errors
	} else {
		texts = []string{err.Error()}
	}
	var out []error
	for _, text := range texts {
		p := Problem{File: file, Line: first, Reason: strings.TrimPrefix(text, "yaml: ")}
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1])
			p.Line, p.Reason = first+n-1, m[2]
		}
		p.Reason = "YAML: " + p.Reason
		out = append(out, p)
	}
	return errors.Join(out...)
}

// yamlDoc is a decoded YAML file that still knows its lines.
type yamlDoc struct {
	file string
	root *yaml.Node
}

// decodeYAML decodes one strict YAML document: unknown and duplicate keys are problems.
func decodeYAML(file string, data []byte, into any) (*yamlDoc, error) {
	data = trimBOM(data)
	if line := notUTF8(data); line > 0 {
		return nil, Problem{file, line, "is not UTF-8 text; save it as UTF-8"}
	}
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	dec.KnownFields(true)
	if err := dec.Decode(into); errors.Is(err, io.EOF) {
		return nil, Problem{file, 1, "is empty; write its keys, or remove the file"}
	} else if err != nil {
		return nil, yamlProblems(file, 1, err)
	}
	var root, more yaml.Node
	if dec.Decode(&more) == nil && len(more.Content) > 0 && more.Content[0].Tag != "!!null" {
		return nil, Problem{file, more.Line, "YAML: a second document begins here; a file is one document"}
	}
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, yamlProblems(file, 1, err)
	}
	return &yamlDoc{file: file, root: &root}, nil
}

// line is where the value at path (map keys and list indexes) is, or the nearest
// parent that is there.
func (d *yamlDoc) line(path ...any) int {
	n := d.root
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	for _, step := range path {
		next := child(n, step)
		if next == nil {
			break
		}
		n = next
	}
	return n.Line
}

func child(n *yaml.Node, step any) *yaml.Node {
	switch key := step.(type) {
	case int:
		if n.Kind == yaml.SequenceNode && key < len(n.Content) {
			return n.Content[key]
		}
	case string:
		if n.Kind != yaml.MappingNode {
			return nil
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i+1]
			}
		}
	}
	return nil
}

// notUTF8 is the line of the first byte that is none of UTF-8, 0 when there is none.
func notUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return lineAt(data, int64(at))
		}
		at += size
	}
	return 0
}

// trimBOM drops a UTF-8 byte order mark.
func trimBOM(b []byte) []byte {
	return []byte(strings.TrimPrefix(string(b), "\ufeff"))
}
