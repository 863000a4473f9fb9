package harness

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// SearchFAQ finds the entries that answer the query best, best first, at most n.
// Entries that share too little with it are left out, so the result may be empty.
func (r *Release) SearchFAQ(query string, n int) []FAQEntry { return r.index.search(query, n) }

// minFAQScore is the share of the query's weight that an entry's best question
// must hold; below it the two only share filler.
const minFAQScore = 0.5

// faqFiller drops what says nothing about what is asked, and evens out synonyms.
var faqFiller = strings.NewReplacer("请问", "", "主播", "", "一下", "", "吗", "", "呢", "", "呀", "", "啊", "", "吧", "", "哦", "", "嘛", "", "你们", "", "咱们", "", "那个", "", "这个", "", "哪里", "哪", "哪儿", "哪", "怎样", "怎么")

// faqWeak are terms of many questions that alone do not tell what is asked; they
// count a fifth.
var faqWeak = weakTerms("什么 么时 时候 怎么 有没 没有 可以 能不 不能 是不 不是 还有 现在 在哪 一个 几个 多少 么用",
	"do you u have any is are the a an in on i we can to it of this that what when how where which for with there still does my your if")

func weakTerms(lists ...string) map[string]bool {
	m := map[string]bool{}
	for _, l := range lists {
		for _, t := range strings.Fields(l) {
			m[t] = true
		}
	}
	return m
}

func faqTerms(s string) []string { return Terms(faqFiller.Replace(s)) }

// faqIndex is an inverted index over terms (CJK bigrams, Latin words) with IDF
// weights. A merchant's FAQ is tens to hundreds of questions: a full-text engine
// would add megabytes and a query parser for what is a map lookup here.
type faqIndex struct {
	entries   []FAQEntry
	questions []int // question -> entry
	norms     []float64
	posting   map[string][]int // term -> questions
	idf       map[string]float64
	unseen    float64 // weight of a term no question has
}

func newFAQIndex(entries []FAQEntry) *faqIndex {
	x := &faqIndex{entries: entries, posting: map[string][]int{}, idf: map[string]float64{}}
	var terms [][]string
	for i, e := range entries {
		for _, q := range e.Question {
			ts := faqTerms(q)
			for _, t := range ts {
				x.posting[t] = append(x.posting[t], len(terms))
			}
			terms = append(terms, ts)
			x.questions = append(x.questions, i)
		}
	}
	n := float64(len(terms))
	for t, list := range x.posting {
		x.idf[t] = math.Log(1 + n/float64(len(list)))
		if faqWeak[t] {
			x.idf[t] /= 5
		}
	}
	x.unseen = math.Log(1 + n)
	for _, ts := range terms {
		var sum float64
		for _, t := range ts {
			sum += x.idf[t]
		}
		x.norms = append(x.norms, sum)
	}
	return x
}

func (x *faqIndex) search(query string, n int) []FAQEntry {
	scores := map[int]float64{} // question -> weight shared
	telling := map[int]bool{}   // question -> shares more than weak terms
	var total float64
	for _, t := range faqTerms(query) {
		w, ok := x.idf[t]
		if !ok {
			if w = x.unseen; faqWeak[t] {
				w /= 5
			}
			total += w
			continue
		}
		total += w
		for _, q := range x.posting[t] {
			scores[q] += w
			telling[q] = telling[q] || !faqWeak[t]
		}
	}
	best := map[int]float64{} // entry -> score of its best question
	for q, shared := range scores {
		// The mean of what the query and the question have covered: a short
		// question inside a long danmaku counts, filler alone does not.
		score := (shared/total + shared/x.norms[q]) / 2
		if score >= minFAQScore && telling[q] {
			best[x.questions[q]] = max(best[x.questions[q]], score)
		}
	}
	found := sortedKeys(best)
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(best[b], best[a]) })
	out := make([]FAQEntry, 0, min(n, len(found)))
	for _, i := range found[:min(n, len(found))] {
		out = append(out, x.entries[i])
	}
	return out
}

// Terms are the distinct retrieval terms of a text after NFKC and lower-casing:
// bigrams of each run of CJK characters (the character itself when alone) and
// Latin words and numbers.
func Terms(s string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(t string) {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	var run []rune
	var han bool
	flush := func() {
		switch {
		case len(run) == 0:
		case !han || len(run) == 1:
			add(string(run))
		default:
			for i := range len(run) - 1 {
				add(string(run[i : i+2]))
			}
		}
		run = run[:0]
	}
	for _, r := range strings.ToLower(norm.NFKC.String(s)) {
		isHan := unicode.Is(unicode.Han, r)
		if !isHan && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if isHan != han {
			flush()
			han = isHan
		}
		run = append(run, r)
	}
	flush()
	return out
}

// WithFAQ is the release with more FAQ entries, found like its own. The hash stays
// that of the bound files: it is for evaluations.
func (r *Release) WithFAQ(more ...FAQEntry) *Release {
	out := *r
	out.FAQ = append(slices.Clone(r.FAQ), more...)
	out.index = newFAQIndex(out.FAQ)
	return &out
}
