package outlet_test

import (
	"math"
	"os/exec"
	"slices"
	"testing"

	"livehost/dispatcher"
	"livehost/dispatcher/outlet"
	"livehost/dispatcher/pacing"
	"livehost/dispatcher/speech"
)

// sentences are replies as a host gives them.
var sentences = map[string][]string{
	"zh": {
		"纯棉短袖今天直播价89元，满300减50", "您好，2号链接的运动鞋还有库存120件", "这款M码适合身高155到165厘米，体重45到55公斤",
		"48小时内发货，偏远地区3-5天到", "支持七天无理由退货，来回运费险都有", "这款是304不锈钢的，容量500ml", "本场没有17号链接哦",
		"欢迎新来的朋友，喜欢可以点点关注", "我是AI主播小播，有问题随时问我", "会员下单再打9.5折，还送一份小样",
		"一个四斤左右，两个人吃刚刚好", "优惠券在直播间右下角领取，满99元可用", "谢谢支持", "可以的，机洗没问题，水温不要超过30℃",
		"链接3和链接5主要差在面料，3号更透气，5号更保暖，价格差20元", "您问的是几号链接呢？报一下号我马上看",
	},
	"en": {
		"The cotton tee is ¥89 today, and you get ¥50 off over ¥300.", "Yes, link 2 is in stock, 120 pieces left.",
		"Size M fits 155 to 165 centimetres and 45 to 55 kilos.", "We ship within 48 hours, remote areas take 3-5 days.",
		"Returns are free within seven days.", "I am an AI host, feel free to ask me anything.", "There is no link 17 in this room.",
		"Members get another 5% off and a free sample.", "Thanks for your support!", "It is machine washable, keep the water below thirty degrees.",
	},
}

// TestEstimateAgainstEspeak holds the estimated length, which decides what is late,
// against real audio: within 15 % at the median and 30 % at P95.
func TestEstimateAgainstEspeak(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Skip("espeak-ng is not installed")
	}
	e, err := outlet.NewEspeak(outlet.DefaultEspeakConfig())
	if err != nil {
		t.Fatal(err)
	}
	for language, texts := range sentences {
		var errors []float64
		for _, text := range texts {
			said := speech.Say(speech.Clean(text))
			clip, err := e.Synthesise(t.Context(), dispatcher.Sentence{Spoken: said}, language)
			if err != nil {
				t.Fatal(err)
			}
			off := pacing.Length(said).Seconds()/clip.Length.Seconds() - 1
			errors = append(errors, math.Abs(off))
			t.Logf("%s %+.0f %% %v %s", language, 100*off, clip.Length, said)
		}
		slices.Sort(errors)
		median, p95 := errors[len(errors)/2], errors[len(errors)*95/100]
		if median > 0.15 || p95 > 0.30 {
			t.Errorf("%s: off by %.0f %% at the median and %.0f %% at P95, want 15 and 30", language, 100*median, 100*p95)
		}
	}
}
