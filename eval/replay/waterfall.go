package replay

import (
	"fmt"
	"io"
	"strings"

	"livehost/streams/event"
)

// bar is the width of a waterfall's time axis, in characters.
const bar = 40

// Waterfall prints the run: each step where it lies in time, with what it cost and
// came to. Reasoning and prompts are for the restricted role.
func (r *Run) Waterfall(out io.Writer, restricted bool) error {
	w := &waterfall{run: r, restricted: restricted, begin: r.Steps[0].StartedMs}
	for _, st := range r.Steps {
		w.end = max(w.end, st.EndedMs)
	}
	w.header()
	for _, st := range r.Steps {
		w.step(st)
	}
	for _, text := range Texts(r.Reply) {
		w.line("  => %s", text)
	}
	_, err := io.WriteString(out, w.b.String())
	return err
}

type waterfall struct {
	run        *Run
	restricted bool
	begin, end int64 // room ms
	b          strings.Builder
}

func (w *waterfall) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

func (w *waterfall) header() {
	last := w.run.Steps[len(w.run.Steps)-1]
	v := last.Versions
	prompt, completion := 0, 0
	for _, st := range w.run.Steps {
		prompt, completion = prompt+st.PromptTokens, completion+st.CompletionTokens
	}
	w.line("Run %s, variant %s: release %s, policy %s, harness %s", w.run.ID, last.Variant, v.Release, v.PolicyVersion, v.HarnessHash)
	w.line("  %.2f s; %d tokens in, %d out", seconds(w.end-w.begin), prompt, completion)
	for _, m := range w.run.Window.Members {
		w.line("  %s %s: %s", m.DanmakuID, m.ViewerName, m.Text)
	}
	w.line("")
	w.line("  %7s %7s %7s  |%-*s|", "at s", "took s", "left s", bar, "")
}

func (w *waterfall) step(st event.Step) {
	left := ""
	if st.BudgetMs != 0 {
		left = fmt.Sprintf("%.2f", seconds(st.BudgetMs))
	}
	w.line("  %7.2f %7.2f %7s  |%s| %s", seconds(st.StartedMs-w.begin), seconds(st.EndedMs-st.StartedMs), left, w.axis(st), title(st))
	if st.Error != "" {
		w.more("error: " + st.Error)
	}
	if st.Cause != "" {
		w.more("because: " + st.Cause)
	}
	if st.Hedged > 0 {
		w.more(fmt.Sprintf("made %d times because it was slow", 1+st.Hedged))
	}
	switch st.Kind {
	case event.StepModel:
		for _, c := range st.Calls {
			w.more("calls " + c.Name + "(" + c.Arguments + ")")
		}
		if w.restricted {
			w.more("asked: " + st.Input)
			w.more("thinks: " + st.Reasoning)
			w.more("says: " + st.Output)
		}
	case event.StepTool:
		w.more("<- " + st.Input)
		w.more("-> " + st.Output)
	case event.StepHook:
		w.more(st.Output)
	}
}

// title is a step in a few words.
func title(st event.Step) string {
	t := fmt.Sprintf("%d %s %s", st.Seq, st.Kind, st.Name)
	if st.Round > 0 {
		t += fmt.Sprintf(", round %d", st.Round)
	}
	if st.Kind != event.StepModel {
		return strings.TrimRight(t, " ")
	}
	t += fmt.Sprintf(", on %s: first token %.2f s, %d tokens in, %d out", st.Replica, seconds(st.FirstTokenMs), st.PromptTokens, st.CompletionTokens)
	if st.Finish != "" && st.Finish != "stop" {
		t += ", finish " + st.Finish
	}
	return t
}

// axis is the step's place in the run's time.
func (w *waterfall) axis(st event.Step) string {
	span := max(w.end-w.begin, 1)
	at := func(ms int64) int { return int(min(max(ms-w.begin, 0), span) * bar / span) }
	from := min(at(st.StartedMs), bar-1)
	length := max(at(st.EndedMs)-from, 1)
	return strings.Repeat(" ", from) + strings.Repeat("#", length) + strings.Repeat(" ", bar-from-length)
}

// most is how many characters of a text a line shows.
const most = 300

func (w *waterfall) more(text string) {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || strings.HasSuffix(text, ":") && !strings.Contains(text, " ") {
		return
	}
	if r := []rune(text); len(r) > most && !w.restricted {
		text = string(r[:most]) + fmt.Sprintf("… (%d characters)", len(r))
	}
	w.line("%30s%s%s", "", strings.Repeat(" ", bar), text)
}

func seconds(ms int64) float64 { return float64(ms) / 1000 }
