package harness

import "strings"

// FAQEntry is one question with its answer.
type FAQEntry struct {
	ID       string   `yaml:"id"`
	Question []string `yaml:"question"` // ways to ask it, in Chinese and English
	Answer   string   `yaml:"answer"`
	AnswerEN string   `yaml:"answer_en"`
}

// Text is the answer in the language ("zh" or "en"), in the other one when that is
// all there is.
func (e FAQEntry) Text(language string) string {
	if (language == "en" && e.AnswerEN != "") || e.Answer == "" {
		return e.AnswerEN
	}
	return e.Answer
}

type faqFile struct {
	entries []FAQEntry
	raw     []byte
}

func parseFAQ(file string, data []byte) (*faqFile, error) {
	f := &faqFile{raw: data}
	doc, err := decodeYAML(file, data, &f.entries)
	if err != nil {
		return nil, err
	}
	var ps problems
	if len(f.entries) == 0 {
		ps.add(file, 1, "has no entries; write some, or remove the file")
	}
	seen := map[string]bool{}
	for i, e := range f.entries {
		line := doc.line(i)
		if e.ID == "" || seen[e.ID] {
			ps.add(file, line, "id %q is empty or there twice", e.ID)
		}
		seen[e.ID] = true
		if len(e.Question) == 0 || Texts(e.Question).blank() {
			ps.add(file, line, "%s: question is empty", e.ID)
		}
		if strings.TrimSpace(e.Answer) == "" {
			ps.add(file, line, "%s: answer is empty", e.ID)
		}
	}
	return f, ps.err()
}
