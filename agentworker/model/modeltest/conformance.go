package modeltest

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"livehost/agentworker/model"
)

//go:embed testdata
var testdata embed.FS

// Open makes the model under test of a replica that answers with h.
type Open func(t *testing.T, h http.Handler) model.Model

// Conformance runs the suite of the model port: what a model must make of the
// streams that replicas send, ours and, where they are beside the checkout, those
// recorded of many providers.
func Conformance(t *testing.T, open Open) {
	t.Run("written", func(t *testing.T) {
		for _, s := range Streams(t) {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				got := render(open(t, stream(s.Body)).Complete(t.Context(), model.Request{Tools: offered}))
				if d := cmp.Diff(s.Want, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		}
	})
	t.Run("recorded", func(t *testing.T) { recorded(t, open) })
}

// Stream is one stream of the suite's own.
type Stream struct {
	Name string
	Body string // as a replica sends it
	Want string // what it comes to, in the suite's words
}

// Streams are the suite's own streams.
func Streams(t testing.TB) []Stream {
	t.Helper()
	raw, err := testdata.ReadFile("testdata/streams.txtar")
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(raw)
	if len(a.Files)%2 != 0 {
		t.Fatal("a stream without what it wants")
	}
	var out []Stream
	for i := 0; i < len(a.Files); i += 2 {
		s := Stream{a.Files[i].Name, string(a.Files[i].Data), string(a.Files[i+1].Data)}
		if s.Name == "crlf.sse" {
			s.Body = strings.ReplaceAll(s.Body, "\n", "\r\n")
		}
		out = append(out, s)
	}
	return out
}

// offered are the tools that the written streams may call in text.
var offered = []model.Tool{
	{Name: "item", Parameters: json.RawMessage(`{"type":"object","properties":{"number":{"type":"string"}}}`)},
	{Name: "order", Parameters: json.RawMessage(`{"type":"object"}`)},
}

func stream(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	})
}

func render(resp model.Response, err error) string {
	var b strings.Builder
	if err != nil {
		return fmt.Sprintf("error %s\n", model.ClassOf(err))
	}
	if resp.Rescued {
		b.WriteString("rescued\n")
	}
	if resp.Content != "" || len(resp.ToolCalls) == 0 {
		fmt.Fprintf(&b, "text %q\n", resp.Content)
	}
	if resp.Reasoning != "" {
		fmt.Fprintf(&b, "reasoning %q\n", resp.Reasoning)
	}
	for _, c := range resp.ToolCalls {
		fmt.Fprintf(&b, "call %q %s %s\n", c.ID, c.Name, c.Arguments)
	}
	if resp.Finish != model.FinishStop {
		fmt.Fprintf(&b, "finish %s\n", resp.Finish)
	}
	if resp.Usage != (model.Usage{}) {
		fmt.Fprintf(&b, "usage %d %d\n", resp.Usage.Prompt, resp.Usage.Completion)
	}
	return b.String()
}

// recorded reads every recorded transcript by name. What each must come to is in
// testdata/recorded.txt as lengths, counts, usage, error class and a digest of the
// exact texts and calls: the recordings are not ours to copy.
func recorded(t *testing.T, open Open) {
	dir, err := recordings()
	if err != nil {
		t.Skip("no recorded transcripts: ", err)
	}
	want, err := testdata.ReadFile("testdata/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	var index []struct {
		File string `json:"file"`
	}
	raw, err := os.ReadFile(filepath.Join(dir, "INDEX.json"))
	if err == nil {
		err = json.Unmarshal(raw, &index)
	}
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, e := range index {
		listed[e.File] = true
	}
	for line := range strings.Lines(string(want)) {
		file, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		delete(listed, file)
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
			if err != nil {
				t.Fatal(err)
			}
			got := digest(open(t, stream(asStream(t, file, body))).Complete(t.Context(), model.Request{}))
			if got != what {
				t.Errorf("comes to\n%s, want\n%s", got, what)
			}
		})
	}
	for file := range listed {
		t.Errorf("%s is in INDEX.json and not in testdata/recorded.txt", file)
	}
}

// recordings is the folder of recorded transcripts beside the checkout that holds
// the working directory.
func recordings() (string, error) {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, serr := os.Stat(filepath.Join(dir, "go.mod")); serr == nil {
			dir = filepath.Join(dir, "..", "shared", "data", "sse")
			_, err = os.Stat(dir)
			return dir, err
		}
		dir = filepath.Dir(dir)
	}
	return "", errors.Join(err, fs.ErrNotExist)
}

// digest is one line that differs when anything of the answer does.
func digest(resp model.Response, err error) string {
	if err != nil {
		return "error=" + string(model.ClassOf(err))
	}
	parts := []string{resp.Content, resp.Reasoning}
	for _, c := range resp.ToolCalls {
		parts = append(parts, c.ID, c.Name, c.Arguments)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return fmt.Sprintf("text=%d reasoning=%d calls=%d finish=%s usage=%d/%d sum=%s",
		utf8.RuneCountInString(resp.Content), utf8.RuneCountInString(resp.Reasoning), len(resp.ToolCalls), resp.Finish,
		resp.Usage.Prompt, resp.Usage.Completion, hex.EncodeToString(sum[:8]))
}

// asStream is a recorded transcript as a replica sends it: event streams as they
// are, lists of chunks one per line, and logs of a serving engine.
func asStream(t *testing.T, file string, body []byte) string {
	t.Helper()
	var b strings.Builder
	switch filepath.Ext(file) {
	case ".txt":
		for line := range strings.Lines(string(body)) {
			b.WriteString("data: " + line)
		}
	case ".json":
		var log struct {
			Stream []struct {
				Data json.RawMessage `json:"data"`
			} `json:"input_stream"`
		}
		if err := json.Unmarshal(body, &log); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, e := range log.Stream {
			var one strings.Builder
			for line := range strings.Lines(string(e.Data)) {
				one.WriteString(strings.TrimSpace(line))
			}
			b.WriteString("data: " + one.String() + "\n")
		}
	default:
		return string(body)
	}
	return b.String() + "\ndata: [DONE]\n"
}
