// Package term shows answers on a terminal, in a pipe and in files: results of
// statements, whole sessions, tables and their columns, saved queries, folders of logs,
// and totals of loaded rows.
//
// The input is a session of package ask, and an [Output] with the target and format of
// results. The output is text in the target, and notices for people on another writer.
// Formats are a table, a chart, CSV, TSV, JSON, NDJSON, Markdown, lines, HTML and
// workbooks; package engine/export writes Parquet. Every format except table and chart
// writes each row as it comes; a table for a file or a pipe writes some thousands at
// once. Values are never rounded, and times keep their zone. The package knows no flags
// and no commands.
package term

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/internal/chart"
	"hindsql/internal/lists"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
)

// Options describe the target of the text. The zero Options suit a file or pipe.
type Options struct {
	Width  int  // columns of the terminal; 0: cells are not cut
	Height int  // lines of the terminal; 0 if unknown
	Paged  bool // text longer than the screen goes through a pager
	// Sideways is set if the pager also scrolls to the right.
	Sideways bool
	// Auto writes a few rows in the line format, with each value on its own line, if a
	// table would hide most of their text.
	Auto   bool
	Answer *Answer // of tables: style of a saved query's result; nil: exact values
	// Now decides whether a short time needs its year. If zero, the newest time of the
	// column is taken for now.
	Now     time.Time
	MaxRows int  // maximum rows shown in a table; 0: all
	Color   bool // ANSI colours
	// Elapsed returns the time since the statement began, for the table's last line;
	// nil: no time.
	Elapsed func() time.Duration
	Chart   *chart.Declaration // what a chart draws; nil: by package chart's rule
	ASCII   bool               // charts use ASCII only
	Null    *string            // text of a NULL in tables and lines; nil: NULL, nothing in a saved query's answer
	// NoHeader leaves out the names of the columns in CSV and TSV.
	NoHeader bool
	// Short formats a session id in tables; nil: unchanged.
	Short func(id string) string
	// Texts that say how to see the rows and columns left out; empty: the usual flags.
	MoreRows, MoreColumns string
}

// Format is a format of results.
type Format struct {
	Name       string
	Extensions []string // of files in this format
	// write writes one result; nil if the engine writes the format, because only the
	// engine has the columns' types.
	write  func(*bufio.Writer, *result.Rows, Options) error
	binary bool // not text
	single bool // a file can hold only one result
}

// formats lists all formats, the default first.
var formats = []Format{
	{Name: "table", Extensions: []string{".txt"}, write: writeTable},
	{Name: "csv", Extensions: []string{".csv"}, write: writeCSV},
	{Name: "tsv", Extensions: []string{".tsv"}, write: writeTSV},
	{Name: "json", Extensions: []string{".json"}, write: writeJSON},
	{Name: "ndjson", Extensions: []string{".ndjson", ".jsonl"}, write: writeNDJSON},
	{Name: "markdown", Extensions: []string{".md"}, write: writeMarkdown},
	{Name: "line", write: writeLines},
	{Name: "chart", write: writeChart},
	{Name: "html", Extensions: []string{".html", ".htm"}, write: writeHTML, single: true},
	{Name: "xlsx", Extensions: []string{".xlsx"}, write: writeXLSX, binary: true, single: true},
	{Name: "parquet", Extensions: []string{".parquet"}, binary: true, single: true},
}

// Parquet is the format that the engine writes, not this package.
const Parquet = "parquet"

// ByName finds a format. Its error lists the known names.
func ByName(name string) (Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("unknown format %q%s", name, suggest.Ask(name, Names(), "one of "+strings.Join(Names(), ", ")))
}

// Names lists the formats' names.
func Names() []string {
	return lists.Map(formats, func(f Format) string { return f.Name })
}

// ByPath returns the format for a file's extension; the table if the name has no
// extension. The error for an unknown extension lists the known extensions.
func ByPath(path string) (Format, error) {
	extension := strings.ToLower(filepath.Ext(path))
	if extension == "" {
		return formats[0], nil
	}
	var known []string
	for _, f := range formats {
		if slices.Contains(f.Extensions, extension) {
			return f, nil
		}
		known = append(known, f.Extensions...)
	}
	next := "one of " + strings.Join(known, ", ") + ", or say --format"
	return Format{}, fmt.Errorf("%s: no format is called %s%s", path, extension, suggest.Ask(extension, known, next))
}

// Write writes a result. It writes nothing for a result without columns, but still
// reads the rows. The error is that of the rows or of w.
func (f Format) Write(w io.Writer, r *result.Rows, o Options) error {
	if len(r.Columns) == 0 {
		for r.Next() {
		}
		return r.Err()
	}
	if f.write == nil {
		return f.errEngineOnly()
	}
	to, flush := escaped(w, escapeModes[f.Name])
	b := bufio.NewWriterSize(to, 1<<16)
	return cmp.Or(f.write(b, r, o), b.Flush(), flush())
}

// Unfit is the error for a format that doesn't suit the result or its target. The user
// chose the format.
type Unfit string

// Error returns the text of the error.
func (u Unfit) Error() string { return string(u) }

// errEngineOnly returns the error for a format that only the engine writes.
func (f Format) errEngineOnly() error {
	return Unfit(f.Name + ": holds the result of one statement, and nothing else")
}

// shortId returns the displayed form of a session id.
func (o Options) shortId(id string) string {
	if o.Short == nil {
		return id
	}
	return o.Short(id)
}

// isID reports whether a column holds session ids.
func isID(column string) bool {
	return column == "session" || strings.HasSuffix(column, "_session") || strings.HasSuffix(column, "session_id")
}

// orNull returns a value's text. For NULL it returns the text that the user set, else
// nothing in a saved query's answer, and NULL in other results.
func (o Options) orNull(v any, t *result.Type) string {
	switch {
	case v != nil:
		return t.Text(v)
	case o.Null != nil:
		return *o.Null
	case o.Answer != nil:
		return ""
	}
	return t.Text(nil)
}
