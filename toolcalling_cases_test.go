package livehost_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// toolCallingCases are the numbers of the field bugs of tool-calling loops that the
// project collects; each is a test of the agent worker that names it.
var toolCallingCases = []int{1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24}

func TestEveryToolCallingCaseIsATest(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	err := filepath.WalkDir("agentworker", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		text.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range toolCallingCases {
		if !regexp.MustCompile(fmt.Sprintf(`func TestCase0*%d\D`, n)).MatchString(text.String()) {
			t.Errorf("no test names tool-calling case %d", n)
		}
	}
}
