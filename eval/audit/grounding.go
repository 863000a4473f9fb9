package audit

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"livehost/streams/event"
)

// offer finds the amounts that offers write without a unit: 满300减50, save 20.
var offer = regexp.MustCompile(`(?i)(?:满|减|省|返|抵|券|\b(?:over|off|save|spend|least))\s*[¥$]?\s*(` + digits + `)|(` + digits + `)\s*(?:off\b|减)`)

// fenField finds amounts in JSON that was cut off and no longer decodes.
var fenField = regexp.MustCompile(`"\w+_fen"\s*:\s*(\d{1,15})\b`)

// ungrounded lists the prices that replies and deliveries state and no tool
// result of the same run contains: one finding per run and price.
func (v *View) ungrounded() []Finding {
	texts := map[event.RunID][]string{}
	for run, r := range v.replies {
		if r.V.Public != nil {
			texts[run] = append(texts[run], r.V.Public.Text)
		}
		for _, p := range r.V.Private {
			texts[run] = append(texts[run], p.Text)
		}
	}
	for _, u := range v.utterances {
		texts[u.RunID] = append(texts[u.RunID], u.Text)
	}
	known := v.toolPrices()
	var out []Finding
	for _, run := range sortedKeys(texts) {
		var told []int64
		for _, text := range texts[run] {
			for _, fen := range Prices(text) {
				if !known[run][fen] && !slices.Contains(told, fen) {
					told = append(told, fen)
					out = append(out, Finding{Kind: UngroundedPrice, ID: string(run), What: yuan(fen) + " is in no tool result of the run: " + text})
				}
			}
		}
	}
	return out
}

// toolPrices are the amounts in each run's tool results.
func (v *View) toolPrices() map[event.RunID]map[int64]bool {
	known := map[event.RunID]map[int64]bool{}
	for _, s := range v.log.Steps {
		if s.V.Kind != event.StepTool {
			continue
		}
		if known[s.V.RunID] == nil {
			known[s.V.RunID] = map[int64]bool{}
		}
		collect(known[s.V.RunID], s.V.Output)
	}
	return known
}

// collect adds the amounts of one tool result: JSON, or plain text.
func collect(into map[int64]bool, output string) {
	d := json.NewDecoder(strings.NewReader(output))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil || d.More() {
		value = output
	}
	collectValue(into, "", value)
}

func collectValue(into map[int64]bool, key string, value any) {
	switch x := value.(type) {
	case map[string]any:
		for k, v := range x {
			collectValue(into, k, v)
		}
	case []any:
		for _, v := range x {
			collectValue(into, key, v)
		}
	case json.Number:
		if f, err := x.Float64(); err == nil {
			if strings.HasSuffix(key, "_fen") {
				into[int64(f)] = true
			} else if moneyKey(key) {
				into[int64(math.Round(f*100))] = true
			}
		}
	case string:
		if nested := strings.TrimSpace(x); key != "" && (strings.HasPrefix(nested, "{") || strings.HasPrefix(nested, "[")) {
			collect(into, nested)
		}
		collectText(into, key, x)
	}
}

func collectText(into map[int64]bool, key, text string) {
	for _, fen := range Prices(text) {
		into[fen] = true
	}
	for _, m := range offer.FindAllStringSubmatch(text, -1) {
		if fen, ok := amount(m[1] + m[2]); ok {
			into[fen] = true
		}
	}
	for _, m := range fenField.FindAllStringSubmatch(text, -1) {
		if fen, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			into[fen] = true
		}
	}
	if fen, ok := amount(text); ok && moneyKey(key) { // "price": "89"
		into[fen] = true
	}
}

// moneyKey reports whether a result field holds money in yuan by its name.
func moneyKey(key string) bool {
	key = strings.ToLower(key)
	for _, part := range []string{"price", "fee", "saving", "amount", "difference", "discount"} {
		if strings.Contains(key, part) {
			return true
		}
	}
	return false
}
