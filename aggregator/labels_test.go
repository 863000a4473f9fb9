package aggregator_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"livehost/aggregator/cluster"
	"livehost/aggregator/filter"
	"livehost/aggregator/text"
	"livehost/streams/event"
)

// lines reads a recording's lines, numbered from 1.
func recordedLines(t *testing.T, file string) []recorded {
	t.Helper()
	f, err := os.Open("../../shared/data/rooms/" + file)
	if err != nil {
		t.Skip("no shared recordings here")
	}
	defer f.Close()
	out := []recorded{{}}
	for s := bufio.NewScanner(f); s.Scan(); {
		var r recorded
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func labelLines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// questionKey is the key of a recorded line; a filtered one has none.
func questionKey(r recorded, id event.DanmakuID) string {
	c := text.Clean(r.Text, "zh")
	if filter.New(filter.Lists{}).Judge(c).Reason != filter.None {
		return ""
	}
	return cluster.Read(cluster.Asked{DanmakuID: id, ViewerID: event.ViewerID(r.User), Question: c.Question, Language: c.Language, Focus: "7"}).Key
}

// segment is a contiguous stretch of a recording with its labels.
type segment struct {
	file     string
	from, to int
	must     map[string][]int
	may      [][]int
}

func segments(t *testing.T, name string) []segment {
	t.Helper()
	var out []segment
	for _, line := range labelLines(t, name) {
		head, rest, _ := strings.Cut(line, ":")
		if name, ok := strings.CutPrefix(head, "segment "); ok {
			s := segment{must: map[string][]int{}}
			if _, err := fmt.Sscanf(name, "%s %d %d", &s.file, &s.from, &s.to); err != nil {
				t.Fatal(line)
			}
			out = append(out, s)
			continue
		}
		s := &out[len(out)-1]
		var members []int
		for _, w := range strings.Fields(rest) {
			if n, err := strconv.Atoi(w); err == nil {
				members = append(members, n)
			} else {
				members = append(members, s.must[w]...)
			}
		}
		if name, ok := strings.CutPrefix(head, "must "); ok {
			s.must[name] = members
		} else {
			s.may = append(s.may, members) // "may" and "may+"
		}
	}
	return out
}

func (s segment) allowed(a, b int) bool {
	both := func(group []int) bool { return slices.Contains(group, a) && slices.Contains(group, b) }
	for _, g := range s.must {
		if both(g) {
			return true
		}
	}
	return slices.ContainsFunc(s.may, both)
}

func TestLabelledMerges(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"merge.labels", "merge2.labels"} {
		t.Run(name, func(t *testing.T) { t.Parallel(); labelledMerges(t, name) })
	}
}

func labelledMerges(t *testing.T, name string) {
	pairs, missed, wrong := 0, 0, 0
	for _, s := range segments(t, name) {
		lines := recordedLines(t, s.file)
		keys := map[int]string{}
		for n := s.from; n <= s.to; n++ {
			if lines[n].Kind == "comment" {
				keys[n] = questionKey(lines[n], event.DanmakuID(fmt.Sprint(s.file, n)))
			}
		}
		for name, group := range s.must {
			for i, a := range group {
				for _, b := range group[:i] {
					pairs++
					if keys[a] != keys[b] || keys[a] == "" {
						missed++
					}
				}
				if keys[a] != keys[group[0]] {
					t.Logf("missed in %s %s: %d %q %s, %d has %s", s.file, name, a, lines[a].Text, keys[a], group[0], keys[group[0]])
				}
			}
		}
		for a := s.from; a <= s.to; a++ {
			for b := s.from; b < a; b++ {
				if keys[a] != "" && keys[a] == keys[b] && !s.allowed(a, b) {
					wrong++
					t.Logf("wrong in %s: %d %q and %d %q share %s", s.file, b, lines[b].Text, a, lines[a].Text, keys[a])
				}
			}
		}
	}
	t.Logf("%d pairs that should merge, %d missed, %d wrong merges", pairs, missed, wrong)
	if pairs < 300 {
		t.Fatalf("only %d pairs", pairs)
	}
	if float64(missed) >= 0.2*float64(pairs) {
		t.Errorf("%d of %d merges missed", missed, pairs)
	}
	if wrong > 0 {
		t.Errorf("%d wrong merges", wrong)
	}
}
