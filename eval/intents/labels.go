package intents

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"livehost/aggregator/intent"
)

// Label is what labellers read in a danmaku.
type Label struct {
	File    string          // of the recording, below the data's folder rooms
	Line    int             // in it, from 1
	Intents []intent.Intent // any of which is right
}

// ParseLabels reads labels, one a line: "file:line intent", or "line intent" below a
// line "file:". Several intents are joined by |: those that a danmaku asks both, or, in
// labels to learn from, what each of the labellers who differ read. Lines that begin
// with # are comments.
func ParseLabels(name string, r io.Reader) ([]Label, error) {
	var out []Label
	file := ""
	lines := bufio.NewScanner(r)
	for no := 1; lines.Scan(); no++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if f, ok := strings.CutSuffix(line, ":"); ok {
			file = f
			continue
		}
		l, err := parseLabel(file, line)
		if err != nil {
			return nil, fmt.Errorf("%s line %d: %w", name, no, err)
		}
		out = append(out, l)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no labels; write \"file:line intent\"", name)
	}
	return out, nil
}

func parseLabel(file, line string) (Label, error) {
	at, names, ok := strings.Cut(line, " ")
	if f, number, cut := strings.Cut(at, ":"); cut {
		file, at = f, number
	}
	n, err := strconv.Atoi(at)
	if !ok || err != nil || n < 1 || file == "" {
		return Label{}, fmt.Errorf("%q is not \"file:line intent\", nor \"line intent\" below a line \"file:\"", line)
	}
	l := Label{File: file, Line: n}
	l.Intents, err = parseIntents(names)
	return l, err
}

// parseIntents reads intents that are joined by |.
func parseIntents(names string) (out []intent.Intent, err error) {
	for name := range strings.SplitSeq(names, "|") {
		if !slices.Contains(intent.All(), intent.Intent(name)) {
			return nil, fmt.Errorf("%q is no intent; there are %v", name, intent.All())
		}
		out = append(out, intent.Intent(name))
	}
	return out, nil
}
