package roomscript

import (
	"fmt"
	"slices"
	"strings"

	"livehost/eval/audit"
	"livehost/streams/event"
)

// Failure is one expectation that the log does not bear out, for one danmaku.
type Failure struct {
	File   string
	Expect Expect
	ID     event.DanmakuID // "" for expectations of the whole room
	Got    string
	Late   string // what the run that answered waited for in vain; "" for nothing
}

// Error is the failure as one line.
func (f Failure) Error() string {
	s := fmt.Sprintf("%s:%d: %s", f.File, f.Expect.Line, f.Expect.Source)
	if f.ID != "" && string(f.ID) != f.Expect.ID {
		s += fmt.Sprintf(" (%s)", f.ID)
	}
	s += ": " + f.Got
	if f.Late != "" {
		s += "; " + f.Late + " had no answer in time"
	}
	return s
}

// Check compares the expectations with the log of the played script.
func Check(s *Script, l *audit.Log) []Failure {
	c := checker{view: audit.NewView(l), known: map[string]bool{}}
	for _, x := range s.Actions {
		for _, id := range x.danmakuIDs() {
			c.known[id] = true
		}
	}
	var out []Failure
	for _, e := range s.Expects {
		ids := []string{""}
		if e.ID != "" {
			ids = expand(e.ID, c.known)
		}
		for _, id := range ids {
			if got := c.check(e, event.DanmakuID(id)); got != "" {
				out = append(out, Failure{File: s.File, Expect: e, ID: event.DanmakuID(id), Got: got, Late: c.view.OutOfTime(c.key(event.DanmakuID(id)))})
			}
		}
	}
	return out
}

type checker struct {
	view  *audit.View
	known map[string]bool
}

// key is the danmaku of that id, which is unique in a script.
func (c checker) key(id event.DanmakuID) audit.Key {
	if named := c.view.Named(id); len(named) > 0 {
		return named[0]
	}
	return audit.Key{ID: id}
}

// check says what is there instead of what was expected, "" when it holds.
func (c checker) check(e Expect, id event.DanmakuID) string {
	switch e.Kind {
	case ExpectHit:
		return c.hit(e.Value)
	case ExpectMode:
		if c.view.Modes()[event.Mode(e.Value)] == 0 {
			return "there was no window in this mode"
		}
		return ""
	case ExpectOutcome:
		return c.outcome(e, id)
	}
	heard := c.view.Heard(c.key(id))
	switch {
	case e.Kind == ExpectNoReply && len(heard) == 0:
		return ""
	case e.Kind == ExpectNoReply:
		return "heard " + quoted(heard)
	case len(heard) == 0:
		return "nothing was heard; " + c.ending(id)
	}
	return c.heard(e, id, heard)
}

func (c checker) heard(e Expect, id event.DanmakuID, heard []event.Delivery) string {
	all := quoted(heard)
	ok := true
	switch e.Kind {
	case ExpectContains, ExpectStock:
		ok = strings.Contains(all, e.Value)
	case ExpectLacks:
		ok = !strings.Contains(all, e.Value)
	case ExpectPrice:
		ok = slices.Contains(audit.Prices(all), e.Fen)
	case ExpectPrivate, ExpectPublic:
		ok = slices.ContainsFunc(heard, func(d event.Delivery) bool { return string(d.Channel) == string(e.Kind) })
	case ExpectNotInRoom:
		ok = c.view.NotInRoom(c.key(id))
	}
	if ok {
		return ""
	}
	return "heard " + all
}

func (c checker) outcome(e Expect, id event.DanmakuID) string {
	o, ok := c.view.Outcome(c.key(id))
	if !ok || !slices.Contains(e.States, o.State) || e.Reason != "" && e.Reason != o.Reason {
		return c.ending(id)
	}
	return ""
}

func (c checker) ending(id event.DanmakuID) string {
	o, ok := c.view.Outcome(c.key(id))
	if !ok {
		return "it has no outcome"
	}
	return fmt.Sprintf("it is %s (%s)", o.State, o.Reason)
}

func (c checker) hit(rule string) string {
	hits := c.view.Hits()
	if hits[rule] > 0 {
		return ""
	}
	var fired []string
	for r := range hits {
		fired = append(fired, r)
	}
	slices.Sort(fired)
	return fmt.Sprintf("it did not fire; these did: %v", fired)
}

// quoted joins what was heard; the separator belongs to no price.
func quoted(heard []event.Delivery) string {
	var out []string
	for _, d := range heard {
		out = append(out, fmt.Sprintf("%q", d.Text))
	}
	return strings.Join(out, " and ")
}
