package speech

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest name that is read out, in runes.
const longestName = 12

// friends are who is spoken to instead, by language.
var friends = map[string]string{"zh": "这位朋友", "en": "this friend"}

// contact is how names advertise: WeChat and QQ in their disguises, addresses.
var contact = regexp.MustCompile(`(?i)微信|加[vｖ薇微威]|[vｖ薇威]信|wechat|weixin|\bwx|\bvx|qq|扣扣|企鹅号|telegram|whatsapp|[@＠]|\.(?:com|cn|net|top|xyz)|代购|刷单|兼职|返利`)

// FitName reports whether a viewer's name can be read out: short, of letters, nothing
// that advertises, no row of digits and nothing that Clean would drop or that unfit
// names. unfit may be nil.
func FitName(name string, unfit func(string) bool) bool {
	digits, letters := 0, 0
	for _, r := range name {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case r != ' ' && r != '-' && r != '_' && r != '·':
			return false
		}
	}
	return letters > 0 && digits <= 3 && utf8.RuneCountInString(name) <= longestName &&
		Clean(name) == name && !contact.MatchString(name) && !mixedScripts(name) && (unfit == nil || !unfit(name))
}

// mixedScripts reports Cyrillic or Greek among Latin letters: a look-alike.
func mixedScripts(s string) bool {
	var latin, other bool
	for _, r := range s {
		latin = latin || unicode.Is(unicode.Latin, r)
		other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek)
	}
	return latin && other
}

// Names replaces the viewers' names in a text that are not fit to be read out. It is to
// be applied before Clean, which would leave half of such a name.
func Names(text string, names []string, language string, unfit func(string) bool) string {
	friend := friends[language]
	if friend == "" {
		friend = friends["zh"]
	}
	for _, name := range names {
		if utf8.RuneCountInString(name) < 2 || !strings.Contains(text, name) || FitName(name, unfit) {
			continue
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, "@"+name, friend), name, friend)
	}
	return text
}
