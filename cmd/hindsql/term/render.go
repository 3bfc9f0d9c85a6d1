// Package term shows answers on a terminal, in a pipe and in files: the results of
// statements, whole sessions, tables and their columns, saved queries, where logs
// are, and what was loaded.
//
// In: a session of package ask, and an [Output] that says where results go and in
// which format. Out: text there, and notices for people on another writer. Formats
// are a table, a chart, CSV, TSV, JSON, NDJSON, Markdown, lines, HTML and workbooks;
// package engine/export writes Parquet. Every format but table and chart writes each
// row as it comes; a table for a file or a pipe writes some thousands at once. Values
// are never rounded, and times keep their zone. The package knows no flag and no
// command.
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
	"hindsql/internal/result"
	"hindsql/internal/suggest"
)

// Options say what the text is shown on. The zero Options suit a file or pipe.
type Options struct {
	Width  int  // columns of the terminal; 0: cells are not cut
	Height int  // lines of the terminal; 0 where it isn't known
	Paged  bool // what is longer goes through a pager
	// Sideways says that the pager scrolls to what is wider, too.
	Sideways bool
	// Auto writes a few rows in lines where a table would hide most of them.
	Auto    bool
	Answer  *Answer // of tables: how a saved query's result is written; nil: exactly
	MaxRows int     // rows of a table that are shown; 0: all
	Color   bool    // ANSI colours
	// Elapsed gives the time since the statement began, for the table's last
	// line; nil: the line leaves it out.
	Elapsed func() time.Duration
	Chart   *chart.Declaration // what a chart draws; nil: the rule of the package chart
	ASCII   bool               // charts are drawn in letters that every terminal has
	Null    *string            // text of a NULL in tables and lines; nil: NULL
	// NoHeader leaves out the names of the columns in CSV and TSV.
	NoHeader bool
	// Short is how an id of a session is shown in tables; nil: as it is.
	Short func(id string) string
	// How rows and columns that a table leaves out are seen; empty: by flags.
	MoreRows, MoreColumns string
}

// Format is a way to write results.
type Format struct {
	Name       string
	Extensions []string // of files that are written in this format
	// write writes one result; nil where the engine does, which alone has the
	// columns' types.
	write  func(*bufio.Writer, *result.Rows, Options) error
	binary bool // it is no text
	single bool // a file of it holds one result
}

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

// Parquet is the format that the engine writes.
const Parquet = "parquet"

// Formats lists all formats, the default first.
func Formats() []Format { return slices.Clone(formats) }

// ByName finds a format; the error lists the names there are.
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
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// ByPath gives the format that a file's name asks for: the table, where it has no
// extension. The error of an unknown one lists those that there are.
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

// Write writes one result; of rows without columns nothing. The error is that of
// the rows or of w.
func (f Format) Write(w io.Writer, r *result.Rows, o Options) error {
	if len(r.Columns) == 0 {
		return drain(r)
	}
	if f.write == nil {
		return f.notHere()
	}
	to, flush := through(w, manners[f.Name])
	b := bufio.NewWriterSize(to, 1<<16)
	return cmp.Or(f.write(b, r, o), b.Flush(), flush())
}

// notHere is the error of a format that the engine writes.
func (f Format) notHere() error {
	return fmt.Errorf("%s: holds the result of one statement, and nothing else", f.Name)
}

func drain(r *result.Rows) error {
	for r.Next() {
	}
	return r.Err()
}

// shortId is how an id is shown.
func (o Options) shortId(id string) string {
	if o.Short == nil {
		return id
	}
	return o.Short(id)
}

// isID says whether a column holds ids of sessions.
func isID(column string) bool {
	return column == "session" || strings.HasSuffix(column, "_session") || strings.HasSuffix(column, "session_id")
}

// orNull is a value's text, with the user's own text of a NULL.
func (o Options) orNull(v any, t *result.Type) string {
	if v == nil && o.Null != nil {
		return *o.Null
	}
	return t.Text(v)
}
