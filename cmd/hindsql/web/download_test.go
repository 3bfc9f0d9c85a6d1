package web_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestFilesHaveNames checks that downloads have a media type and a file name.
func TestFilesHaveNames(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	for address, want := range map[string][2]string{
		"/query/sessions.csv":     {"text/csv", "sessions.csv"},
		"/query/sessions.parquet": {"application/vnd.apache.parquet", "sessions.parquet"},
		"/table/tool_calls.csv":   {"text/csv", "tool_calls.csv"},
	} {
		answer, err := o.browser.Get("http://" + o.address + address)
		must(t, err)
		must(t, answer.Body.Close())
		kind, name := answer.Header.Get("Content-Type"), answer.Header.Get("Content-Disposition")
		if answer.StatusCode != http.StatusOK || !strings.HasPrefix(kind, want[0]) || name != "attachment; filename="+want[1] {
			t.Errorf("%s: %d, %s, %s; want %v", address, answer.StatusCode, kind, name, want)
		}
	}
}
