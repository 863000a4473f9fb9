package guardrail

import (
	"regexp"
	"slices"
	"strings"

	"livehost/agentworker/guardrail/quantity"
	"livehost/streams/event"
)

var (
	// offersIt says without the word that something is in stock.
	offersIt = regexp.MustCompile(`(?i)还有(的|呢|哦|呀)|(可以|能|直接|放心|赶紧|快)(就)?(拍|下单)|(还|现在|都)能买|货够|\b(still|do|we|yes,?) (have|got) (it|this|them|one|that)\b|\b(it's|is|are) (still )?available|you can (still )?(order|buy|get) (it|one)\b`)
	yesIsIt  = regexp.MustCompile(`(?i)^(有|有的|在的|有货)+(呢|哦|呀|的|啊)?($|[，,。！!])|^yes\b`)
	asksIt   = regexp.MustCompile(`(?i)有货|没货|库存|还有(吗|么|没|货)|卖完|能(买|拍)|^有(吗|么|没)|in stock|available|any left|sold out`)
	another  = regexp.MustCompile(`(?i)别的|其他|其它|另外|换|等|补货|到货|上架|以后|如果|要是|other|another|\b(when|once|if|until)\b`)
	gone     = regexp.MustCompile(`没有?了|买不了|拍不了|不能拍|缺`)
	scarce   = regexp.MustCompile(`(?i)快没(货|有)?了|快要?(卖|抢)(完|光|空)|库存(告急|紧张|不足)|(库存|货|数量|剩得?)[^，,。]{0,3}不多|所剩无几|马上就?没|卖得?差不多|就剩(几|一点)|最后(一|几)(批|波|点)|数量有限|almost (gone|sold out)|(selling|going) (out )?fast|limited stock|few left|running (out|low)`)

	soldOut = regexp.MustCompile(`(?i)售罄|卖完|卖光|没货|无货|缺货|断货|抢光|抢完|没有库存|sold out|out of stock|no stock`)
	inStock = regexp.MustCompile(`(?i)有货|货管够|要多少有多少|现货|有库存|库存充足|货源充足|还有(一点点?|少量|一些|不少|很多|几[件个条双瓶盒])(存?货)?|还剩(一点点?|一些|少量)|货(很|还|挺|也)?(足|多)|手慢无|还能(买|拍|下单)|还可以(买|拍)|still available|can still (buy|order|get)|in stock|plenty left|(have|got|there are|there's) (still )?(a few|some|plenty|lots)( of)?|a few left|some left`)
	unsure  = regexp.MustCompile(`(?i)(没|没有|有没|是否|是不是|不知道|不确定|如果|要是|等|not|if|whether|once|when|until|没有没)[^，,。]{0,6}$`)
)

// stockWords objects to "in stock" and "sold out" that no result says.
func stockWords(in *Input) (Finding, bool) {
	for _, sentence := range sentenceEnd.Split(in.Text, -1) {
		for _, side := range []struct {
			words *regexp.Regexp
			means stocked
		}{{soldOut, stockNo}, {inStock, stockYes}} {
			for _, at := range side.words.FindAllStringIndex(sentence, -1) {
				word := sentence[at[0]:at[1]]
				if !unsure.MatchString(sentence[:at[0]]) && !in.Evidence.stock(sentence, at[0], word, side.means) {
					return found(word, "no result says so; looked at: "+in.Evidence.looked())
				}
			}
		}
	}
	if at := in.saysStocked(); at != "" {
		return found(at, "results say that it is sold out, or none says that it is there; looked at: "+in.Evidence.looked())
	}
	if at := undenied(scarce, in.Text); at != nil && !in.Evidence.on(in.Text, at[0]).isScarce(in.Text, at[0]) {
		return found(in.Text[at[0]:at[1]], "no result says so; looked at: "+in.Evidence.looked())
	}
	return fine, true
}

// saysStocked is where a text says in other words that something can be had that is
// sold out, or of which nothing is known; "" for nowhere.
func (in *Input) saysStocked() string {
	if soldOut.MatchString(in.Text) || gone.MatchString(in.Text) {
		return ""
	}
	asked := slices.ContainsFunc(in.Members, func(m event.Member) bool { return asksIt.MatchString(m.Question) })
	places := offersIt.FindAllStringIndex(in.Text, -1)
	if at := yesIsIt.FindStringIndex(in.Text); at != nil && asked {
		places = append(places, at)
	}
	for _, at := range places {
		clause := in.Text[:at[1]]
		if end := clauseEnd.FindStringIndex(in.Text[at[1]:]); end != nil {
			clause = in.Text[:at[1]+end[0]]
		}
		if begin := clauseEnd.FindAllStringIndex(clause[:at[0]], -1); another.MatchString(clause) || turned(in.Text[:at[0]]) || unsure.MatchString(in.Text[:at[0]]) && begin != nil {
			continue
		}
		if in.Evidence.onlyWithout(in.Text, at[0], clause, asked) {
			return in.Text[at[0]:at[1]]
		}
	}
	return ""
}

// onlyWithout reports whether all that results say of the product at a place is that
// there is none, or, when it was asked, nothing was looked up at all.
func (e *Evidence) onlyWithout(text string, at int, clause string, asked bool) bool {
	none, known := false, false
	for _, r := range e.on(text, at).records(claim{clause: clause, subject: clause}) {
		if r.stocked == stockYes {
			return false
		}
		none, known = none || r.stocked == stockNo, known || r.stocked != stockUnknown
	}
	return none || asked && !known && len(e.Results) == 0 && len(e.facts) == 0
}

// isScarce reports whether a result says that there is little left.
func (e *Evidence) isScarce(text string, at int) bool {
	for _, r := range e.records(claim{subject: text[:at]}) {
		for _, q := range r.numbers {
			if q.Kind == quantity.Stock && q.Hi < quantity.Of(quantity.Stock, fewest).Lo {
				return true
			}
		}
	}
	return slices.ContainsFunc(e.texts(), func(t string) bool { return scarce.MatchString(t) || strings.Contains(t, "只剩") })
}

// stock reports whether a result says so of the link named before the word.
func (e *Evidence) stock(sentence string, at int, word string, means stocked) bool {
	known := false
	for _, r := range e.on(sentence, at).records(claim{clause: sentence, subject: sentence[:at]}) {
		if r.stocked == means {
			return true
		}
		known = known || r.stocked != stockUnknown
	}
	return !known && slices.ContainsFunc(e.Results, func(r Result) bool { return strings.Contains(strings.ToLower(r.text), strings.ToLower(word)) })
}
