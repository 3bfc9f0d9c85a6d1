package report_test

import (
	"regexp"
	"testing"

	"hindsql/queries"
	"hindsql/queries/report"
)

// FuzzParse: a report's file is a valid report, or the error names a line.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"title = \"Mine\"\nperiod = \"4w\"\nschedule = \"weekly mon 08:00\"\nkeep = 3\nalert = \"SELECT 1\"\n[[section]]\ntitle = \"One\"\nquery = \"q\"\nparams = { top = 7 }",
		"title = 'x'\n[[section]]\nsql = '''\nSELECT $since'''\nshow = 'bars'\nperiod = '1d'",
		"[[section]]\nquery = 'none'\nparams = { a = [1, {b = 2}], c = 1979-05-27 }",
		"title = \"\\u0000\"\nkeep = -1\n[section]", "a.b.c = 1\na = 2", "[[section]]\n[[section]]\n[[section.x]]",
		"title = 9223372036854775808", "\xEF\xBB\xBFtitle = 'x'", "title = '", "= 1",
	} {
		f.Add(text)
	}
	q, err := queries.Parse("q", "-- q: title\n--\n-- Help.\n--\n-- param since TIMESTAMPTZ = NULL   from\n-- param top INTEGER = 5   rows\nSELECT $since, $top")
	if err != nil {
		f.Fatal(err)
	}
	saved := []*queries.Query{q}
	line := regexp.MustCompile(`^[1-9][0-9]*: `)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := report.Parse("mine", text, saved)
		switch {
		case err != nil && !line.MatchString(err.Error()):
			t.Errorf("the error names no line: %v", err)
		case err == nil && (r.Title == "" || r.Source != text || len(r.Sections) == 0):
			t.Errorf("%q is taken for a report: %+v", text, r)
		}
	})
}
