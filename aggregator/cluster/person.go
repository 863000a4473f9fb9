package cluster

import "livehost/aggregator/lexicon"

// A danmaku begins with whom it is said to as often as with whom it is about: 主播多少钱
// asks the price and 主播穿多大码 what the host wears, 宝宝还有吗 calls and 宝宝能吃吗 is about
// a baby. What follows tells.

// people stand for all words of their kind when they are spoken of.
var people = func() map[string]string {
	m := map[string]string{}
	lexicon.Words(m, host, "主播|老板|姐姐|哥哥|小姐姐|小哥哥|老师|美女|帅哥")
	lexicon.Words(m, child, "宝宝|宝贝|宝")
	return m
}()

const (
	host  = "主播"
	child = "宝宝"
)

// deeds follow whoever is spoken of; only of a child is asked what it may.
var deeds = build(map[string][]string{
	host:  {"穿|戴|用|吃|涂|抹|擦|背|的|身上|手上|手里|脚上|头上|脸上|脖子|自己|自留|多高|多重|多大|几斤|多少斤|几岁"},
	child: crossed("能|可以|可|会|也能|也可以|不能|不可以", "吃|用|穿|喝|戴|睡|擦|抹|涂|坐|玩|洗|过敏|吗|么|嘛|吧"),
})

// spokenOf is the person in[i:end] when what follows speaks of them, else "".
func spokenOf(in []rune, i, end int) string {
	if end == len(in) {
		return ""
	}
	n, whose := deeds.Longest(in, end)
	if n == 0 {
		return ""
	}
	who := people[string(in[i:end])]
	if whose == child && who != child {
		return ""
	}
	return who
}
