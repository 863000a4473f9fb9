package source

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLine bounds one line of an input file, in bytes: above it the line is
// skipped without being kept in memory.
const maxLine = 1 << 20

// eachLine calls fn with every line (numbered from 1, without its end), tooLong
// for lines above maxLine. It returns the reader's error.
func eachLine(r io.Reader, fn func(no int, line []byte, tooLong bool)) error {
	br := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for no, tooLong := 1, false; ; {
		part, err := br.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			line, tooLong = line[:0], true
		} else if !tooLong {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > 0 || tooLong || err == nil {
			if no == 1 {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			fn(no, bytes.TrimRight(line, "\r\n"), tooLong)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		no, tooLong, line = no+1, false, line[:0]
	}
}

// InUTF8 is what to do about text in GBK, GB18030, UTF-16 or another encoding.
const InUTF8 = "save the file as UTF-8, for instance with iconv"

// NotText says what bytes are that are not UTF-8, and what to do about it.
func NotText(b []byte) (what, do string) {
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return "is compressed with gzip", "unpack the file first, for instance with gunzip"
	}
	return "is not UTF-8", InUTF8
}

// complaint is the what and the what-to-do of a Problem.
type complaint struct{ what, do string }

func complain(do, format string, args ...any) *complaint {
	return &complaint{what: fmt.Sprintf(format, args...), do: do}
}

// decodeLine reads one JSON object; unknown fields are ignored.
func decodeLine(line []byte, into any) *complaint {
	if !utf8.Valid(line) { // the decoder would put U+FFFD for what it cannot read
		what, do := NotText(line)
		return complain(do, "the line %s", what)
	}
	err := json.Unmarshal(line, into)
	var mistyped *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &mistyped) && mistyped.Field == "":
		return complain(`write one JSON object per line`, "a JSON %s instead of an object", mistyped.Value)
	case errors.As(err, &mistyped):
		return complain("write ts_ms as a number and the other fields as strings", "%s cannot be a JSON %s", mistyped.Field, mistyped.Value)
	default:
		return complain("repair or delete the line", "not valid JSON (%v)", err)
	}
}

// maxMs is the largest time accepted, the year 2100 in Unix milliseconds, so that
// sums of times stay in range.
const maxMs = 4_102_444_800_000

// millis reads a time of an input line.
func millis(raw json.RawMessage) (int64, *complaint) {
	s := strings.Trim(strings.TrimSpace(string(raw)), `"`)
	if s == "" || s == "null" {
		return 0, complain("add ts_ms, milliseconds since the start of the recording", "ts_ms is missing")
	}
	ms, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || !(f >= 0 && f <= maxMs) {
			return 0, complain("write whole milliseconds", "ts_ms %s is not a number of milliseconds", clip(s))
		}
		ms = int64(f)
	}
	if ms < 0 || ms > maxMs {
		return 0, complain("write milliseconds since the start of the recording", "ts_ms %s is out of range", clip(s))
	}
	return ms, nil
}

// identifier reads an id that may be a JSON string or a number. A number keeps
// every digit, since ids exceed 2^53. Null and absent are "".
func identifier(raw json.RawMessage) (string, bool) {
	switch s := strings.TrimSpace(string(raw)); {
	case s == "" || s == "null":
		return "", true
	case s[0] == '"':
		var id string
		return id, json.Unmarshal(raw, &id) == nil
	default:
		digits := strings.TrimPrefix(s, "-")
		return s, digits != "" && strings.Trim(digits, "0123456789") == ""
	}
}

// clip shortens what a message quotes.
func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
