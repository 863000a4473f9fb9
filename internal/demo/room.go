package demo

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"livehost/eval/roomscript"
	"livehost/harness"
	"livehost/streams/event"
	"livehost/streams/source"
)

//go:embed rooms
var rooms embed.FS

// DefaultRoom is our own evening.
const DefaultRoom = "flash-sale.room.txtar"

// recordingSpeed is the speed of a recording when nothing else is said.
const recordingSpeed = 20

// RoomOptions is which room to play and what of it.
type RoomOptions struct {
	File    string        // "": DefaultRoom
	Focus   string        // for recordings
	From    time.Duration // for recordings
	For     time.Duration
	Busiest time.Duration // instead of From and For
}

// Room is a room that can be played.
type Room struct {
	Name     string
	Speed    float64            // what the room proposes
	Profile  string             // what the room proposes; "" for none
	Catalog  []byte             // a script's own catalogue
	Script   *roomscript.Script // nil for recordings
	Labels   map[event.DanmakuID]bool
	Problems []source.Problem // bad lines of a recording; the rest is played

	items func(epoch time.Time, links []source.Link) []source.Item
}

// Items is the room from the epoch on, with the catalogue's links on the shelf.
func (r *Room) Items(epoch time.Time, c *harness.Catalog) []source.Item {
	links := make([]source.Link, 0, len(c.Products))
	for _, p := range c.Products {
		links = append(links, source.Link{ID: p.LinkID, Product: p.ProductID})
	}
	return r.items(epoch, links)
}

// OpenRoom reads a room script or a recording. A bad line of a recording is left
// out and listed; a script with problems, or a recording without a good line, is an error.
func OpenRoom(o RoomOptions) (*Room, error) {
	name, data, err := o.read()
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".room.txtar") {
		if o.Focus != "" || o.From != 0 || o.For != 0 || o.Busiest != 0 {
			return nil, fmt.Errorf("room %s: --focus, --from, --for and --busiest are for recordings; a room script is played whole and says itself what is in focus", name)
		}
		return openScript(name, data)
	}
	return o.openRecording(name, data)
}

func (o RoomOptions) read() (name string, data []byte, err error) {
	if o.File == "" {
		data, err = rooms.ReadFile("rooms/" + DefaultRoom)
		return DefaultRoom, data, err
	}
	data, err = os.ReadFile(o.File)
	if err != nil {
		return "", nil, fmt.Errorf("room: %w; name a recording (JSON Lines) or a room script (*.room.txtar)", err)
	}
	return filepath.Base(o.File), data, nil
}

func openScript(name string, data []byte) (*Room, error) {
	s, problems := roomscript.Parse(name, data)
	if len(problems) > 0 {
		errs := make([]error, len(problems))
		for i, p := range problems {
			errs[i] = p
		}
		return nil, errors.Join(errs...)
	}
	speed := s.Settings.Speed
	if speed == 0 {
		speed = 1
	}
	return &Room{Name: name, Speed: speed, Profile: s.Settings.Profile, Catalog: s.Catalog, Script: s, items: s.Items}, nil
}

func (o RoomOptions) openRecording(name string, data []byte) (*Room, error) {
	rec, problems, err := source.ReadRecording(name, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("room %s: %w", name, err)
	}
	if len(rec.Lines) == 0 {
		return nil, errors.Join(fmt.Errorf("room %s: no line of it can be played", name), firstProblem(problems))
	}
	focus, more, err := o.readFocus()
	if err != nil {
		return nil, err
	}
	slice := source.Slice{From: o.From, For: o.For}
	if o.Busiest > 0 {
		from, _ := rec.Busiest(o.Busiest)
		slice = source.Slice{From: from, For: o.Busiest}
	}
	if !rec.HasDanmaku(slice) {
		return nil, fmt.Errorf("room %s: no danmaku from %v on; the recording is %v long, choose another --from and --for", name, slice.From, rec.Length())
	}
	id := strings.TrimSuffix(name, filepath.Ext(name))
	room := source.Room{
		ID: event.RoomID(id), Broadcast: event.BroadcastID(id + "-1"), Source: "recording",
		Settings: event.RoomSettings{Language: rec.Language(), PrivateText: true, HandOver: true, HostName: "小播"},
	}
	return &Room{
		Name: name, Speed: recordingSpeed, Labels: rec.Labels(), Problems: append(problems, more...),
		items: func(epoch time.Time, links []source.Link) []source.Item {
			room.Links = links
			return rec.Items(room, epoch, slice, focus)
		},
	}, nil
}

func (o RoomOptions) readFocus() ([]source.Focus, []source.Problem, error) {
	if o.Focus == "" {
		return nil, nil, nil
	}
	f, err := os.Open(o.Focus)
	if err != nil {
		return nil, nil, fmt.Errorf("focus: %w; --focus names a file of JSON Lines {ts_ms, link_id}", err)
	}
	defer f.Close()
	focus, problems, err := source.ReadFocus(filepath.Base(o.Focus), f)
	if err != nil {
		return nil, nil, fmt.Errorf("focus: %w", err)
	}
	return focus, problems, nil
}

func firstProblem(problems []source.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return problems[0]
}
