package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/lists"
)

// The names of the export formats.
const (
	Parquet = "parquet"
	CSV     = "csv"
	NDJSON  = "ndjson"
	JSON    = "json"
	Unified = "sessions" // the unified session objects
	Raw     = "raw"      // the lines of sessions' logs
)

// format describes a format. Either copy is set, for rows of tables and queries, or
// item, for whole sessions.
type format struct {
	name     string
	doc      string                                           // for help, in lines of 68 characters
	copy     func(metadata string) string                     // options of DuckDB's COPY
	typed    bool                                             // columns keep DuckDB's types; standard output refuses such a file
	single   bool                                             // DuckDB writes one file, without partitions
	item     func(context.Context, *exporting) (*item, error) // makes the item exported instead of tables
	redacted bool                                             // secrets are replaced by default
}

// formats returns all formats, in the order of the help. Formats of whole sessions come
// last.
func formats() []format {
	return []format{
		{name: Parquet, doc: "a file a table, with the columns' comments", typed: true, copy: parquetOptions},
		{name: CSV, doc: "text, with a line of names", copy: textOptions("FORMAT csv, HEADER true")},
		{name: NDJSON, single: true, doc: "a JSON object a row, each in a line", copy: textOptions("FORMAT json")},
		{name: JSON, single: true, doc: "one array of JSON objects", copy: textOptions("FORMAT json, ARRAY true")},
		{name: Unified, item: unifiedItem, doc: "a JSON object a session, each in a line, with its messages, tool\n" +
			"calls, compactions, clears, interruptions and rejections"},
		{name: Raw, item: rawItem, redacted: true, doc: "the lines of the logs themselves, whose secrets are replaced\nunless --redact=false"},
	}
}

// formatOf returns the format with a name, and whether it exists.
func formatOf(name string) (format, bool) {
	all := formats()
	i := slices.IndexFunc(all, func(f format) bool { return f.name == name })
	if i < 0 {
		return format{}, false
	}
	return all[i], true
}

// Formats lists the names of the formats.
func Formats() []string { return namesOf(formats()) }

// OfSessions lists the names of the formats of whole sessions.
func OfSessions() []string {
	return namesOf(lists.Filter(formats(), func(f format) bool { return f.item != nil }))
}

// Redacted reports whether a format replaces secrets by default.
func Redacted(name string) bool {
	f, _ := formatOf(name)
	return f.redacted
}

func namesOf(list []format) []string {
	return lists.Map(list, func(f format) string { return f.name })
}

// Help describes the formats of tables, or of whole sessions, in lines that begin with
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

// textOptions returns DuckDB's options for a format without metadata.
func textOptions(options string) func(string) string { return func(string) string { return options } }
