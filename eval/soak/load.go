package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"livehost/streams/event"
)

// asked is one record of the load: a reply, or what a room's platform says.
type asked struct {
	at    time.Duration // after the load's begin
	asker time.Duration // how long before that the viewer wrote
	event event.Event
}

// The load's numbers.
const (
	meanGap      = 6 * time.Second // between two replies of a room
	privateShare = 0.3             // of replies are for the asker alone, in rooms that can
	again        = 0.03            // of replies come as another window's once more
	retracted    = 0.02            // of danmaku are taken back while the answer waits
	speakWithin  = 20 * time.Second
	answerWithin = 15 * time.Second
)

// said are answers as our hosts give them.
var said = []string{
	"有货的，放心拍。", "今天直播价89元。", "包邮，48小时内发货。", "支持七天无理由退货。", "满300减50，可以叠加店铺券。", "这款是纯棉的。",
	"建议拍M码。", "库存还有120件。", "是的，送运费险。", "偏远地区3到5天到。", "三号链接，199元两件。", "可以机洗，水温不超过30度。",
	"洗了不缩水。", "有黑色和白色。", "这款容量500ml。", "您好，已经备注了。", "会员再打9.5折。", "优惠券在右下角领取。",
	"一个四斤左右。", "保质期12个月。", "不含酒精，敏感肌可用。", "这款是2024新款。", "拍下默认发顺丰。", "尺码偏小，建议拍大一号。",
	"我是AI主播小播，价格以链接页为准。", "防水的，小雨没问题。", "今天下单，明天发货。", "没有17号链接哦。",
	"It is 89 yuan today.", "Yes, it is in stock.", "Size M fits 55 kilos.", "We ship within 48 hours.",
}

// load is what happens in the rooms for length. Every third room has no private text.
func load(rooms int, length time.Duration, random *rand.Rand) []asked {
	var out []asked
	for i := range rooms {
		room := event.RoomID(fmt.Sprint("room-", i))
		settings := &event.RoomSettings{Language: "zh", PrivateText: i%3 != 0, HostName: "小播"}
		out = append(out, asked{event: event.RoomEvent{Schema: event.SchemaVersion, EventID: string(room) + "-open", RoomID: room, Kind: event.RoomOpened, Settings: settings}})
		at := time.Second + time.Duration(random.ExpFloat64()*float64(meanGap))
		for n := 0; at < length; n++ {
			asker := 3*time.Second + time.Duration(random.Int64N(int64(5*time.Second))) // a run takes so long
			id := fmt.Sprint(n)                                                         // as platforms do: by room
			reply := answer(room, id, random, settings.PrivateText)
			out = append(out, asked{at, asker, reply})
			if random.Float64() < again {
				other := reply
				other.ReplyID += ".again"
				other.RunID = event.NewRunID(other.ReplyID, 1)
				later := time.Duration(random.Int64N(int64(8 * time.Second)))
				out = append(out, asked{at + later, asker + later, other})
			}
			if random.Float64() < retracted {
				later := time.Duration(random.Int64N(int64(3 * time.Second)))
				out = append(out, asked{at: at + later, event: event.RoomEvent{
					Schema: event.SchemaVersion, EventID: fmt.Sprint(room, "-back-", n), RoomID: room, Kind: event.DanmakuRetracted, DanmakuID: event.DanmakuID(id),
				}})
			}
			at += time.Duration(random.ExpFloat64() * float64(meanGap))
		}
	}
	slices.SortStableFunc(out, func(a, b asked) int { return int(a.at - b.at) })
	return out
}

// answer is a reply without its times.
func answer(room event.RoomID, id string, random *rand.Rand, private bool) event.Reply {
	window, danmaku, viewer := event.WindowID(string(room)+"."+id), event.DanmakuID(id), event.ViewerID(fmt.Sprint("v", random.IntN(200)))
	text := said[random.IntN(len(said))]
	language := "zh"
	if text[0] < 0x80 {
		language = "en"
	}
	reply := event.Reply{
		Schema: event.SchemaVersion, ReplyID: window, RunID: event.NewRunID(window, 1), Attempt: 1, RoomID: room, Variant: "harness",
		Kind: event.DanmakuWindow, Mode: event.Single, Class: event.Class(1 + random.IntN(3)), Language: language, Versions: event.Versions{Release: "soak"},
		Members:  []event.Member{{DanmakuID: danmaku, ViewerID: viewer, ViewerName: "观众"}},
		Verdicts: []event.Verdict{{Rule: "grounding", Action: "allow"}, {Rule: "identity", Action: "allow"}, {Rule: "leakage", Action: "allow"}},
	}
	if random.IntN(2) == 0 {
		reply.QuestionKey = fmt.Sprint("question-", random.IntN(12))
	}
	if private && random.Float64() < privateShare {
		reply.Private = []event.PrivateReply{{DanmakuID: danmaku, ViewerID: viewer, Text: text}}
		return reply
	}
	reply.Public = &event.PublicReply{Text: text, Covers: []event.DanmakuID{danmaku}}
	return reply
}

// timed is the event with the times of being published now.
func (a asked) timed(now time.Time) event.Event {
	switch e := a.event.(type) {
	case event.RoomEvent:
		e.TimeMs = now.UnixMilli()
		return e
	case event.Reply:
		wrote := now.Add(-a.asker)
		e.CreatedMs, e.Timing.RunMs = now.UnixMilli(), a.asker.Milliseconds()
		e.AnswerByMs, e.SpeakByMs = wrote.Add(answerWithin).UnixMilli(), wrote.Add(speakWithin).UnixMilli()
		e.Members = slices.Clone(e.Members)
		for i := range e.Members {
			e.Members[i].PlatformMs, e.Members[i].AnswerByMs, e.Members[i].SpeakByMs = wrote.UnixMilli(), e.AnswerByMs, e.SpeakByMs
		}
		return e
	}
	return a.event
}
