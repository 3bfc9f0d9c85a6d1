package web_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestUncleanNames: an address with bytes that are no text leads nowhere, and a
// value with some is as any other.
func TestUncleanNames(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	for _, unclean := range []string{"%ff", "%fe", "a%00b", "%c3", "%ed%a0%80"} {
		for _, path := range []string{
			"/session/X/X", "/session/claude/X", "/report/X", "/refusal/claude/X/X", "/refusal/X/x/y", "/query/X", "/table/X", "/id/X",
			"/text/claude/x/y/X", "/text/X/x/y/input", "/static/X/X", "/report/weekly/rows/X/x", "/report/weekly/rows/1/X", "/X", "/X/y",
		} {
			o.fails(strings.ReplaceAll(path, "X", unclean), http.StatusNotFound)
		}
		for _, path := range []string{
			"/search?q=X", "/search?q=a&agent=X&project=X&since=X", "/search?q=X&regex=1", "/sessions?project=X", "/refusals?agent=X&tool=X", "/refusals?since=X",
			"/query/rejections?project=X", "/query/rejections?X=1", "/query/rejections?since=X", "/sql?sql=SELECT+1&page=X", "/sql?sql=X", "/sql?sql=SELECT+'X'", "/?during=X",
			"/complete?sql=X&at=1", "/interruptions?agent=X", "/table/messages?page=X", "/query/rejections.csv?project=X", "/report/weekly?since=X", "/sessions?X=X", "/search?%zz=1&q=X",
		} {
			status, text := o.get(strings.ReplaceAll(path, "X", unclean))
			if status >= 500 {
				t.Errorf("%s with %s: %d %.600s", path, unclean, status, text)
			}
		}
	}
}
