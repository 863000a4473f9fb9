package lexicon_test

import (
	"strings"
	"testing"

	"livehost/aggregator/lexicon"
)

func TestP67LongestWordNotSubstring(t *testing.T) {
	t.Parallel()
	words := map[string]string{}
	for _, w := range []string{"包", "包邮", "bag", "restock*", "how much", "不要"} {
		words[w] = w
	}
	set := lexicon.New(words)
	for in, want := range map[string]string{
		"包邮吗": "包邮", "包吗": "包", "baggy BAG": "bag", "Restocking": "restock*", "how much": "how much", "how  much": "", "不要包": "不要 包", "": "",
	} {
		var got []string
		set.Each(lexicon.Lower(in), func(_, _ int, v string) bool {
			got = append(got, v)
			return true
		})
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%q: %q, want %q", in, g, want)
		}
	}
}
