package commerce

import (
	"slices"
	"strings"

	"livehost/harness"
)

// attributeWords lead from what viewers ask to the name an attribute has.
var attributeWords = []struct{ asked, name []string }{
	{[]string{"肤质", "油皮", "干皮", "混油", "混干", "皮肤", "皮", "skin"}, []string{"肤质"}},
	{[]string{"敏感", "过敏", "sensitive"}, []string{"敏感肌", "过敏"}},
	{[]string{"孕", "怀", "哺乳", "pregnan"}, []string{"孕妇"}},
	{[]string{"成分", "配料", "里面有什么", "ingredient"}, []string{"成分", "配料"}},
	{[]string{"哪里产", "哪产", "产的", "哪里的", "哪里生产", "made in", "where is it made", "origin"}, []string{"产地"}},
	{[]string{"保质", "过期", "放多久", "保存多久", "shelf", "expire"}, []string{"保质期"}},
	{[]string{"怎么用", "用法", "怎么吃", "怎么喝", "how to use", "how do i use"}, []string{"使用方法"}},
	{[]string{"怎么洗", "机洗", "手洗", "好洗", "能洗", "wash", "clean it"}, []string{"洗涤"}},
	{[]string{"什么料", "面料", "料子", "什么做", "fabric", "made of"}, []string{"材质"}},
	{[]string{"多重", "重不重", "几斤", "heavy", "weigh"}, []string{"重量"}},
	{[]string{"多大", "几寸", "长宽", "how big", "how large", "dimension"}, []string{"尺寸", "规格"}},
	{[]string{"多少毫升", "多少克", "几片", "几包", "多少个", "净含量", "how many", "how much is in"}, []string{"规格", "容量"}},
	{[]string{"什么颜色", "几个色", "哪些颜色", "colour"}, []string{"颜色"}},
	{[]string{"什么味", "味道", "甜不甜", "好吃", "taste", "flavour"}, []string{"口味", "甜度", "口感", "香味"}},
	{[]string{"香不香", "香味", "有香", "smell"}, []string{"香味"}},
	{[]string{"多久电", "用多久", "续航", "battery"}, []string{"续航"}},
	{[]string{"进水", "泡水", "下雨", "游泳", "waterproof"}, []string{"防水"}},
	{[]string{"厚不厚", "厚吗", "薄不薄", "冬天", "夏天", "thick", "warm"}, []string{"厚薄"}},
	{[]string{"辣", "spicy"}, []string{"辣度"}},
	{[]string{"掉毛", "跑绒"}, []string{"钻绒", "起球"}},
	{[]string{"滑不滑", "slip"}, []string{"防滑"}},
	{[]string{"透不透", "闷不闷", "闷脚", "breath"}, []string{"透气", "透"}},
	{[]string{"多高", "几厘米跟", "heel"}, []string{"跟高"}},
	{[]string{"几岁", "多大孩子", "what age", "how old"}, []string{"适用年龄"}},
	{[]string{"苹果", "安卓", "iphone", "android", "手机能用"}, []string{"兼容"}},
	{[]string{"spf", "防晒值", "倍数"}, []string{"防晒指数"}},
}

// findAttribute is the attribute that answers the question: one whose name is in
// it, else one that the asked word leads to, else one whose value holds what is
// asked for.
func findAttribute(p *harness.Product, question string) (int, bool) {
	q := " " + strings.Join(tokens(normal(question)), " ") + " "
	raw := normal(question)
	best, length := -1, 0
	consider := func(i int, n int) {
		if n > length {
			best, length = i, n
		}
	}
	for i, a := range p.Attributes {
		for _, key := range attributeNames(p, i, a) {
			if t := strings.Join(tokens(key), " "); t != "" && strings.Contains(q, " "+t+" ") {
				consider(i, len(t))
			}
		}
	}
	if best >= 0 {
		return best, true
	}
	for _, w := range attributeWords {
		if !slices.ContainsFunc(w.asked, func(s string) bool { return strings.Contains(raw, s) }) {
			continue
		}
		for _, name := range w.name {
			if i := slices.IndexFunc(p.Attributes, func(a harness.Attribute) bool { return strings.Contains(a.Key, name) }); i >= 0 {
				return i, true
			}
		}
	}
	return attributeByValue(p, question)
}

// attributeNames are the ways an attribute's own name may stand in a question.
func attributeNames(p *harness.Product, i int, a harness.Attribute) []string {
	key := normal(a.Key)
	names := []string{key, strings.TrimPrefix(key, "是否"), strings.TrimPrefix(key, "适用")}
	if i < len(p.AttributesEN) {
		names = append(names, normal(p.AttributesEN[i].Key))
	}
	return names
}

// attributeByValue finds an attribute whose value holds every word of the
// question that is not filler, and at least two characters of it.
func attributeByValue(p *harness.Product, question string) (int, bool) {
	for i, a := range p.Attributes {
		texts := []string{a.Value}
		if i < len(p.AttributesEN) {
			texts = append(texts, p.AttributesEN[i].Value)
		}
		v := newVocabulary(texts...)
		d := searchDoc{strong: v}
		if d.explain(query{tokens: parseQuery(question).tokens, need: true}, "") > 0 {
			return i, true
		}
	}
	return 0, false
}
