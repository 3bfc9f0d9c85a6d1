package export

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFormats: each format is either of rows or of sessions. Formats of sessions come
// last, and every format has a help text.
func TestFormats(t *testing.T) {
	t.Parallel()
	ofSessions := false
	for _, f := range formats() {
		if (f.copy == nil) == (f.item == nil) || ofSessions && f.item == nil || f.item == nil && f.redacted {
			t.Errorf("%s: is of rows and of sessions, or of neither, or stands behind one of sessions", f.name)
		}
		ofSessions = f.item != nil
		for _, line := range strings.Split(f.doc, "\n") {
			if line == "" || utf8.RuneCountInString(line) > 68 {
				t.Errorf("%s: help has %q", f.name, line)
			}
		}
		if found, ok := formatOf(f.name); !ok || found.name != f.name || Redacted(f.name) != f.redacted || slices.Contains(OfSessions(), f.name) != (f.item != nil) {
			t.Errorf("%s: found as %q", f.name, found.name)
		}
		if text := Help(f.item != nil); !strings.Contains(text, "\n  "+f.name+" ") && !strings.HasPrefix(text, "  "+f.name+" ") {
			t.Errorf("%s: not in %q", f.name, text)
		}
	}
	if _, ok := formatOf("xml"); ok || Redacted("xml") {
		t.Error("xml is found")
	}
}
