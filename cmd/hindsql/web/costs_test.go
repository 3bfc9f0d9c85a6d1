package web_test

import (
	"strings"
	"testing"
)

// TestEmptyCosts: a query's page leaves out costs that no row has, and says why. A file has
// all columns. The sample is asked without prices here.
func TestEmptyCosts(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	page := o.shows("/query/tokens-by-day", "no estimated_usd: no model here has a price, see hindsql prices", "cached percent")
	if strings.Contains(page, ">unpriced<") || strings.Contains(page, ">estimated usd<") {
		t.Error("the page has columns of costs without costs")
	}
	if _, file := o.get("/query/tokens-by-day.csv"); !strings.Contains(file, "estimated_usd,unpriced") {
		t.Errorf("the file lacks a column: %.300s", file)
	}
}
