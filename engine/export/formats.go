package export

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// The formats of an export, by their names.
const (
	Parquet = "parquet"
	CSV     = "csv"
	NDJSON  = "ndjson"
	JSON    = "json"
	Unified = "sessions" // the unified session objects
	ATIF    = "atif"     // Harbor's trajectories
	Raw     = "raw"      // the lines of sessions' logs
)

// format is what makes a format. It has one of copy, for rows of tables and of
// queries, and item, for whole sessions.
type format struct {
	name     string
	doc      string                                           // for help, in lines of 68 characters
	copy     func(metadata string) string                     // options of DuckDB's COPY
	typed    bool                                             // columns keep DuckDB's types; standard output takes no such file
	item     func(context.Context, *exporting) (*item, error) // what is exported in place of tables
	wanted   string                                           // SQL behind FROM (…): which sessions can be written; empty for all
	redacted bool                                             // secrets are replaced unless somebody says otherwise
}

// formats are all formats, in the order of the help. Those of whole sessions come last.
func formats() []format {
	return []format{
		{name: Parquet, doc: "a file a table, with the columns' comments", typed: true, copy: parquetOptions},
		{name: CSV, doc: "text, with a line of names", copy: textOptions("FORMAT csv, HEADER true")},
		{name: NDJSON, doc: "a JSON object a row, each in a line", copy: textOptions("FORMAT json")},
		{name: JSON, doc: "one array of JSON objects", copy: textOptions("FORMAT json, ARRAY true")},
		{name: Unified, item: unifiedItem, doc: "a JSON object a session, each in a line, with its messages, tool\n" +
			"calls, compactions, clears, interruptions and rejections"},
		{name: ATIF, item: atifItem, wanted: withSteps, doc: "a trajectory of Harbor's ATIF v1.7 for each session, in a file\nof its own, or with - in a line"},
		{name: Raw, item: rawItem, redacted: true, doc: "the lines of the logs themselves, whose secrets are replaced\nunless --redact=false"},
	}
}

// formatOf is the format of a name, which may be none.
func formatOf(name string) (format, bool) {
	all := formats()
	i := slices.IndexFunc(all, func(f format) bool { return f.name == name })
	if i < 0 {
		return format{}, false
	}
	return all[i], true
}

// Formats lists the names of the formats.
func Formats() []string { return namesOf(func(format) bool { return true }) }

// OfSessions lists those of whole sessions, which have no tables.
func OfSessions() []string { return namesOf(func(f format) bool { return f.item != nil }) }

// Redacted says whether secrets are replaced in a format unless somebody says
// otherwise.
func Redacted(name string) bool {
	f, _ := formatOf(name)
	return f.redacted
}

func namesOf(wanted func(format) bool) (names []string) {
	for _, f := range formats() {
		if wanted(f) {
			names = append(names, f.name)
		}
	}
	return names
}

// Help describes the formats, or those of whole sessions, in lines that begin with
// two spaces.
func Help(ofSessions bool) string {
	var text strings.Builder
	for _, f := range formats() {
		if (f.item != nil) == ofSessions {
			fmt.Fprintf(&text, "  %-9s %s\n", f.name, strings.ReplaceAll(f.doc, "\n", "\n"+strings.Repeat(" ", 12)))
		}
	}
	return text.String()
}

// textOptions are DuckDB's options for a file that has no metadata.
func textOptions(options string) func(string) string {
	return func(string) string { return options }
}
