package intents

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"livehost/aggregator/text"
	"livehost/streams/source"
)

// WriteTexts writes what the model is given of every viewer's danmaku below dir, for
// train.py: file:line, a tab, the text.
func WriteTexts(ctx context.Context, dir string, w io.Writer) error {
	top, files, err := source.Folder(dir)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		lines, err := viewers(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, file)
		if err != nil {
			return fmt.Errorf("recordings: %w", err)
		}
		for _, no := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(out, "%s:%d\t%s\n", filepath.ToSlash(name), no, lines[no].judged())
		}
	}
	return out.Flush()
}

// WriteOwn writes the same of the invented texts of a file (text, tab, intent): intent,
// a tab, the text.
func WriteOwn(name string, in io.Reader, w io.Writer) error {
	out := bufio.NewWriter(w)
	lines := bufio.NewScanner(in)
	for no := 1; lines.Scan(); no++ {
		t, names, _ := strings.Cut(lines.Text(), "\t")
		_, err := parseIntents(names)
		if t == "" {
			err = errors.New("there is no text")
		}
		if err != nil {
			return fmt.Errorf("%s line %d: %q is not \"text, tab, intent\": %w", name, no, lines.Text(), err)
		}
		fmt.Fprintf(out, "%s\t%s\n", names, danmaku{text: t, language: text.Chinese}.judged())
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("own texts: %w", err)
	}
	return out.Flush()
}
