package dispatcher

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"livehost/dispatcher/speech"
)

// Wording is what speech says beside its reply, and what it leaves out.
type Wording struct {
	Disclosure map[string]string `yaml:"disclosure"`  // that the host is an AI, by language; {host} is its name. How often is the room's
	UnfitNames []string          `yaml:"unfit_names"` // parts of viewers' names that are never read out

	PromotionWords  []string      `yaml:"promotion_words"`  // a sentence with one of them is promotional
	MaxPromotions   int           `yaml:"max_promotions"`   // so many of them are heard in a room ...
	PromotionWindow time.Duration `yaml:"promotion_window"` // ... within so long
}

// DefaultWording is the house's.
func DefaultWording() Wording {
	return Wording{
		Disclosure: map[string]string{
			"zh": "温馨提示，为您讲解的是AI主播{host}。",
			"en": "Just so you know, I am {host}, an AI host.",
		},
		PromotionWords: []string{
			"点个关注", "点点关注", "点关注", "加粉丝团", "点点赞", "点个赞", "抢购", "赶紧下单", "赶快下单", "抓紧下单", "快去下单", "福袋",
			"follow us", "hit follow", "order now", "hurry", "don't miss",
		},
		MaxPromotions: 10, PromotionWindow: 10 * time.Minute,
	}
}

// Validate lists every problem.
func (w Wording) Validate() error {
	var errs []error
	for _, language := range []string{"zh", "en"} {
		if speech.Clean(w.Disclosure[language]) == "" {
			errs = append(errs, fmt.Errorf("disclosure: none for %s", language))
		}
	}
	if w.MaxPromotions < 0 || w.PromotionWindow <= 0 {
		errs = append(errs, errors.New("max_promotions, promotion_window: want 0 or more, and more than 0"))
	}
	return errors.Join(errs...)
}

func (w Wording) unfit(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(w.UnfitNames, func(part string) bool { return strings.Contains(name, strings.ToLower(part)) })
}

func (w Wording) promotional(sentence string) bool {
	sentence = strings.ToLower(sentence)
	return slices.ContainsFunc(w.PromotionWords, func(word string) bool { return strings.Contains(sentence, word) })
}

func (w Wording) disclosure(language, host string) string {
	text := w.Disclosure[language]
	if text == "" {
		text = w.Disclosure["zh"]
	}
	return speech.Clean(strings.ReplaceAll(text, "{host}", host))
}

// newItem is the reply's public text as speech.
func (rm *room) newItem(j *job, answers []*owed) *item {
	var names []string
	for _, m := range j.reply.Members {
		names = append(names, m.ViewerName)
	}
	it := &item{job: j, owed: answers}
	it.write(speech.Clean(speech.Names(j.reply.Public.Text, names, j.reply.Language, rm.d.cfg.Wording.unfit)))
	it.shorten(rm.d.cfg.MaxSpeech)
	it.by = heardBy{words: it.heard, goods: goods(j.reply.Facts)}
	return it
}

// word gives the item, which is about to be said, the wording of its turn: the
// disclosure when it is due, no more promotion than allowed. An item that is nothing but
// promotion is somebody's answer and stays.
func (rm *room) word(it *item, nowMs int64) {
	w := rm.d.cfg.Wording
	rm.promotedMs = slices.DeleteFunc(rm.promotedMs, func(ms int64) bool { return nowMs-ms > w.PromotionWindow.Milliseconds() })
	left := w.MaxPromotions - len(rm.promotedMs)
	var kept []string
	for _, s := range it.script {
		if w.promotional(s.Text) {
			if left--; left < 0 {
				continue
			}
		}
		kept = append(kept, s.Text)
	}
	heard := it.heard
	if len(kept) > 0 && len(kept) < len(it.script) {
		heard = it.joined(kept)
	}
	if every := rm.settings.DisclosureEveryS * 1000; every > 0 && (rm.disclosedMs == 0 || nowMs-rm.disclosedMs >= every) {
		heard = it.joined([]string{w.disclosure(it.job.reply.Language, rm.settings.HostName), heard})
	}
	if heard != it.heard {
		it.write(heard)
	}
}

// worded remembers what was heard of disclosure and promotion.
func (rm *room) worded(text string, endMs int64) {
	w := rm.d.cfg.Wording
	if _, told := rm.disclosed(text); told {
		rm.disclosedMs = endMs
	}
	if !w.promotional(text) { // nor is a sentence of it
		return
	}
	for _, s := range speech.Script(text) {
		if w.promotional(s.Heard) {
			rm.promotedMs = append(rm.promotedMs, endMs)
		}
	}
}

// disclosed reports whether the text begins with the disclosure; answer is the text
// without it.
func (rm *room) disclosed(text string) (answer string, told bool) {
	for language := range rm.d.cfg.Wording.Disclosure {
		if rest, ok := strings.CutPrefix(text, rm.d.cfg.Wording.disclosure(language, rm.settings.HostName)); ok {
			return cmp.Or(strings.TrimSpace(rest), text), true
		}
	}
	return text, false
}
