package speech_test

import (
	"strings"
	"testing"

	"livehost/dispatcher/speech"
)

// CASES P78: what viewers call themselves is not read out unseen.
func TestNames(t *testing.T) {
	t.Parallel()
	banned := func(name string) bool { return strings.Contains(name, "骗子") }
	for _, fit := range []string{"小明", "Anna", "爱吃鱼的猫", "user_88", "Tom 2", "阿·凡提"} {
		if !speech.FitName(fit, banned) {
			t.Errorf("%q can be read out", fit)
		}
	}
	for _, unfit := range []string{
		"加V123\u200babc", "加微信领券", "example.com", "13812345678", "用户123456", "😀😀", "", "   ", "ѕhоp", "骗子店", "名字特别特别特别特别长的一位观众", "[玫瑰]", "QQ88", "a\nb", "<b>",
	} {
		if speech.FitName(unfit, banned) {
			t.Errorf("%q must not be read out", unfit)
		}
	}
	for _, tt := range []struct{ in, name, language, want string }{
		{"加V123\u200babc您好，89元", "加V123\u200babc", "zh", "这位朋友您好，89元"},
		{"@example.com yes", "example.com", "en", "this friend yes"},
		{"小明您好", "小明", "zh", "小明您好"},
		{"89元", "😀", "zh", "89元"},
		{"今天89元", "元", "zh", "今天89元"}, // a name of one rune is a word of any text
	} {
		if got := speech.Names(tt.in, []string{tt.name}, tt.language, nil); got != tt.want {
			t.Errorf("Names(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
