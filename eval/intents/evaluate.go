package intents

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"livehost/aggregator/cluster"
	"livehost/aggregator/filter"
	"livehost/aggregator/intent"
	"livehost/aggregator/text"
	"livehost/streams/event"
	"livehost/streams/source"
)

// Report says how often the aggregator reads what people read.
type Report struct {
	Labels   int     `json:"labels"`
	Right    int     `json:"right"`
	Accuracy float64 `json:"accuracy"`
	Missing  int     `json:"missing"` // labels of lines that hold no danmaku of a viewer; counted as wrong
	// Of those whose text no danmaku to learn from has; the others are what rooms say again
	// and again.
	NewTexts         int     `json:"new_texts"`
	NewTextsRight    int     `json:"new_texts_right"`
	NewTextsAccuracy float64 `json:"new_texts_accuracy"`
	// Of each intent how many there are, how many were read so, and as what the others. Of
	// several that are right the one that was read counts, else the first.
	Intents []Counts  `json:"intents"`
	Wrong   []Mistake `json:"wrong"`
}

// Counts is how the danmaku of one intent were read.
type Counts struct {
	Intent intent.Intent  `json:"intent"`
	Labels int            `json:"labels"`
	Right  int            `json:"right"`
	ReadAs map[string]int `json:"read_as,omitempty"` // the wrong ones
	Found  int            `json:"found"`             // danmaku read as this intent, right or wrong
}

// Mistake is one danmaku that was read otherwise than by people.
type Mistake struct {
	File string          `json:"file"`
	Line int             `json:"line"`
	Want []intent.Intent `json:"want"`
	Got  string          `json:"got"` // an intent, or "filtered: reason"
}

// Evaluate reads the labelled danmaku of the recordings below dir. learnt are the labels
// that the model was made of, for telling new texts; it may be empty.
func Evaluate(ctx context.Context, dir string, labels, learnt []Label) (Report, error) {
	top, _, err := source.Folder(dir)
	if err != nil {
		return Report{}, err
	}
	rooms := recordings{dir: top, read: map[string]map[int]danmaku{}}
	known, err := rooms.texts(ctx, learnt)
	if err != nil {
		return Report{}, err
	}
	r := newReport()
	words := filter.New(filter.Lists{})
	for _, l := range labels {
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		d, ok, err := rooms.danmaku(l)
		if err != nil {
			return Report{}, err
		}
		got := "missing"
		if ok {
			got = d.reading(words)
		} else {
			r.Missing++
		}
		r.count(l, got, !known[d.judged()])
	}
	r.Accuracy, r.NewTextsAccuracy = share(r.Right, r.Labels), share(r.NewTextsRight, r.NewTexts)
	return r, nil
}

func newReport() Report {
	r := Report{Wrong: []Mistake{}}
	for _, i := range intent.All() {
		r.Intents = append(r.Intents, Counts{Intent: i, ReadAs: map[string]int{}})
	}
	return r
}

// of are the counts of an intent; nil of what is none.
func (r *Report) of(i intent.Intent) *Counts {
	at := slices.IndexFunc(r.Intents, func(c Counts) bool { return c.Intent == i })
	if at < 0 {
		return nil
	}
	return &r.Intents[at]
}

// count takes one labelled danmaku that was read as got.
func (r *Report) count(l Label, got string, newText bool) {
	read := intent.Intent(got)
	right, want := 0, r.of(l.Intents[0])
	if slices.Contains(l.Intents, read) {
		right, want = 1, r.of(read)
	} else {
		want.ReadAs[got]++
		r.Wrong = append(r.Wrong, Mistake{File: l.File, Line: l.Line, Want: l.Intents, Got: got})
	}
	want.Labels++
	want.Right += right
	r.Labels++
	r.Right += right
	if newText {
		r.NewTexts++
		r.NewTextsRight += right
	}
	if found := r.of(read); found != nil {
		found.Found++
	}
}

func share(of, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(of) / float64(all)
}

// danmaku is one viewer's comment of a recording.
type danmaku struct {
	user     event.ViewerID
	text     string
	language string // the recording's
}

// reading is what the aggregator makes of it: an intent, or that it is filtered.
func (d danmaku) reading(words *filter.Filter) string {
	c := text.Clean(d.text, d.language)
	switch v := words.Judge(c); v.Reason {
	case filter.None:
	case filter.EmojiOnly, filter.MentionOnly, filter.Noise: // says nothing, which is what low_info means
		return string(intent.LowInfo)
	default:
		return "filtered: " + string(v.Reason)
	}
	return string(cluster.Read(cluster.Asked{ViewerID: d.user, Question: c.Question, Language: c.Language}).Intent)
}

// judged is its text as the model is given it, on one line.
func (d danmaku) judged() string {
	plain := string(cluster.Judged(nil, text.Clean(d.text, d.language).Question))
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(plain)
}

// recordings are read once each.
type recordings struct {
	dir  string
	read map[string]map[int]danmaku
}

func (r *recordings) danmaku(l Label) (d danmaku, ok bool, err error) {
	if r.read[l.File] == nil {
		if r.read[l.File], err = viewers(filepath.Join(r.dir, filepath.FromSlash(l.File))); err != nil {
			return danmaku{}, false, err
		}
	}
	d, ok = r.read[l.File][l.Line]
	return d, ok, nil
}

// texts are those of labelled danmaku, as the model is given them.
func (r *recordings) texts(ctx context.Context, labels []Label) (map[string]bool, error) {
	out := make(map[string]bool, len(labels))
	for _, l := range labels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, ok, err := r.danmaku(l)
		if err != nil {
			return nil, err
		}
		if ok {
			out[d.judged()] = true
		}
	}
	return out, nil
}

// viewers are a recording's danmaku of viewers, by line.
func viewers(file string) (map[int]danmaku, error) {
	rec, _, err := source.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w; name the folder that the labels' files are in", err)
	}
	out, language := map[int]danmaku{}, rec.Language()
	for _, l := range rec.Lines {
		if l.Kind.Viewers() {
			out[l.No] = danmaku{l.User, l.Text, language}
		}
	}
	return out, nil
}
