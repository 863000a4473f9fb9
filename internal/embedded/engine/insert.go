package engine

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// An INSERT's data is never part of the statement: chDB ends inline data at a
// blank line and runs what follows. It goes into an anonymous file instead.
var (
	insertHead   = regexp.MustCompile(`(?is)^\s*(?:/\*.*?\*/\s*)*INSERT\s+INTO\s`)
	insertFormat = regexp.MustCompile(`(?is)\sFORMAT\s+([A-Za-z0-9_]+)\s*;?(\s|$)`)
	insertValues = regexp.MustCompile(`(?is)\sVALUES(\s*\(|\s*$)`)
	insertSelect = regexp.MustCompile(`(?is)^\s*INSERT\s+INTO\s+[^;]*?\s(SELECT|WITH)\s`)
)

// statement is one request taken apart.
type statement struct {
	sql    string    // without inline data
	format string    // of the data, for INSERT
	data   io.Reader // nil when there is none
}

// split takes a request apart: sql is the query parameter, body the rest. When
// the parameter is empty the statement is at the beginning of the body.
func split(sql string, body io.Reader) (statement, error) {
	if strings.TrimSpace(sql) == "" {
		b, err := io.ReadAll(body)
		if err != nil {
			return statement{}, fmt.Errorf("read request: %w", err)
		}
		sql, body = string(b), nil
	}
	if !insertHead.MatchString(sql) || insertSelect.MatchString(sql) {
		if body != nil {
			b, err := io.ReadAll(body)
			if err != nil {
				return statement{}, fmt.Errorf("read request: %w", err)
			}
			sql += string(b) // as the protocol says: the parameter, then the body
		}
		return statement{sql: sql}, nil
	}
	return splitInsert(sql, body)
}

func splitInsert(sql string, body io.Reader) (statement, error) {
	st := statement{format: "Values"}
	var inline string
	if m := insertFormat.FindStringSubmatchIndex(sql); m != nil {
		st.format, st.sql, inline = sql[m[2]:m[3]], sql[:m[0]], sql[m[4]:]
	} else if m := insertValues.FindStringSubmatchIndex(sql); m != nil {
		st.sql, inline = sql[:m[0]], sql[m[2]:]
	} else {
		return statement{}, &queryError{"Code: 62. DB::Exception: An INSERT over HTTP needs VALUES, FORMAT or SELECT. (SYNTAX_ERROR)"}
	}
	if strings.TrimSpace(inline) == "" {
		inline = ""
	}
	st.data = strings.NewReader(strings.TrimLeft(inline, " \t\r\n"))
	if body != nil {
		st.data = io.MultiReader(st.data, body)
	}
	return st, nil
}

// file puts the data where the engine can read it: an anonymous file that is
// gone with its descriptor.
func (st statement) file() (*os.File, error) {
	fd, err := unix.MemfdCreate("livehost-insert", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd: %w", err)
	}
	f := os.NewFile(uintptr(fd), "livehost-insert")
	if _, err := io.Copy(f, st.data); err != nil {
		return nil, fmt.Errorf("read request: %w", closing(f, err))
	}
	return f, nil
}

func closing(f *os.File, err error) error {
	_ = f.Close()
	return err
}

// run executes the statement on s.
func (st statement) run(s *session, format string, sink func([]byte) error) error {
	if st.data == nil {
		return s.conn.exec(st.sql, format, sink)
	}
	f, err := st.file()
	if err != nil {
		return err
	}
	defer f.Close()
	if n, err := f.Seek(0, io.SeekEnd); err != nil || n == 0 {
		return err
	}
	sql := fmt.Sprintf("%s FROM INFILE '/proc/self/fd/%d' COMPRESSION 'none' FORMAT %s", strings.TrimRight(st.sql, " \t\r\n;"), f.Fd(), st.format)
	return s.conn.exec(sql, format, sink)
}
