package web_test

import (
	"encoding/csv"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"hindsql/internal/whole"
	"hindsql/internal/words"
)

// TestInterruptionsAreCounted compares the number on the page, which reads no texts,
// with the rows of the query.
func TestInterruptionsAreCounted(t *testing.T) {
	whole.Test(t, "asks the sample again and again, a second of processor time")
	o := onSample(t)
	ofAll := regexp.MustCompile(`of ([\d,]+) interruptions`)
	for _, filters := range []string{"type=all", "type=user", "type=all&phase=tool", "type=all&tool=Bash", "type=all&agent=codex", "type=all&project=shop", "type=all&since=2026-10-10", "type=all&text=the"} {
		status, text := o.get("/query/interruptions.csv?top=0&" + filters)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || status != http.StatusOK || len(rows) < 2 {
			t.Errorf("%s: %d, %v, %.200s", filters, status, err, text)
			continue
		}
		m := ofAll.FindStringSubmatch(o.shows("/interruptions?" + filters))
		if want := len(rows) - 1; m == nil || m[1] != words.Int(want) {
			t.Errorf("%s: the page has %v, the query %d rows", filters, m, want)
		}
	}
}
