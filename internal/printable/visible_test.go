package printable_test

import (
	"testing"

	"hindsql/internal/printable"
)

// TestVisible checks text characters, and the codes of other characters.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain, é, 日本語, العربية, ½ €": "plain, é, 日本語, العربية, ½ €",
		"a\nb\tc":                        "a\nb\tc",
		"\x1b[31m\x07\x00\r\b\x7f":       "␛[31m␇␀␍␈␡",
		"\u0085\u009b\u00ad":             "<U+0085><U+009B><U+00AD>",
		"\xff\xe2\x82":                   "<0xFF><0xE2><0x82>",
		"\u202ea\u2066b\u200ec\u061c":    "<U+202E>a<U+2066>b<U+200E>c<U+061C>",
		"\u200b\u2028\u2029\ufeff\u2060": "<U+200B><U+2028><U+2029><U+FEFF><U+2060>",
		"\U000e0041\ufffe\u3164":         "<U+E0041><U+FFFE><U+3164>",
		"👩\u200d💻 ❤\ufe0f #\ufe0f\u20e3": "👩\u200d💻 ❤\ufe0f #\ufe0f\u20e3",
		"نامه\u200cای":                   "نامه\u200cای",
		"a\u200db\u200c":                 "a<U+200D>b<U+200C>",
		"❤\ufe0f\ufe0f\U000e0100":        "❤\ufe0f<U+FE0F><U+E0100>",
		"漢\U000e0100 \ue0b0 \ufffd":      "漢\U000e0100 \ue0b0 \ufffd",
	} {
		if got := printable.Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
