package html_test

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"hindsql/queries/html"
)

// TestContrast checks WCAG AA in the light and dark colours: letters have a contrast of
// 4.5 to 1, drawings 3 to 1.
func TestContrast(t *testing.T) {
	for i, block := range regexp.MustCompile(`(?s):root \{.*?\}`).FindAllString(html.Style(), -1) {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+): (#[0-9a-f]{6})`).FindAllStringSubmatch(block, -1) {
			colours[m[1]] = m[2]
		}
		type pair struct {
			front, back string
			least       float64
		}
		pairs := []pair{
			{"ink", "page", 4.5}, {"ink", "card", 4.5}, {"soft", "page", 4.5}, {"soft", "card", 4.5}, {"alert", "card", 4.5}, {"good", "card", 4.5},
			{"mark", "card", 3}, {"h5", "h0", 3},
			{"link", "page", 4.5}, {"link", "card", 4.5}, {"soft", "sunk", 4.5},
			{"ink", "h1", 4.5}, {"ink", "h2", 4.5}, {"ink", "h3", 4.5}, {"on", "h4", 4.5}, {"on", "h5", 4.5},
		}
		for _, ground := range []string{"card", "sunk", "add", "added", "del", "deleted"} {
			for _, word := range []string{"ink", "keyword", "string", "number", "comment", "name", "type"} {
				pairs = append(pairs, pair{word, ground, 4.5})
			}
		}
		for _, pair := range pairs {
			if got := contrast(t, colours[pair.front], colours[pair.back]); got < pair.least {
				t.Errorf("palette %d: %s on %s has %.2f, want %.1f", i, pair.front, pair.back, got, pair.least)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func luminance(t *testing.T, hex string) (sum float64) {
	t.Helper()
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= .04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+.055)/1.055, 2.4)
		}
	}
	return sum
}
