package event

// Danmaku is one viewer comment as the platform sent it (danmaku.v1).
type Danmaku struct {
	Schema         int         `json:"schema"`
	DanmakuID      DanmakuID   `json:"danmaku_id"`
	RoomID         RoomID      `json:"room_id"`
	BroadcastID    BroadcastID `json:"broadcast_id,omitempty"`
	MerchantID     MerchantID  `json:"merchant_id,omitempty"`
	Source         string      `json:"source,omitempty"` // the producer whose clock offset is estimated
	ViewerID       ViewerID    `json:"viewer_id,omitempty"`
	ViewerName     string      `json:"viewer_name,omitempty"`
	Text           string      `json:"text"`
	PlatformTimeMs int64       `json:"platform_time_ms"` // when the viewer sent it, by the platform's clock; absent or 0: not known, its append to the log counts
	ReplyTo        DanmakuID   `json:"reply_to,omitempty"`
	Host           bool        `json:"host,omitempty"`   // sent by the host or an assistant of the room
	Mirror         bool        `json:"mirror,omitempty"` // copied from another room (PK, joint broadcast)
	Test           bool        `json:"test,omitempty"`
}

// RoomEventKind is what happened in the room.
type RoomEventKind string

// The kinds of room events.
const (
	RoomOpened       RoomEventKind = "room_opened"
	RoomClosed       RoomEventKind = "room_closed"
	RoomSettingsSet  RoomEventKind = "room_settings"
	ProductListed    RoomEventKind = "product_listed"
	ProductDelisted  RoomEventKind = "product_delisted"
	ProductInFocus   RoomEventKind = "product_in_focus" // link_id empty: none in focus
	ProductChanged   RoomEventKind = "product_changed"  // price_fen and/or stock
	HostUtterance    RoomEventKind = "host_utterance"
	Gift             RoomEventKind = "gift"
	Like             RoomEventKind = "like"
	Enter            RoomEventKind = "enter"
	Follow           RoomEventKind = "follow"
	AddToCart        RoomEventKind = "add_to_cart"
	DanmakuRetracted RoomEventKind = "danmaku_retracted"
)

// RoomEvent is everything but danmaku and orders (room-event.v1). Which of the
// optional fields are set depends on Kind.
type RoomEvent struct {
	Schema      int           `json:"schema"`
	EventID     string        `json:"event_id"`
	RoomID      RoomID        `json:"room_id"`
	BroadcastID BroadcastID   `json:"broadcast_id,omitempty"`
	MerchantID  MerchantID    `json:"merchant_id,omitempty"`
	Kind        RoomEventKind `json:"kind"`
	TimeMs      int64         `json:"time_ms"` // by the platform's clock; absent or 0: not known, its append to the log counts
	Source      string        `json:"source,omitempty"`

	Settings   *RoomSettings `json:"settings,omitempty"`    // room_settings (required), room_opened
	LinkID     LinkID        `json:"link_id,omitempty"`     // product_* (product_listed requires it; product_changed and product_delisted it or product_id), add_to_cart
	ProductID  ProductID     `json:"product_id,omitempty"`  // product_*, add_to_cart
	PriceFen   *int64        `json:"price_fen,omitempty"`   // product_changed
	Stock      *int64        `json:"stock,omitempty"`       // product_changed
	ViewerID   ViewerID      `json:"viewer_id,omitempty"`   // gift, like, enter, follow, add_to_cart
	ViewerName string        `json:"viewer_name,omitempty"` //
	GiftName   string        `json:"gift_name,omitempty"`   // gift
	Count      int64         `json:"count,omitempty"`       // gift, like
	ValueFen   int64         `json:"value_fen,omitempty"`   // gift
	Text       string        `json:"text,omitempty"`        // host_utterance
	DanmakuID  DanmakuID     `json:"danmaku_id,omitempty"`  // danmaku_retracted (required)
}

// RoomSettings is how one room is to be hosted.
type RoomSettings struct {
	Language    string `json:"language" yaml:"language"`               // "zh" or "en": of event windows and of text in neither
	CatalogID   string `json:"catalog_id,omitempty" yaml:"catalog_id"` // what is sold there; empty: the release's catalogue
	PrivateText bool   `json:"private_text" yaml:"private_text"`       // the platform can deliver text to one viewer
	HandOver    bool   `json:"hand_over" yaml:"hand_over"`             // a human assistant is there to hand over to
	HostName    string `json:"host_name,omitempty" yaml:"host_name"`   // what the AI host calls itself
	// DisclosureEveryS: with the next speech, say again that the host is an AI when so many
	// seconds have passed; 0: only when asked.
	DisclosureEveryS int64 `json:"disclosure_every_s,omitempty" yaml:"disclosure_every_s"`
	EventReply       bool  `json:"event_reply,omitempty" yaml:"event_reply"` // thank for gifts and follows aloud

	PrivateRepeatS         int64 `json:"private_repeat_s,omitempty" yaml:"private_repeat_s"`                   // seconds in which the platform takes the same private text for the same viewer once; 0: no limit
	PrivatePerMinute       int64 `json:"private_per_minute,omitempty" yaml:"private_per_minute"`               // private texts that it takes in the room in a minute; 0: no limit
	PrivatePerViewerMinute int64 `json:"private_per_viewer_minute,omitempty" yaml:"private_per_viewer_minute"` // the same for one viewer

	HostIDs []ViewerID `json:"host_ids,omitempty" yaml:"host_ids"` // viewers whose danmaku are the host's own, or an assistant's
}

// OrderStatus is how far an order has come.
type OrderStatus string

// The statuses. Only OrderConfirmed counts as GMV; OrderRefunded subtracts.
const (
	OrderCreated   OrderStatus = "created"
	OrderPaid      OrderStatus = "paid"
	OrderConfirmed OrderStatus = "confirmed" // receipt confirmed 确认收货
	OrderRefunded  OrderStatus = "refunded"
)

// Order is one status change of one order (order.v1). AmountFen is what this
// status concerns: the whole order, or the refunded part.
type Order struct {
	Schema     int         `json:"schema"`
	OrderID    OrderID     `json:"order_id"`
	Seq        int         `json:"seq"` // 1, 2, ... within the order; repeats carry the same seq
	RoomID     RoomID      `json:"room_id"`
	MerchantID MerchantID  `json:"merchant_id,omitempty"`
	Status     OrderStatus `json:"status"`
	AmountFen  int64       `json:"amount_fen"` // not negative, a refund's neither
	ViewerID   ViewerID    `json:"viewer_id"`
	ProductID  ProductID   `json:"product_id"`
	LinkID     LinkID      `json:"link_id,omitempty"`
	Quantity   int64       `json:"quantity,omitempty"`
	TimeMs     int64       `json:"time_ms"`
	Source     string      `json:"source,omitempty"`
}
