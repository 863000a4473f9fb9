package rules

import "slices"

var (
	denials = newSet("不 没 别 not don't dont doesn't doesnt didn't didnt isn't isnt aren't arent won't wont never")
	// degrees may stand between a denial and what it denies.
	degrees = newSet("是 很 太 特 怎 那 么 这 so very that really too quite all the a")
)

// notDenied is what 不 begins without denying anything.
const notDenied = "好意思"

// deniedIn are the tokens that stand right behind a denial, degrees aside: 好 in 不好用 and in
// 不是很好用. 好不好 asks and denies nothing.
func deniedIn(ts []token) []int {
	var out []int
	for i, t := range ts {
		if !denials[t.text] || asksBoth(ts[:i], ts[i+1:]) {
			continue
		}
		at := i + 1
		for at < len(ts)-1 && degrees[ts[at].text] {
			at++
		}
		switch {
		case at == len(ts):
		case joinTokens(ts[at:min(at+3, len(ts))]) == notDenied:
		default:
			out = append(out, at)
		}
	}
	return out
}

// asksBoth reports whether what stands before a denial is repeated behind it: 好不好, 包邮不包邮.
func asksBoth(before, after []token) bool {
	for n := 1; n <= min(2, len(before), len(after)); n++ {
		if joinTokens(before[len(before)-n:]) == joinTokens(after[:n]) {
			return true
		}
	}
	return false
}

// turns reports whether the text denies a word of a phrase whose answer is a reply without
// a look-up (不好看 is no 好看), the phrase having no denial itself.
func (t *askText) turns(p *phrase) bool {
	if !p.talk || len(t.denied) == 0 {
		return false
	}
	for _, at := range t.denied {
		if slices.Contains(p.ids, t.ids[at]) && !slices.ContainsFunc(p.ids, t.lex.denies) {
			return true
		}
	}
	return false
}

// denies reports whether an id is that of a denial.
func (l *lexicon) denies(id int32) bool { return l.denials[id] }
