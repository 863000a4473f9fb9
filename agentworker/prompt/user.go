package prompt

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"livehost/streams/event"
)

// maxName bounds a nickname, in characters.
const maxName = 20

// user is the user message: what was said before, then the danmaku or the event.
func (p *parts) user() string {
	var out []string
	for _, u := range p.host {
		out = append(out, "<host_said>"+escape(u)+"</host_said>")
	}
	for _, t := range p.turns {
		out = append(out, element("earlier", escape(t.Answer), attr{"viewer", p.name(t.ViewerID)}, attr{"question", t.Question}))
	}
	for _, m := range p.w.Members {
		paid, truncated := "", ""
		if m.Truncated {
			truncated = "yes"
		}
		if slices.Contains(p.w.Context.PaidViewers, m.ViewerID) && !m.ViewerID.Anonymous() {
			paid = "yes"
		}
		out = append(out, element("danmaku", escape(question(m)),
			attr{"id", string(m.DanmakuID)}, attr{"viewer", clip(m.ViewerName)}, attr{"lang", m.Language}, attr{"intent", m.Intent},
			attr{"focus", string(m.FocusLink)}, attr{"paid", paid}, attr{"truncated", truncated}))
	}
	if e := p.w.Event; e != nil {
		count := ""
		if e.Count > 0 {
			count = strconv.FormatInt(e.Count, 10)
		}
		out = append(out, element("event", "",
			attr{"kind", string(e.Kind)}, attr{"viewer", clip(e.ViewerName)}, attr{"gift", e.GiftName}, attr{"count", count},
			attr{"lang", language(p.w)}))
	}
	return strings.Join(out, "\n")
}

// name is the nickname of a member, for the turns before.
func (p *parts) name(id event.ViewerID) string {
	i := slices.IndexFunc(p.w.Members, func(m event.Member) bool { return m.ViewerID == id })
	if i < 0 {
		return ""
	}
	return clip(p.w.Members[i].ViewerName)
}

func clip(s string) string {
	if r := []rune(s); len(r) > maxName {
		return string(r[:maxName])
	}
	return s
}

type attr struct{ name, value string }

// element renders an element; attributes without a value are left out, escaped is
// its escaped content.
func element(name, escaped string, attrs ...attr) string {
	var b strings.Builder
	b.WriteString("<" + name)
	for _, a := range attrs {
		if v := escape(a.value); v != "" {
			fmt.Fprintf(&b, ` %s="%s"`, a.name, v)
		}
	}
	b.WriteString(">" + escaped + "</" + name + ">")
	return b.String()
}

// words is everything viewers wrote, names included.
func words(w *event.Window) string {
	var out []string
	for _, m := range w.Members {
		out = append(out, m.Text, m.ViewerName)
	}
	for _, t := range w.Context.Dialogue {
		out = append(out, t.Question)
	}
	if e := w.Event; e != nil {
		out = append(out, e.ViewerName, e.GiftName)
		if e.Count > 0 {
			out = append(out, strconv.FormatInt(e.Count, 10))
		}
	}
	return strings.Join(slices.DeleteFunc(out, func(s string) bool { return s == "" }), "\n")
}

var (
	linkNumber = regexp.MustCompile(`(?i)([0-9]{1,4}|[一二两三四五六七八九十]{1,3})\s*号|链接\s*([0-9]{1,4}|[一二两三四五六七八九十]{1,3})|(?:link|no\.?|number|#)\s*([0-9]{1,4})`)
	digits     = map[rune]int{'一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
)

// namedLinks are the link numbers a text names, in order.
func namedLinks(s string) []event.LinkID {
	var out []event.LinkID
	for _, m := range linkNumber.FindAllStringSubmatch(s, -1) {
		for _, n := range m[1:] {
			if n == "" {
				continue
			}
			if n[0] > '9' {
				n = strconv.Itoa(chinese(n))
			}
			out = append(out, event.LinkID(strings.TrimLeft(n, "0")))
		}
	}
	return out
}

// chinese reads a numeral up to 九十九.
func chinese(s string) int {
	total, digit := 0, 0
	for _, r := range s {
		if r == '十' {
			total += max(digit, 1) * 10
			digit = 0
			continue
		}
		digit = digits[r]
	}
	return total + digit
}
