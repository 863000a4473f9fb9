package text

// endings are the top-level domains that viewers write without a scheme. Any
// word after a full stop would be too much: "ok.thanks" is not an address.
var endings = map[string]bool{
	"com": true, "cn": true, "net": true, "org": true, "top": true, "vip": true, "xyz": true, "cc": true, "me": true, "io": true,
	"shop": true, "tv": true, "app": true, "link": true, "club": true, "info": true, "co": true, "ly": true, "site": true,
	"online": true, "store": true, "invalid": true, "example": true,
}

// urlAt is the length of the address that begins at i, 0 when none does.
func urlAt(in []rune, i int) int {
	r := in[i]
	if !isDigit(r) && !(r|0x20 >= 'a' && r|0x20 <= 'z') {
		return 0
	}
	if i > 0 && isAddressRune(in[i-1]) {
		return 0
	}
	for _, scheme := range []string{"http://", "https://", "www."} {
		if hasPrefixFold(in[i:], scheme) {
			return addressEnd(in, i) - i
		}
	}
	end, dot := i, -1
	for end < len(in) && isAddressRune(in[end]) {
		if in[end] == '.' {
			dot = end
		}
		end++
	}
	for end > i && in[end-1] == '.' { // "…com." ends a sentence
		end--
		dot = lastDot(in, i, end)
	}
	if dot <= i || end-dot < 3 || end-dot > 9 || !endings[lower(in[dot+1:end])] {
		return 0
	}
	if end < len(in) && (in[end] == '/' || in[end] == ':') {
		return addressEnd(in, i) - i
	}
	return end - i
}

func lastDot(in []rune, from, to int) int {
	for j := to - 1; j >= from; j-- {
		if in[j] == '.' {
			return j
		}
	}
	return -1
}

// addressEnd ends an address at a space or at Chinese, which often follows at once.
func addressEnd(in []rune, i int) int {
	for i < len(in) && in[i] > ' ' && in[i] < 0x7f {
		i++
	}
	return i
}

func isAddressRune(r rune) bool {
	return isDigit(r) || r|0x20 >= 'a' && r|0x20 <= 'z' || r == '-' || r == '.'
}

func hasPrefixFold(in []rune, prefix string) bool {
	if len(in) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		r := in[i]
		if r >= 'A' && r <= 'Z' {
			r |= 0x20
		}
		if r != rune(prefix[i]) {
			return false
		}
	}
	return true
}

func lower(in []rune) string {
	var b [16]byte
	for i, r := range in {
		if r >= 'A' && r <= 'Z' {
			r |= 0x20
		}
		b[i] = byte(r)
	}
	return string(b[:len(in)])
}
