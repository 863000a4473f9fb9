package event

// The Event methods of every payload, one block each.

// Topic is TopicDanmaku.
func (Danmaku) Topic() string { return TopicDanmaku }

// Key is the room.
func (e Danmaku) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e Danmaku) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e Danmaku) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"danmaku_id", e.DanmakuID != ""},
	)
}

// Topic is TopicRoomEvent.
func (RoomEvent) Topic() string { return TopicRoomEvent }

// Key is the room.
func (e RoomEvent) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e RoomEvent) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e RoomEvent) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"event_id", e.EventID != ""},
		field{"kind", e.Kind != ""},
		field{"settings", e.Settings != nil || e.Kind != RoomSettingsSet},
		field{"danmaku_id", e.DanmakuID != "" || e.Kind != DanmakuRetracted},
		field{"link_id", e.LinkID != "" || e.Kind != ProductListed},
		field{"link_id or product_id", e.LinkID != "" || e.ProductID != "" || e.Kind != ProductDelisted && e.Kind != ProductChanged},
	)
}

// Topic is TopicOrder.
func (Order) Topic() string { return TopicOrder }

// Key is the room.
func (e Order) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e Order) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e Order) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"order_id", e.OrderID != ""},
		field{"seq", e.Seq > 0},
		field{"status", e.Status != ""},
		field{"time_ms", e.TimeMs > 0},
	)
}

// Topic is TopicWindow.
func (Window) Topic() string { return TopicWindow }

// Key is the room.
func (e Window) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e Window) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e Window) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"window_id", e.WindowID != ""},
		field{"kind", e.Kind != ""},
		field{"variant", e.Variant != ""},
		field{"answer_by_ms", e.AnswerByMs > 0},
		field{"members", len(e.Members) > 0 || e.Event != nil},
	)
}

// Topic is TopicExposure.
func (Exposure) Topic() string { return TopicExposure }

// Key is the room.
func (e Exposure) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e Exposure) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e Exposure) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"exposure_id", e.ExposureID != ""},
		field{"experiment", e.Experiment != ""},
		field{"unit", e.Unit != ""},
		field{"variant", e.Variant != ""},
		field{"kind", e.Kind != ""},
	)
}

// Topic is TopicReply.
func (Reply) Topic() string { return TopicReply }

// Key is the room.
func (e Reply) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e Reply) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e Reply) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"reply_id", e.ReplyID != ""},
		field{"run_id", e.RunID != ""},
		field{"variant", e.Variant != ""},
		field{"answer_by_ms", e.AnswerByMs > 0},
		field{"versions", e.Versions.Release != ""},
	)
}

// Topic is TopicTrajectory.
func (Step) Topic() string { return TopicTrajectory }

// Key is the room.
func (e Step) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e Step) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e Step) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"run_id", e.RunID != ""},
		field{"seq", e.Seq > 0},
		field{"kind", e.Kind != ""},
	)
}

// Topic is TopicGuardrailHit.
func (GuardrailHit) Topic() string { return TopicGuardrailHit }

// Key is the room.
func (e GuardrailHit) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e GuardrailHit) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e GuardrailHit) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"hit_id", e.HitID != ""},
		field{"rule", e.Rule != ""},
		field{"stage", e.Stage != ""},
		field{"action", e.Action != ""},
	)
}

// Topic is TopicDelivery.
func (Delivery) Topic() string { return TopicDelivery }

// Key is the room.
func (e Delivery) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e Delivery) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e Delivery) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"delivery_id", e.DeliveryID != ""},
		field{"reply_id", e.ReplyID != ""},
		field{"state", e.State != ""},
		field{"channel", e.Channel != ""},
	)
}

// Topic is TopicOutcome.
func (Outcome) Topic() string { return TopicOutcome }

// Key is the room.
func (e Outcome) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e Outcome) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e Outcome) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
		field{"danmaku_id", e.DanmakuID != ""},
		field{"state", e.State != ""},
		field{"reason", e.Reason != ""},
		field{"by", e.By != ""},
	)
}

// Topic is TopicRoomState.
func (RoomState) Topic() string { return TopicRoomState }

// Key is the room.
func (e RoomState) Key() RoomID { return e.RoomID }

// EventSchema is the schema version.
func (e RoomState) EventSchema() int { return e.Schema }

// Missing lists the absent required fields.
func (e RoomState) Missing() []string {
	return missing(
		field{"room_id", e.RoomID != ""},
	)
}
