package cluster

import (
	"strings"

	"livehost/aggregator/lexicon"
)

// What word lists are made of, and two of them; they are our own, Chinese then English.
// A Latin word ending in * is a stem.

// questionWords mark questions.
var questionWords = list(
	"吗|嘛|么|?|什么|啥|怎么|怎样|咋|如何|哪|几|多少|多久|多长|多大|多重|多高|多宽|多厚|能不能|可不可以|可以不|行不|好不|有没|是不是|要不要|会不会|用不用|需不需要|谁|为什么|为啥|求|请问|问一下|问下|是否|甜不|辣不|咸不|酸不|厚不|透不|大不|重不",
	"what|what's|whats|how|when|where|which|who|why|does|do you|do u|do they|is it|is this|is that|is there|are there|are they|are these|are those|can i|can you|can u|can we|could you|will|would|any|should|do those|do these|does|did|can he|can she|can they|could he|how's|who's|does it|how about|what about|anyone know|have any",
)

// buyingWords are said by who is about to buy.
var buyingWords = list(
	"买|拍|下单|想要|我要|要一|来一|有货|还有|现货|库存|链接|号|上车|抢|多少钱|价|券|有吗|有没有|补货|上吗|上点|付款|什么码|入手",
	"buy|order|get one|want|need|in stock|available|restock*|link|price|how much|do you have|any more|sell|sold",
)

// crossed are all words of heads before all of tails.
func crossed(heads, tails string) []string {
	var out []string
	for _, head := range strings.Split(heads, "|") {
		for _, tail := range strings.Split(tails, "|") {
			out = append(out, head+tail)
		}
	}
	return out
}

func build[T comparable](cells map[T][]string) *lexicon.Set[T] {
	m := map[string]T{}
	for v, cs := range cells {
		for _, c := range cs {
			lexicon.Words(m, v, c)
		}
	}
	return lexicon.New(m)
}

func list(cells ...string) *lexicon.Set[struct{}] {
	m := map[string]struct{}{}
	for _, c := range cells {
		lexicon.Words(m, struct{}{}, c)
	}
	return lexicon.New(m)
}

func has(words *lexicon.Set[struct{}], in []rune) (found bool) {
	words.Each(in, func(_, _ int, _ struct{}) bool {
		found = true
		return false
	})
	return found
}
