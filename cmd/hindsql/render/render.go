// Package render writes query results: as a table for people, and as CSV, TSV,
// JSON, NDJSON, Markdown or lines.
//
// In: the rows of a statement. Out: text. Every format but table and chart
// writes each row as it comes, and a table for a file or a pipe some thousands
// at once. Values are never rounded, and times keep their zone.
package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/chart"
	"hindsql/engine/result"
)

// Options say what the text is shown on. The zero Options suit a file or pipe.
type Options struct {
	Width   int  // columns of the terminal; 0: cells are not cut
	MaxRows int  // rows of a table that are shown; 0: all
	Color   bool // ANSI colours
	// Elapsed gives the time since the statement began, for the table's last
	// line; nil: the line leaves it out.
	Elapsed func() time.Duration
	Chart   *chart.Declaration // what a chart draws; nil: the rule of the package chart
	ASCII   bool               // charts are drawn in letters that every terminal has
	Null    *string            // text of a NULL in tables and lines; nil: NULL
	// NoHeader leaves out the names of the columns in CSV and TSV.
	NoHeader bool
	// How rows and columns that a table leaves out are seen; empty: by flags.
	MoreRows, MoreColumns string
}

// Format is a way to write results.
type Format struct {
	Name       string
	Extensions []string // of files that are written in this format
	write      func(*bufio.Writer, *result.Rows, Options) error
}

var formats = []Format{
	{"table", nil, writeTable},
	{"csv", []string{".csv"}, writeCSV},
	{"tsv", []string{".tsv"}, writeTSV},
	{"json", []string{".json"}, writeJSON},
	{"ndjson", []string{".ndjson", ".jsonl"}, writeNDJSON},
	{"markdown", []string{".md"}, writeMarkdown},
	{"line", nil, writeLines},
	{"chart", nil, writeChart},
}

// Formats lists all formats, the default first.
func Formats() []Format { return slices.Clone(formats) }

// ByName finds a format; the error lists the names there are.
func ByName(name string) (Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("unknown format %q; one of %s", name, strings.Join(Names(), ", "))
}

// Names lists the formats' names.
func Names() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// ByPath gives the format that a file's name asks for, the table by default.
func ByPath(path string) Format {
	for _, f := range formats {
		if slices.Contains(f.Extensions, strings.ToLower(filepath.Ext(path))) {
			return f
		}
	}
	return formats[0]
}

// Write writes one result; of rows without columns nothing. The error is that of
// the rows or of w.
func (f Format) Write(w io.Writer, r *result.Rows, o Options) error {
	if len(r.Columns) == 0 {
		return drain(r)
	}
	to, flush := through(w, manners[f.Name])
	b := bufio.NewWriterSize(to, 1<<16)
	return cmp.Or(f.write(b, r, o), b.Flush(), flush())
}

func drain(r *result.Rows) error {
	for r.Next() {
	}
	return r.Err()
}

// orNull is a value's text, with the user's own text of a NULL.
func (o Options) orNull(v any, t *result.Type) string {
	if v == nil && o.Null != nil {
		return *o.Null
	}
	return t.Text(v)
}
