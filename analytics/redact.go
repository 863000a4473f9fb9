package analytics

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"livehost/streams/event"
)

// redactions replace what identifies a person. Order matters: ids contain digits
// that look like phones.
var redactions = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`), "[email]"},
	{regexp.MustCompile(`\b[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dXx]`), "[id]"},
	{regexp.MustCompile(`(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{4}[- ]?\d{4}`), "[phone]"},
	{regexp.MustCompile(`\b0\d{2,3}-\d{7,8}\b`), "[phone]"},
	{regexp.MustCompile(`\+\d{1,3}[- ]?\(?\d{2,4}\)?(?:[- ]?\d{3,4}){2}`), "[phone]"},
	{regexp.MustCompile(`(?:\p{Han}{2,8}(?:省|自治区))?\p{Han}{2,8}(?:市|州|盟)\p{Han}{1,10}(?:区|县|镇|乡|街道)[\p{Han}\d]{0,30}(?:号|室|栋|单元|弄|楼)[\p{Han}\d-]{0,12}`), "[address]"},
	{regexp.MustCompile(`(?i)\b\d{1,5} [A-Z][a-z]+(?: [A-Z][a-z]+)? (?:street|st|avenue|ave|road|rd|lane|ln|drive|dr)\b\.?`), "[address]"},
}

// Redact removes phone numbers, identity numbers, e-mail and postal addresses.
func Redact(text string) string {
	for _, r := range redactions {
		text = r.what.ReplaceAllString(text, r.by)
	}
	return text
}

// pseudonym is the keyed hash of a viewer or unit: the same id and key always
// give the same 32 hex digits, and nobody without the key can go back. Anonymous
// viewers have none.
func (s *Sink) pseudonym(id event.ViewerID) string {
	if id.Anonymous() {
		return ""
	}
	m := hmac.New(sha256.New, []byte(s.cfg.HashKey))
	m.Write([]byte(id))
	return hex.EncodeToString(m.Sum(nil)[:16])
}
