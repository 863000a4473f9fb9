package quantity

import "slices"

// maxValue bounds what is read, so that nothing overflows.
const maxValue = 1_000_000_000 * scale

// style is how a number was written.
type style int

const (
	digits style = iota + 1
	chinese
	english
)

// number is a numeral at a place of the text.
type number struct {
	value int64 // thousandths
	end   int   // rune offset after it
	style style
}

// number reads the numeral that begins at i.
func (s *scan) number(i int) (number, bool) {
	switch r := s.at(i); {
	case isDigit(r):
		if i > 0 && isDigit(s.at(i-1)) {
			return number{}, false
		}
		return s.digitNumber(i)
	case isChineseDigit(r) || r == '十':
		if prev := s.at(i - 1); prev == '第' || isChineseNumeral(prev) {
			return number{}, false
		}
		return s.chineseNumber(i)
	case isLower(r) && !isLower(s.at(i-1)):
		return s.englishNumber(i)
	}
	return number{}, false
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }
func isLower(r rune) bool { return r >= 'a' && r <= 'z' }

var (
	chineseDigits = []rune("零一二三四五六七八九")
	chinesePowers = map[rune]int64{'十': 10, '百': 100, '千': 1000}
	chineseBig    = map[rune]int64{'万': 10_000, '亿': 100_000_000}
)

func chineseDigit(r rune) int64 {
	switch r {
	case '两', '俩':
		return 2
	case '〇':
		return 0
	}
	return int64(slices.Index(chineseDigits, r))
}

func isChineseDigit(r rune) bool { return chineseDigit(r) >= 0 }

func isChineseNumeral(r rune) bool {
	return isChineseDigit(r) || chinesePowers[r] > 0 || chineseBig[r] > 0
}

// digitNumber reads 1299, 1,299.00, 1.2万.
func (s *scan) digitNumber(i int) (number, bool) {
	var v int64
	j := i
	take := func() {
		if v = v*10 + int64(s.at(j)-'0'); v > maxValue {
			v = maxValue
		}
		j++
	}
	for isDigit(s.at(j)) {
		take()
	}
	for j-i <= 3 || s.at(j-4) == ',' { // thousands: a comma and exactly three digits
		if s.at(j) != ',' || !isDigit(s.at(j+1)) || !isDigit(s.at(j+2)) || !isDigit(s.at(j+3)) || isDigit(s.at(j+4)) {
			break
		}
		j++
		for range 3 {
			take()
		}
	}
	v = min(v, maxValue/scale) * scale
	if s.at(j) == '.' && isDigit(s.at(j+1)) {
		j++
		for place := int64(scale / 10); isDigit(s.at(j)); j++ {
			v += int64(s.at(j)-'0') * place
			place /= 10
		}
	}
	for {
		big := chineseBig[s.at(j)]
		if big == 0 {
			big = chinesePowers[s.at(j)]
		}
		if big == 0 {
			break
		}
		v = mul(v, big)
		j++
	}
	return number{min(v, maxValue), j, digits}, true
}

func mul(v, by int64) int64 {
	if v > maxValue/by {
		return maxValue
	}
	return v * by
}

// chineseNumber reads 八十九, 一百二, 一千零五十, 两万五, 三点五, and digit by digit 二零二四.
func (s *scan) chineseNumber(i int) (number, bool) {
	var total, section, digit, last int64 // last: the power a trailing digit is a tenth of
	j, powers, seen := i, 0, 0
	positional := int64(0)
	for ; isChineseNumeral(s.at(j)); j++ {
		r := s.at(j)
		if powers > 0 && digit > 0 && isChineseDigit(r) {
			break // 七十九一条: another number
		}
		switch {
		case isChineseDigit(r):
			digit = chineseDigit(r)
			positional = min(positional*10+digit, maxValue/scale)
			if digit == 0 {
				last = 0
			}
			seen++
			continue
		case chinesePowers[r] > 0:
			p := chinesePowers[r]
			if seen == 0 {
				digit = 1
			}
			section += digit * p
			last = p
		default:
			total = min((total+section+digit)*chineseBig[r], maxValue/scale)
			section, last = 0, chineseBig[r]
		}
		digit, seen = 0, 0
		powers++
	}
	var v int64
	switch {
	case powers == 0:
		v = positional
	case digit > 0 && last >= 100 && seen == 1:
		v = total + section + digit*last/10 // 一百二 is 120
	default:
		v = total + section + digit
	}
	v = min(v, maxValue/scale) * scale
	if s.at(j) == '点' && isChineseDigit(s.at(j+1)) {
		j++
		for place := int64(scale / 10); isChineseDigit(s.at(j)); j++ {
			v += chineseDigit(s.at(j)) * place
			place /= 10
		}
	}
	return number{min(v, maxValue), j, chinese}, true
}

var englishWords = map[string]int64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
	"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
	"eighty": 80, "ninety": 90,
}

// englishNumber reads eighty-nine, one hundred and twenty.
func (s *scan) englishNumber(i int) (number, bool) {
	var total, section int64
	end := -1
	for j := i; ; {
		word, after := s.word(j)
		v, ok := englishWords[word]
		switch {
		case ok:
			section = min(section+v, maxValue/scale)
		case word == "hundred" && end >= 0:
			section = min(max(section, 1)*100, maxValue/scale)
		case word == "thousand" && end >= 0:
			total, section = min(total+max(section, 1)*1000, maxValue/scale), 0
		case word == "and" && end >= 0:
			next, _ := s.word(s.skipJoin(after))
			if _, number := englishWords[next]; !number || section%100 != 0 {
				return number1(total+section, end), true
			}
			j = s.skipJoin(after)
			continue
		default:
			if end < 0 {
				return number{}, false
			}
			return number1(total+section, end), true
		}
		end = after
		j = s.skipJoin(after)
	}
}

func number1(v int64, end int) number {
	return number{min(v, maxValue/scale) * scale, end, english}
}

func (s *scan) word(i int) (string, int) {
	j := i
	for isLower(s.at(j)) {
		j++
	}
	if j == i {
		return "", i
	}
	return string(s.text[i:j]), j
}

// skipJoin skips one space or hyphen between number words.
func (s *scan) skipJoin(i int) int {
	if s.at(i) == ' ' || s.at(i) == '-' {
		return i + 1
	}
	return i
}
