package filters

import (
	"context"
	"math"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"livehost/aggregator/cluster"
	"livehost/aggregator/filter"
	"livehost/aggregator/text"
	"livehost/streams/source"
)

// Options is what to try.
type Options struct {
	Dir   string       // recordings (*.jsonl), in any depth; its folder rooms alone when it has one
	Lists filter.Lists // beside the built-in words
	Rate  filter.Rate
}

// maxExamples bounds the examples of a report.
const maxExamples = 100

// Report is what the filters would do.
type Report struct {
	Version  string `json:"version"`   // of the word lists
	Files    int    `json:"files"`     //
	Danmaku  int    `json:"danmaku"`   // of viewers
	Filtered int    `json:"filtered"`  // of them
	BadLines int    `json:"bad_lines"` // that are no danmaku; left out

	Wanted              int            `json:"wanted"`                // labelled as wanting to buy
	WantedFiltered      int            `json:"wanted_filtered"`       //
	IntentFilteredShare *float64       `json:"intent_filtered_share"` // WantedFiltered / Wanted
	Reasons             map[string]int `json:"reasons"`               // of WantedFiltered
	AllReasons          map[string]int `json:"all_reasons"`           // of Filtered
	Examples            []Example      `json:"examples,omitempty"`    // of WantedFiltered, some
}

// Example is one danmaku that wants to buy and is filtered.
type Example struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
	Span   string `json:"span,omitempty"` // what matched
}

// Evaluate reads every recording under o.Dir.
func Evaluate(ctx context.Context, o Options) (Report, error) {
	_, files, err := source.Folder(o.Dir)
	if err != nil {
		return Report{}, err
	}
	words := filter.New(o.Lists)
	reports := make([]Report, len(files))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			reports[i], err = evaluateFile(o.Dir, file, words, o.Rate)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return Report{}, err
	}
	total := Report{Version: words.Version(), Reasons: map[string]int{}, AllReasons: map[string]int{}}
	for _, r := range reports {
		total.add(r)
	}
	if total.Wanted > 0 {
		share := math.Round(float64(total.WantedFiltered)/float64(total.Wanted)*10_000) / 10_000
		total.IntentFilteredShare = &share
	}
	return total, nil
}

func evaluateFile(dir, file string, words *filter.Filter, rate filter.Rate) (Report, error) {
	rec, problems, err := source.ReadFile(file)
	if err != nil {
		return Report{}, err
	}
	name, err := filepath.Rel(dir, file)
	if err != nil {
		name = file
	}
	r := Report{Files: 1, BadLines: len(problems), Reasons: map[string]int{}, AllReasons: map[string]int{}}
	limiter, language := filter.NewLimiter(rate), rec.Language()
	for _, line := range rec.Lines {
		if !line.Kind.Viewers() {
			continue
		}
		t := text.Clean(line.Text, language)
		v := filter.Check(words, limiter, line.User, t, line.At.Milliseconds(), func() bool {
			return cluster.Read(cluster.Asked{ViewerID: line.User, Question: t.Question, Language: t.Language}).Asks() // whatever is in focus
		})
		r.count(name, line, v)
	}
	return r, nil
}

func (r *Report) count(file string, line source.Line, v filter.Verdict) {
	wanted := line.Intent != nil && *line.Intent
	r.Danmaku++
	if wanted {
		r.Wanted++
	}
	if v.Reason == filter.None {
		return
	}
	r.Filtered++
	r.AllReasons[string(v.Reason)]++
	if !wanted {
		return
	}
	r.WantedFiltered++
	r.Reasons[string(v.Reason)]++
	r.Examples = append(r.Examples, Example{File: file, Line: line.No, Reason: string(v.Reason), Span: v.Span})
}

func (r *Report) add(of Report) {
	r.Files += of.Files
	r.Danmaku += of.Danmaku
	r.Filtered += of.Filtered
	r.BadLines += of.BadLines
	r.Wanted += of.Wanted
	r.WantedFiltered += of.WantedFiltered
	for reason, n := range of.Reasons {
		r.Reasons[reason] += n
	}
	for reason, n := range of.AllReasons {
		r.AllReasons[reason] += n
	}
	r.Examples = append(r.Examples, of.Examples[:min(len(of.Examples), maxExamples-len(r.Examples))]...)
}
