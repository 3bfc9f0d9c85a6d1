package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/whole"
	"hindsql/queries"
	"hindsql/queries/report"
)

// TestBuiltInReports compares the built-in reports on a week of the sample with
// testdata/reports, in each format.
func TestBuiltInReports(t *testing.T) {
	t.Parallel()
	elsewhere := regexp.MustCompile(`(?i)<(script|link|img|iframe|object|embed|base)\b|<[^>]*\s(src|action)\s*=|<[^>]*\shref\s*=\s*"[^#]|url\(|@import|https?://`)
	for _, name := range []string{"refusals", "weekly"} {
		for format, extension := range map[string]string{"html": ".html", "markdown": ".md", "json": ".json", "text": ".txt"} {
			t.Run(name+extension, func(t *testing.T) {
				if name == "refusals" && format != "html" || format == "markdown" || format == "json" {
					whole.Test(t, "a report, or a format, like the others")
				}
				e, stdout, stderr := onSample(t, "report", "run", name, "--until", "2026-10-17", "--format", format)
				got := succeed(t, e, stdout, stderr)
				if format == "html" && elsewhere.MatchString(got) {
					t.Errorf("the page asks for something elsewhere: %s", elsewhere.FindString(got))
				}
				if format == "json" && !json.Valid([]byte(got)) {
					t.Error("no valid JSON")
				}
				compareGolden(t, filepath.Join("testdata", "reports", name+extension), got)
			})
		}
	}
}

// TestBuiltInReportsWithoutRows: a report on a period without logs is still a report.
func TestBuiltInReportsWithoutRows(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 2.4 s of processor time")
	t.Parallel()
	saved, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	all, err := report.All("", saved)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		always := slices.DeleteFunc(slices.Clone(r.Sections), func(s report.Section) bool { return s.Optional })
		if len(always) > 8 {
			t.Errorf("%s has %d sections; who reads so many?", r.Name, len(always))
		}
		e, stdout, stderr := onSample(t, "report", "run", r.Name, "--until", "2020-01-01", "--format", "html")
		got := succeed(t, e, stdout, stderr)
		if empty := strings.Count(got, "Nothing in this period."); empty < len(always)-3 {
			t.Errorf("%s: %d of %d sections say that there is nothing", r.Name, empty, len(r.Sections))
		}
		e, stdout, stderr = outside(t, "report", "run", r.Name)
		succeed(t, e, stdout, stderr)
		if !strings.Contains(stderr.String(), "no logs found") {
			t.Errorf("stderr doesn't say that no logs were found: %s", stderr)
		}
	}
}
