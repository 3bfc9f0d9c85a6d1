// Package report makes reports from saved queries and SQL.
//
// In: a TOML file with queries, texts and ways to show results, and a function that
// runs SQL. Out: a [Document], written as HTML, Markdown, JSON or text. A [Screen]
// draws the tables and charts of text. The package opens no database and writes no
// file, and the HTML loads nothing from the network.
package report

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/internal/chart"
	"hindsql/internal/regular"
	"hindsql/internal/result"
	"hindsql/queries"
	"hindsql/queries/html"
)

//go:embed *.toml
var builtIn embed.FS

// Report is the content of a report's file.
type Report struct {
	Name   string       // file name without .toml
	Title  string       // never empty
	Text   string       // paragraphs below the title; may be empty
	Period queries.Span // time covered, counted back from the end
	// Schedule is the time when the report is due: words such as "weekly mon 08:00", or
	// a cron expression. Empty means no schedule. This package doesn't parse it.
	Schedule string
	Keep     int    // dated files to keep, 0 for all
	Notify   string // command that gets the report on standard input; empty if none
	Alert    string // SQL; if the result has rows, the report alerts. Empty if none
	Redact   bool   // secrets in results are redacted
	// TimeLimit is the limit for each statement of the report; never zero.
	TimeLimit time.Duration
	Sections  []Section
	Source    string // text of the file
	Path      string // path of the file; empty for a built-in report
	// Overrides reports whether a user's file replaces a built-in report.
	Overrides bool
}

// TimeLimit is the default limit for a statement of a report. A saved query takes a
// tenth of a second on a gigabyte of logs. Users waiting for a report, and the timer
// that runs every five minutes, wait no longer than this limit.
const TimeLimit = 5 * time.Minute

// Section is a part of a report: one query, and the way to show the result.
type Section struct {
	Title  string
	Text   string
	Show   Show
	Period queries.Span   // replaces the report's period; empty for the report's own
	Query  *queries.Query // saved query, or a query made from the section's SQL; nil leaves the section out
	Params map[string]string
	// Chart is the section's own declaration, otherwise the query's, otherwise only a
	// kind: then a rule decides the rest. Nil if the section is no chart.
	Chart    *chart.Declaration
	Columns  []string                 // columns shown, in order; empty for all
	Better   map[string]html.Tendency // for [Number]: better direction by column
	Empty    string                   // text if the result has no rows; empty for the usual text
	Cards    map[string]string        // for [Diff]: column by part of a card
	Around   int                      // for [Talk]: number of messages before and after the named message
	Optional bool                     // omitted if the result has no rows
	// Behind holds queries for the rows behind the numbers of a column, by column: a
	// saved query, or a nameless query made from SQL.
	Behind map[string]*queries.Query
}

// Show is a way to show a result.
type Show string

// The ways to show a result.
const (
	Table  Show = "table"
	Chart  Show = "chart"   // declared by the query, or decided by a rule
	Bars   Show = "bar"     // a label and a number
	Line   Show = "line"    // a time and a number
	Heat   Show = "heatmap" // a grid: a row's label, a column's label and a number
	Number Show = "number"  // each number of one row, with the change since the period before
	Diff   Show = "diff"    // each row as a card: a diff or command, and a text
	Talk   Show = "session" // the conversation around the message in column session
)

func shows() []Show { return []Show{Table, Chart, Bars, Line, Heat, Number, Diff, Talk} }

// isChart reports whether the package chart draws the result.
func (s Show) isChart() bool { return s == Chart || s == Bars || s == Line }

// All lists the built-in reports and the folder's reports, sorted by name. A file in
// the folder replaces the built-in report of the same name. The folder may be missing.
// saved lists the queries that sections may name. The error names files that aren't
// reports; the other reports are still listed. An invalid file also hides the built-in
// report of the same name, because the user asked for another.
func All(folder string, saved []*queries.Query) ([]*Report, error) {
	found, _, err := read(builtIn, "", saved)
	for _, r := range found {
		r.Path = ""
	}
	if folder != "" {
		users, names, userErr := read(regular.Dir(folder), folder, saved)
		for _, r := range users {
			r.Overrides = slices.ContainsFunc(found, func(b *Report) bool { return b.Name == r.Name })
		}
		found = slices.DeleteFunc(found, func(b *Report) bool { return slices.Contains(names, b.Name) })
		found, err = append(found, users...), errors.Join(err, userErr)
	}
	slices.SortFunc(found, func(a, b *Report) int { return strings.Compare(a.Name, b.Name) })
	return found, err
}

// read reads the .toml files at the top of fsys, the given folder. names lists the
// names of all files, valid or not.
func read(fsys fs.FS, folder string, saved []*queries.Query) (found []*Report, names []string, err error) {
	files, err := fs.Glob(fsys, "*.toml")
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	for _, file := range files {
		name := strings.TrimSuffix(file, ".toml")
		names = append(names, name)
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		path := filepath.Join(folder, file)
		r, err := Parse(name, string(text), saved)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%w", path, err))
			continue
		}
		r.Path = path
		found = append(found, r)
	}
	return found, names, errors.Join(errs...)
}

// check returns an error if the result doesn't fit the way to show it.
func (p *Part) check() error {
	for name := range p.Better {
		if !slices.ContainsFunc(p.Columns, func(c result.Column) bool { return c.Name == name }) {
			return fmt.Errorf("better: no column %q in the result", name)
		}
	}
	for part, name := range p.Cards {
		if !slices.ContainsFunc(p.Columns, func(c result.Column) bool { return strings.EqualFold(c.Name, name) }) {
			return fmt.Errorf("cards: %s: no column %q in the result", part, name)
		}
	}
	switch {
	case p.Show == Number && !slices.ContainsFunc(p.Columns, result.Column.IsNumber):
		return fmt.Errorf("show = number needs a column of numbers")
	case p.Show == Number && (len(p.Rows) > 1 || len(p.Before.Rows) > 1):
		return fmt.Errorf("show = number needs one row, not %d", max(len(p.Rows), len(p.Before.Rows)))
	case p.Show == Heat && (len(p.Columns) != 3 || !p.Columns[2].IsNumber()):
		return fmt.Errorf("show = heatmap needs three columns: the row's label, the column's and a number")
	}
	return nil
}

// visible returns the result without the columns that the query's "-- hidden" line names.
// A hidden column stays if a card shows it. Rows of a grid become a table.
func (p *Part) visible() *result.Set {
	if p.Show == Heat {
		return html.Grid(&p.Set)
	}
	return columnsOf(&p.Set, func(i int) bool { return !p.isHidden(p.Columns[i].Name) })
}

// hasRanges reports whether the chart counts the rows in ranges.
func (p *Part) hasRanges() bool { return p.Chart != nil && len(p.Chart.Ranges) > 0 }

// isHidden reports whether a column is hidden and not part of a card.
func (p *Part) isHidden(name string) bool {
	is := func(other string) bool { return strings.EqualFold(other, name) }
	return slices.ContainsFunc(p.Hidden, is) && !slices.ContainsFunc(slices.Collect(maps.Values(p.Cards)), is)
}

// withoutEmptyColumns returns a result without empty columns, such as a cost recorded
// by no agent. A result without rows keeps all columns.
func withoutEmptyColumns(r *result.Set) *result.Set {
	return columnsOf(r, func(i int) bool {
		return slices.ContainsFunc(r.Rows, func(row []any) bool { return row[i] != nil })
	})
}

// columnsOf returns a result with the kept columns, or with all columns if none is
// kept.
func columnsOf(r *result.Set, kept func(i int) bool) *result.Set {
	var some []int
	for i := range r.Columns {
		if kept(i) {
			some = append(some, i)
		}
	}
	if len(some) == len(r.Columns) || len(some) == 0 {
		return r
	}
	set := r.Pick(some)
	return &set
}
