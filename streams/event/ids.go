package event

import "strconv"

// The ids. Platform ids may exceed 2^53, so all are strings.
type (
	RoomID      string // a live room, across its broadcasts; the key of every topic
	BroadcastID string // 场次: one broadcast of a room
	MerchantID  string // owner of rooms, catalogue and overlay
	ViewerID    string // the platform's id of a viewer; see Anonymous
	DanmakuID   string // the platform's id of one danmaku
	WindowID    string // one window; also the reply's id
	RunID       string // window id + attempt
	DeliveryID  string // one delivery of one reply to one outlet
	ProductID   string // merchant's product
	LinkID      string // 链接号: the number a product has in a room, as text
	OrderID     string // platform's order
	Variant     string // variant of an experiment; the default experiment names them after releases
)

// Anonymous reports whether the platform hid who the viewer is: no id, or the
// id 0. Such viewers share one id, so they are never bucketed, deduplicated or
// rate-limited as one person.
func (v ViewerID) Anonymous() bool { return v == "" || v == "0" }

// NewRunID is the id of the attempt'th run of a window, counted from 1.
func NewRunID(w WindowID, attempt int) RunID {
	return RunID(string(w) + "#" + strconv.Itoa(attempt))
}
