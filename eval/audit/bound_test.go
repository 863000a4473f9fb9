package audit

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"livehost/streams/event"
)

func crowd(n int, room, variant string, atMs int64) []demand {
	out := make([]demand, n)
	for i := range out {
		out[i] = demand{room: event.RoomID(room), variant: event.Variant(variant), atMs: atMs}
	}
	return out
}

func join(parts ...[]demand) []demand {
	var out []demand
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestCapacityBound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		demands []demand
		slots   int
		runMs   int64
		want    int
	}{
		{"nothing", nil, 8, 3000, 0},
		{"no slots", crowd(3, "r", "a", 0), 0, 3000, 0},
		{"one alone", crowd(1, "r", "a", 5), 8, 3000, 1},
		{"a run too long", crowd(3, "r", "a", 0), 8, 15_001, 0},
		{"a run that just fits", crowd(3, "r", "a", 0), 8, 15_000, 3},
		{"one slot: 5 windows of 8 in 15 s", crowd(100, "r", "a", 0), 1, 3000, 40},
		{"two in flight per variant", crowd(100, "r", "a", 0), 8, 3000, 80},
		{"variants do not share a window", join(crowd(1, "r", "a", 0), crowd(1, "r", "b", 0)), 1, 10_000, 1},
		{"four in flight per room", join(crowd(50, "r", "a", 0), crowd(50, "r", "b", 0), crowd(50, "r", "c", 0)), 8, 15_000, 32},
		{"two rooms fill eight slots", join(crowd(50, "r", "a", 0), crowd(50, "r", "b", 0), crowd(50, "s", "a", 0), crowd(50, "s", "b", 0)), 8, 15_000, 64},
		{"a quiet hour between", join(crowd(1, "r", "a", 0), crowd(1, "r", "a", 3_600_000)), 1, 3000, 2},
		{"the urgent first", join(crowd(8, "r", "a", 0), crowd(8, "s", "a", 6000), crowd(8, "r", "b", 6000)), 1, 7000, 24},
		{"instant runs", crowd(50, "r", "a", 0), 1, 0, 50},
	} {
		if got := capacityBound(tt.demands, tt.slots, tt.runMs); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestNamedLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]event.LinkID{
		"3号链接多少钱": {"3"}, "三号链接": {"3"}, "十二号链接还有吗": {"12"}, "链接5": {"5"}, "3链接": {"3"}, "３号多少钱": {"3"}, "03号链接": {"3"},
		"what about link 7?": {"7"}, "Link No. 12": {"12"}, "#4 please": {"4"}, "3号": {"3"}, "要3号和5号链接": {"5"},
		"27号裤子": nil, "5号发货": nil, "hyperlink": nil, "多少钱": nil, "身高160": nil,
	} {
		if d := cmp.Diff(want, namedLinks(text)); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, name string
		want       bool
	}{
		{"云朵枕头有吗", "云朵枕头", true}, {"云朵 枕头", "云朵枕头", true}, {"有云枕吗", "云朵枕头", false},
		{"How much is the Pillow?", "pillow", true}, {"pillowcase", "pillow", false}, {"memory pillow", "Memory  Pillow", true},
		{"这个pillow吗", "pillow", true}, {"x", "x", false}, {"anything", "", false}, {"ＰＲＯ耳机", "pro耳机", true},
		{"pillowcase and pillow", "pillow", true},
		// another product whose name holds this one
		{"羽绒枕头有吗", "枕头", false}, {"枕头套有吗", "枕头", false}, {"泡泡枕头", "枕头", false}, {"nia枕头哪个链接", "枕头", false},
		{"do you have a silk pillow", "pillow", false}, {"有枕头吗", "枕头", true}, {"主播有没有枕头", "枕头", true}, {"3号枕头多少钱", "枕头", true},
		{"any pillow left", "pillow", true}, {"枕头能机洗吗", "枕头", true},
	} {
		if got := names(tt.text, tt.name); got != tt.want {
			t.Errorf("names(%q, %q) = %v", tt.text, tt.name, got)
		}
	}
}

// TestNamesWithItsOwnQualifier: what the product's own names say before its kind
// makes no other product of it.
func TestNamesWithItsOwnQualifier(t *testing.T) {
	t.Parallel()
	own := []string{"云朵记忆棉枕头", "Cloud Memory Pillow", "枕头", "pillow"}
	for text, want := range map[string]bool{"有云朵枕头吗": true, "记忆棉枕头多少钱": true, "memory pillow please": true, "荞麦枕头多少钱": false, "silk pillow please": false} {
		if got := names(text, "枕头", own...) || names(text, "pillow", own...); got != want {
			t.Errorf("%q names it: %v, want %v", text, got, want)
		}
	}
}

func TestShelf(t *testing.T) {
	t.Parallel()
	products := []Product{{Link: "1", ID: "p-1"}, {Link: "2", ID: "p-2"}}
	change := func(kind event.RoomEventKind, link, product string, at int64) Entry[event.RoomEvent] {
		return Entry[event.RoomEvent]{V: event.RoomEvent{RoomID: "r", Kind: kind, LinkID: event.LinkID(link), ProductID: event.ProductID(product), TimeMs: at}}
	}
	l := &Log{RoomEvents: []Entry[event.RoomEvent]{
		change(event.ProductListed, "1", "", 10), change(event.ProductDelisted, "1", "", 20), change(event.ProductListed, "9", "p-2", 30),
	}}
	v := NewView(l)
	for _, tt := range []struct {
		room event.RoomID
		at   int64
		want string
	}{{"r", 5, "[1=p-1 2=p-2]"}, {"r", 10, "[1=p-1]"}, {"r", 25, "[]"}, {"r", 30, "[9=p-2]"}, {"other", 99, "[1=p-1 2=p-2]"}} {
		got := []string{}
		shelf := v.shelf(tt.room, products, tt.at)
		for _, link := range sortedKeys(shelf) {
			got = append(got, string(link)+"="+string(shelf[link].ID))
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("room %s at %d: %v, want %s", tt.room, tt.at, got, tt.want)
		}
	}
}

func TestToolResultAmounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		output string
		want   []int64
	}{
		{`{"price_fen":8990,"stock":120,"link_id":"3"}`, []int64{8990}},
		{`{"price":"89","final_price":79.5,"size":42}`, []int64{7950, 8900}},
		{`{"items":[{"text":"满300减50"}],"text":"¥20 off over ¥100"}`, []int64{2000, 5000, 10000, 30000}},
		{`{"content":"{\"price_fen\":100}"}`, []int64{100}},
		{`plain text, 12元`, []int64{1200}},
		{`{"broken": "5元"`, []int64{500}},
		{`{"price_fen": 8900, "name": "cut o…`, []int64{8900}},
		{`{"attributes":{"高度":"30","重量":"500"}}`, nil},
		{`null`, nil}, {``, nil}, {`"{"`, nil},
	} {
		got := map[int64]bool{}
		collect(got, tt.output)
		var fen []int64
		fen = append(fen, sortedKeys(got)...)
		if d := cmp.Diff(tt.want, fen); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.output, d)
		}
	}
}
