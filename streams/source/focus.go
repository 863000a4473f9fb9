package source

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"livehost/streams/event"
)

// Focus says which link the host shows from a moment on.
type Focus struct {
	ID   string // unique in the file
	TsMs int64  // on the time line of the recording it belongs to
	Link event.LinkID
}

// ReadFocus reads JSON Lines of {ts_ms, link_id}; link_id null or "" means that
// nothing is in focus. Bad lines are in the problems; the error is the reader's.
func ReadFocus(name string, r io.Reader) ([]Focus, []Problem, error) {
	var focus []Focus
	var problems []Problem
	err := eachLine(r, func(no int, text []byte, tooLong bool) {
		if len(strings.TrimSpace(string(text))) == 0 && !tooLong {
			return
		}
		f, bad := parseFocus(text, tooLong)
		if bad != nil {
			problems = append(problems, Problem{File: name, Line: no, What: bad.what, Do: bad.do})
			return
		}
		f.ID = fmt.Sprintf("%s:%d", filepath.Base(name), no)
		focus = append(focus, f)
	})
	if err != nil {
		return nil, problems, fmt.Errorf("focus %s: %w", name, err)
	}
	sort.SliceStable(focus, func(i, j int) bool { return focus[i].TsMs < focus[j].TsMs })
	return focus, problems, nil
}

func parseFocus(text []byte, tooLong bool) (Focus, *complaint) {
	if tooLong {
		return Focus{}, complain("shorten or delete it", "the line is longer than %d bytes", maxLine)
	}
	var w struct {
		TsMs   json.RawMessage `json:"ts_ms"`
		LinkID json.RawMessage `json:"link_id"`
	}
	if bad := decodeLine(text, &w); bad != nil {
		return Focus{}, bad
	}
	ms, bad := millis(w.TsMs)
	if bad != nil {
		return Focus{}, bad
	}
	if w.LinkID == nil {
		return Focus{}, complain(`add link_id, or "link_id": null for nothing in focus`, "link_id is missing")
	}
	link, ok := identifier(w.LinkID)
	if !ok {
		return Focus{}, complain("write a string, a whole number or null", "link_id %s is not an id", clip(string(w.LinkID)))
	}
	return Focus{TsMs: ms, Link: event.LinkID(link)}, nil
}

// focusItems places the focus changes on the slice. What was in focus when the
// slice begins is in focus from its start.
func (r *Recording) focusItems(room Room, epoch time.Time, slice Slice, focus []Focus) []Item {
	var before *Item
	var items []Item
	for _, f := range focus {
		at := time.Duration(f.TsMs-r.start) * time.Millisecond
		item := Item{At: max(at-slice.From, 0)}
		e := room.Event(event.ProductInFocus, epoch.Add(item.At).UnixMilli(), "focus/"+f.ID)
		e.LinkID, e.ProductID = f.Link, room.Product(f.Link)
		item.Event = e
		switch {
		case at < slice.From:
			before = &item
		case slice.has(at):
			items = append(items, item)
		}
	}
	if before != nil {
		items = append([]Item{*before}, items...)
	}
	return items
}

// Product is what stands behind a link of the shelf, "" when it is not there.
func (r Room) Product(link event.LinkID) event.ProductID {
	for _, l := range r.Links {
		if l.ID == link {
			return l.Product
		}
	}
	return ""
}
