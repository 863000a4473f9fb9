package livehost_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// streamingCases are the numbers of the field bugs of stream processors that the
// project collects; each is a test, or a case of a suite, that names it. The fault
// suite (eval/faults) does some of them to whole stages besides.
var streamingCases = []int{1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24, 25, 27, 28, 30, 31, 33, 34}

func TestEveryStreamingCaseIsATest(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, pattern := range []string{"streams/kafka/*_test.go", "streams/streamstest/*.go", "agentworker/claimstest/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(b)
		}
	}
	for _, n := range streamingCases {
		named := regexp.MustCompile(fmt.Sprintf(`func TestStreaming\w*Case0*%d\D|"case %d: `, n, n))
		if !named.MatchString(text.String()) {
			t.Errorf("no test names streaming case %d", n)
		}
	}
}

// TestNoClientIsTransactional: the cases 9, 10 and 12 are faults of transactions, and
// 33 is one of the client's own commits: nothing of ours asks for either.
func TestNoClientIsTransactional(t *testing.T) {
	t.Parallel()
	banned := regexp.MustCompile(`kgo\.(TransactionalID|NewGroupTransactSession|AutoCommit\w*|MarkCommit\w*|GreedyAutoCommit)|\.BeginTransaction\(`)
	importers := 0
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.Contains(string(b), `"github.com/twmb/franz-go/pkg/kgo"`) {
			importers++
		}
		if found := banned.Find(b); found != nil {
			t.Errorf("%s: %s", path, found)
		}
		return nil
	})
	if err != nil || importers == 0 {
		t.Fatalf("%d files make clients, %v", importers, err)
	}
}
