package web_test

import (
	"net/http"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// TestUncleanNames checks that an address with invalid bytes has no page, and that a
// value with invalid bytes is handled like any other value.
func TestUncleanNames(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	for i, unclean := range []string{"%ff", "%fe", "a%00b", "%c3", "%ed%a0%80"} {
		t.Run(unclean, func(t *testing.T) {
			whole.Most(t, i, 5, "five texts in each address")
			(&site{t, o.address, o.browser}).unclean(unclean)
		})
	}
}

// unclean requests addresses and values that contain a text.
func (o *site) unclean(text string) {
	o.Helper()
	for _, path := range []string{
		"/session/X/X", "/session/claude/X", "/report/X", "/refusal/claude/X/X", "/refusal/X/x/y", "/query/X", "/table/X", "/id/X",
		"/text/claude/x/y/X", "/text/X/x/y/input", "/static/X/X", "/report/weekly/rows/X/x", "/report/weekly/rows/1/X", "/X", "/X/y",
	} {
		o.fails(strings.ReplaceAll(path, "X", text), http.StatusNotFound)
	}
	for _, path := range []string{
		"/search?q=X", "/search?q=a&agent=X&project=X&since=X", "/search?q=X&regex=1", "/sessions?project=X", "/refusals?agent=X&tool=X", "/refusals?since=X",
		"/query/rejections?project=X", "/query/rejections?X=1", "/query/rejections?since=X", "/sql?sql=SELECT+1&page=X", "/sql?sql=X", "/sql?sql=SELECT+'X'", "/?during=X",
		"/complete?sql=X&at=1", "/interruptions?agent=X", "/table/messages?page=X", "/query/rejections.csv?project=X", "/report/weekly?since=X", "/sessions?X=X", "/search?%zz=1&q=X",
	} {
		if status, page := o.get(strings.ReplaceAll(path, "X", text)); status >= 500 {
			o.Errorf("%s with %s: %d %.600s", path, text, status, page)
		}
	}
}
