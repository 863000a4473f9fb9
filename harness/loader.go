package harness

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// loader reads the files of one harness folder and collects their problems. What
// lies in a folder of content and is not read is one: somebody believes that it holds.
type loader struct {
	fsys  fs.FS
	known Known
	ps    problems
}

// entries are the entries of dir but hidden ones, an editor's backups and README.md;
// a missing dir is empty.
func (l *loader) entries(dir string) []fs.DirEntry {
	entries, err := fs.ReadDir(l.fsys, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.ps.add(dir, 0, "cannot be read: %v", err)
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), "~") || e.Name() == "README.md"
	})
}

// files are the files with the extension in dir, sorted. Others names what else is
// read there. Links are followed: where content is mounted, every file is one.
func (l *loader) files(dir, ext string, others ...string) []string {
	var out []string
	for _, e := range l.entries(dir) {
		file := path.Join(dir, e.Name())
		switch {
		case slices.Contains(others, e.Name()):
		case e.IsDir() || path.Ext(e.Name()) != ext:
			l.ps.add(file, 0, "is not read: %s holds only files *%s; rename, move or remove it", dir, ext)
		case e.Type()&^fs.ModeSymlink != 0: // reading a pipe would wait for ever
			l.ps.add(file, 0, "is no regular file")
		default:
			out = append(out, file)
		}
	}
	return out
}

// dirs are the folders in dir, sorted.
func (l *loader) dirs(dir string) []string {
	var out []string
	for _, e := range l.entries(dir) {
		if e.IsDir() {
			out = append(out, e.Name())
			continue
		}
		l.ps.add(path.Join(dir, e.Name()), 0, "is not read: %s holds only folders; move or remove it, or put the folder in the place of a link", dir)
	}
	return out
}

// only reports what is in dir beside the folders that are read.
func (l *loader) only(dir string, folders ...string) {
	for _, e := range l.entries(dir) {
		if !slices.Contains(folders, e.Name()) {
			l.ps.add(path.Join(dir, e.Name()), 0, "is not read: an overlay is of %s; the rest is common to all merchants", strings.Join(folders, ", "))
		}
	}
}

func (l *loader) read(file string) ([]byte, bool) {
	data, err := fs.ReadFile(l.fsys, file)
	if err != nil {
		l.ps.add(file, 0, "cannot be read: %v", err)
	}
	return data, err == nil
}
