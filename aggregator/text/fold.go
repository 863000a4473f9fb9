package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"livehost/aggregator/lexicon"
)

// confusables are letters of other alphabets, and signs, that look Latin: by their small
// form, and by the capital where that looks like another letter. What NFKC spells out
// (ｆ, 𝒇, ⓕ) is none of them, nor is a letter with a mark.
var confusables = lookAlikes(
	"aаαɑᴀλꭺᎪ", "bвβьʙƀɓßᏴ", "cсςᴄƈȼ¢Ꮯ", "dԁᴅđɖɗ∂Ꭰ", "eеєεᴇɇəΣᎬ", "fғƒꜰ", "gɡɢǥɠցᏀ", "hнһʜħɦհΗᎻ", "iіιıɨɪᎥ", "jјᴊɉյנ",
	"kкκᴋƙқҝҡᏦ", "lӏʟłƚɭᏞ", "mмᴍɱΜᎷ", "nηɴпոŋɲΝ", "oоοσᴏøɵօ", "pрρᴘƥþᏢ", "qԛʠզ", "rгяʀɍɾᎡ", "sѕꜱʂᏚ", "tтτᴛŧƭʈᎢ",
	"uυμᴜиցʉս", "v√∨νѵᴠʋᐯᏙꮩ", "wԝωшѡᴡᏔ", "xхχ", "yуγʏƴɏΥ", "zζᴢƶʐᏃ",
)

// lookAlikes maps what follows the first letter of each row to that letter.
func lookAlikes(rows ...string) map[rune]rune {
	m := map[rune]rune{}
	for _, row := range rows {
		for _, r := range row[1:] {
			m[r] = rune(row[0])
		}
	}
	return m
}

// Fold is r as word lists spell it, or 0 when they leave it out.
func Fold(r rune) rune {
	switch {
	case isHan(r):
		return lexicon.Simplified(r)
	case isDigit(r), r >= 'a' && r <= 'z':
		return r
	case r >= 'A' && r <= 'Z':
		return r | 0x20
	case r == '+': // 加 in contact bait; size lists do not use Match
		return r
	case r < 0x80:
		return 0
	}
	bare := unmarked(r)
	l := unicode.ToLower(bare)
	for _, look := range [...]rune{bare, l} {
		if c, ok := confusables[look]; ok {
			return c
		}
	}
	switch {
	case l >= 'a' && l <= 'z':
		return l
	case unicode.IsLetter(r):
		return unicode.ToLower(r)
	default:
		return 0
	}
}

// unmarked is a Latin, Greek or Cyrillic letter without its marks: ú is u.
func unmarked(r rune) rune {
	if r < 0xc0 || r > 0x52f && r < 0x1e00 || r > 0x1fff {
		return r
	}
	var b [utf8.UTFMax]byte
	if parts := norm.NFD.Properties(b[:utf8.EncodeRune(b[:], r)]).Decomposition(); parts != nil {
		r, _ = utf8.DecodeRune(parts)
	}
	return r
}
