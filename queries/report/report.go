// Package report makes reports of saved queries and SQL.
//
// In: a TOML file that names queries, the text between them and how each is
// shown, and a function that runs SQL. Out: a [Document], written as HTML, Markdown,
// JSON or text, whose tables and charts a [Screen] draws. The package opens no
// database, writes no file, and its HTML asks the network for nothing.
package report

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/internal/chart"
	"hindsql/queries"
	"hindsql/queries/html"
)

//go:embed *.toml
var builtIn embed.FS

// Report is what a report's file says.
type Report struct {
	Name   string       // the file's name without .toml
	Title  string       // never empty
	Text   string       // paragraphs below the title; may be empty
	Period queries.Span // what the report covers, counted back from its end
	// Schedule says when the report is due: words such as "weekly mon 08:00",
	// or a cron expression; empty when it isn't due by itself. It isn't read here.
	Schedule string
	Keep     int    // dated files that are kept, 0 for all
	Notify   string // a command that gets the report on standard input; empty for none
	Alert    string // SQL; that it gives rows is worth telling. Empty for none
	Redact   bool   // secrets are replaced in what its queries give
	// TimeLimit is how long a statement of it may take; never zero.
	TimeLimit time.Duration
	Sections  []Section
	Source    string // the file's text
	Path      string // the file; empty for a built-in
	// Overrides says that a user's file stands in for a built-in report.
	Overrides bool
}

// TimeLimit is how long a statement of a report may take that says nothing of it.
// A saved query takes a tenth of a second on a gigabyte of logs. Who waits for a
// report, and the timer that comes every five minutes, wait no longer than this.
const TimeLimit = 5 * time.Minute

// Section is a part of a report: one query, and how its result is shown.
type Section struct {
	Title  string
	Text   string
	Show   Show
	Period queries.Span   // in place of the report's; empty for the report's own
	Query  *queries.Query // the saved query, or one made of the section's SQL
	Params map[string]string
	// Chart is what a chart draws: the section's own declaration, else the query's,
	// else one with nothing but a kind, of which a rule says the rest. Nil for
	// what is no chart.
	Chart    *chart.Declaration
	Columns  []string                 // those shown, in this order; none for all
	Better   map[string]html.Tendency // of [Number]: columns of which a change is good or bad
	Empty    string                   // what is said where there are no rows; empty for the usual words
	Cards    map[string]string        // of [Diff]: the columns that hold the parts of a card
	Around   int                      // of [Talk]: messages before and after the one that is named
	Optional bool                     // left out where there are no rows
	// Behind are the rows behind the numbers of a column, by its name: a saved query,
	// or one made of SQL, which has no name.
	Behind map[string]*queries.Query
}

// Show is a way to show a result.
type Show string

// The ways to show a result.
const (
	Table  Show = "table"
	Chart  Show = "chart"   // as the query declares it, or a rule decides
	Bars   Show = "bar"     // of a label and a number
	Line   Show = "line"    // of a time and a number
	Hist   Show = "hist"    // of a number
	Heat   Show = "heatmap" // of a row's label, a column's label and a number
	Number Show = "number"  // each number of one row, with the change against the period before
	Diff   Show = "diff"    // each row as a card: what it wanted, and what was said
	Talk   Show = "session" // the conversation around the message that column session names
)

func shows() []Show { return []Show{Table, Chart, Bars, Line, Hist, Heat, Number, Diff, Talk} }

// isChart says that the package chart says what is drawn.
func (s Show) isChart() bool { return s == Chart || s == Bars || s == Line || s == Hist }

// All lists the built-in reports and those in the folder, by name; a file of
// the folder stands in for the built-in of its name. A folder that isn't there
// holds none. saved are the queries that sections may name. The error tells of
// files that are no reports; the others are listed all the same. A built-in
// whose name such a file has is not listed: it is not what the user asks for.
func All(folder string, saved []*queries.Query) ([]*Report, error) {
	found, _, err := read(builtIn, "", saved)
	for _, r := range found {
		r.Path = ""
	}
	if folder != "" {
		users, names, userErr := read(os.DirFS(folder), folder, saved)
		for _, r := range users {
			r.Overrides = slices.ContainsFunc(found, func(b *Report) bool { return b.Name == r.Name })
		}
		found = slices.DeleteFunc(found, func(b *Report) bool { return slices.Contains(names, b.Name) })
		found, err = append(found, users...), errors.Join(err, userErr)
	}
	slices.SortFunc(found, func(a, b *Report) int { return strings.Compare(a.Name, b.Name) })
	return found, err
}

// read reads the .toml files at the top of fsys, which is the given folder.
// names are those of all of them, reports or not.
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
