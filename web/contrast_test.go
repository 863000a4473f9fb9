package web_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var cssColour = regexp.MustCompile(`--([\w-]+): #([0-9a-f]{6});`)

// Text can be read in both colour schemes: WCAG AA, 4.5 to 1.
func TestContrast(t *testing.T) {
	t.Parallel()
	r := start(t)
	_, css, _ := r.get(t, "/static/app.css")
	light, rest, _ := strings.Cut(css, "@media (prefers-color-scheme: dark)")
	dark, _, _ := strings.Cut(rest, "\n}\n")
	for name, part := range map[string]string{"light": light, "dark": dark} {
		colour := map[string]string{}
		for _, m := range cssColour.FindAllStringSubmatch(part, -1) {
			colour[m[1]] = m[2]
		}
		pairs := [][2]string{{"ink", "bg"}, {"ink", "panel"}, {"soft", "bg"}, {"soft", "panel"}, {"accent", "bg"}, {"accent", "panel"}, {"bad", "panel"}, {"good", "panel"}}
		for _, c := range []string{"good", "calm", "quiet", "warn", "bad", "other"} {
			pairs = append(pairs, [2]string{c, c + "-bg"})
		}
		for _, p := range pairs {
			if ratio := contrast(t, colour[p[0]], colour[p[1]]); ratio < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want 4.5", name, p[0], p[1], ratio)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(fmt.Errorf("colour %q: %w", hex, err))
	}
	var sum float64
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(n>>(8*i)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
