// Package queries holds the built-in saved queries and reads the file of any saved query.
//
// A query is a .sql file, which a plain DuckDB shell can also read. The comment at the
// top holds the help and declares the parameters:
//
//	-- rejections-by-tool: which tools are refused most
//	--
//	-- Refusals per tool and agent, and their share of that tool's calls.
//	--
//	-- format table
//	-- row tool
//	-- card tool | refused
//	-- hidden newest
//	-- chart bar label=tool value=refused:count
//	-- takes since until agent project
//	-- param by VARCHAR = 'day' {day,week,month}   what a row stands for
//	-- example hindsql run rejections-by-tool since=30d
//	SELECT … WHERE $agent IS NULL OR agent = $agent
//
// "takes" declares parameters that most queries share: any of since, until, agent and
// project.
//
// The words in braces are a parameter's possible values. Without braces a parameter
// takes all values of its type. The values of a parameter called agent are the agents.
//
// "row" names what a row stands for, for counts such as "15 of 63 projects". "row
// project, with a total" excludes a total row from the count. A parameter called top
// is the maximum number of rows; 0 or empty means all.
//
// "card" lists the columns of a row's block, in order; each | begins a new line. A
// narrow table keeps these columns longest. "hidden" lists columns that pages, reports
// and files show, but tables on a screen omit.
//
// The package reads files. It runs no SQL and knows no database.
package queries

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"hindsql/internal/chart"
	"hindsql/internal/regular"
	"hindsql/internal/sqltext"
)

//go:embed *.sql
var builtIn embed.FS

// Query is a saved query.
type Query struct {
	Name   string             // the file's name without .sql
	Title  string             // question, 60 letters at most; the name's words for a file without a title
	Prose  string             // paragraphs, with an empty line between them; empty: none
	Format string             // best output format; empty: the default
	Chart  *chart.Declaration // chart of the result; nil: a rule decides
	Row    string             // what a row stands for, in the singular, such as project; empty: row
	Total  bool               // one row is the total of all rows
	Card   [][]string         // the columns of the "-- card" line, by line of the block; nil: all
	Hidden []string           // columns omitted from tables on a screen
	Params []Param
	// Example is a command line that runs the query with example values; empty: none.
	Example string
	SQL     string // the whole file, its header included
	Path    string // path of the file; empty for a built-in query
	// Overrides reports whether a user's file replaces a built-in query.
	Overrides bool

	cardLine, hiddenLine int // lines in the file
}

// Param is a parameter of a query, written $name in its SQL.
type Param struct {
	Name    string
	Type    string   // DuckDB's name of the type
	Default string   // SQL expression; empty: a value must be given
	Doc     string   // empty for a file without a title
	Values  []string // possible values; empty: all of the type
	line    int
}

// All lists the built-in queries and the folder's queries, sorted by name. A file in
// the folder replaces the built-in query of the same name. The folder may be missing.
// agents are the values of parameters called agent; without agents any text is a
// value. The error joins a [*Broken] for each file that isn't a query; the other queries
// are still listed.
func All(folder string, agents ...string) ([]*Query, error) {
	all, err := allOf(folder)
	for _, q := range all {
		q.limitAgents(agents)
	}
	return all, err
}

// Named returns the query with the given name, in any case, from a list; nil if absent.
func Named(list []*Query, name string) *Query {
	if i := slices.IndexFunc(list, func(q *Query) bool { return strings.EqualFold(q.Name, name) }); i >= 0 {
		return list[i]
	}
	return nil
}

// Find returns the query with the given name, as [All] would list it; nil if absent. The
// error is the [*Broken] of that name. Find reads one file, All reads every file.
func Find(folder, name string, agents ...string) (*Query, error) {
	if !IsName(name) {
		return nil, nil
	}
	var q *Query
	if text, err := builtIn.ReadFile(name + ".sql"); err == nil {
		q, _ = Parse(name, string(text)) // no error: a test parses all built-in queries
	}
	if folder != "" {
		file := filepath.Join(folder, name+".sql")
		text, err := regular.Read(file, regular.Own)
		var own *Query
		if err == nil {
			own, err = Parse(name, string(text))
		}
		switch {
		case err == nil:
			own.Path, own.Overrides = file, q != nil
			q = own
		case !errors.Is(err, fs.ErrNotExist):
			return nil, &Broken{name, file, err}
		}
	}
	if q != nil {
		q.limitAgents(agents)
	}
	return q, nil
}

// limitAgents limits a parameter called agent to the known agents.
func (q *Query) limitAgents(agents []string) {
	if p := q.Param("agent"); p != nil && p.Values == nil && p.Type == "VARCHAR" {
		p.Values = agents
	}
}

func allOf(folder string) ([]*Query, error) {
	found, err := read(builtIn, "")
	for _, q := range found {
		q.Path = ""
	}
	if folder == "" {
		return byName(found), err
	}
	users, userErr := read(regular.Dir(folder), folder)
	for _, q := range users {
		_, q.Overrides = found[q.Name]
		found[q.Name] = q
	}
	return byName(found), errors.Join(err, userErr)
}

// read reads the .sql files at the top of fsys, the given folder.
func read(fsys fs.FS, folder string) (map[string]*Query, error) {
	names, err := fs.Glob(fsys, "*.sql")
	if err != nil {
		return nil, err
	}
	found := map[string]*Query{}
	var errs []error
	for _, file := range names {
		text, err := fs.ReadFile(fsys, file)
		path, name := filepath.Join(folder, file), strings.TrimSuffix(file, ".sql")
		var q *Query
		if err == nil {
			q, err = Parse(name, string(text))
		}
		if err == nil && !IsName(name) {
			err = fmt.Errorf("1: %q: a name is made of small letters and digits, with hyphens between; rename the file", name)
		}
		if err != nil {
			errs = append(errs, &Broken{name, path, err})
			continue
		}
		q.Path = path
		if q.Chart != nil && folder != "" {
			q.Chart.Place = filepath.Join(folder, q.Chart.Place)
		}
		found[q.Name] = q
	}
	return found, errors.Join(errs...)
}

// Broken is the error of a user's file that isn't a query.
type Broken struct {
	Name string // the file's name without .sql
	Path string
	Err  error // of [Parse], with a line number; or of reading the file
}

// Error begins with the file's path and line.
func (b *Broken) Error() string {
	if errors.As(b.Err, new(*fs.PathError)) {
		return b.Err.Error()
	}
	return b.Path + ":" + b.Err.Error()
}

// Unwrap returns the error of the file.
func (b *Broken) Unwrap() error { return b.Err }

// BrokenFile returns the [*Broken] of a name, in any case, from the error of [All]; nil
// if that file is fine or absent.
func BrokenFile(err error, name string) error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		for _, err := range joined.Unwrap() {
			if found := BrokenFile(err, name); found != nil {
				return found
			}
		}
		return nil
	}
	if broken, ok := errors.AsType[*Broken](err); ok && strings.EqualFold(broken.Name, name) {
		return broken
	}
	return nil
}

func byName(found map[string]*Query) []*Query {
	list := make([]*Query, 0, len(found))
	for _, q := range found {
		list = append(list, q)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Param returns the parameter with the given name; nil if absent.
func (q *Query) Param(name string) *Param {
	for i := range q.Params {
		if q.Params[i].Name == name {
			return &q.Params[i]
		}
	}
	return nil
}

// ExampleArgs returns the param=value words of the example.
func (q *Query) ExampleArgs() []string {
	if q.Example == "" {
		return nil
	}
	return strings.Fields(q.Example)[3:]
}

// Typed returns the SQL with each parameter cast to the declared type, to bind every
// value as text. Lines keep their numbers.
func (q *Query) Typed() string {
	var b strings.Builder
	for token := range sqltext.Tokens(q.SQL) {
		if token.Kind != sqltext.Parameter {
			b.WriteString(token.Text)
			continue
		}
		fmt.Fprintf(&b, "CAST(%s AS %s)", token.Text, q.Param(token.Parameter()).Type)
	}
	return b.String()
}

// Seen returns [Query.Typed] without the hidden columns, to save DuckDB the work. The
// outer SELECT replaces the title's line, so lines keep their numbers.
func (q *Query) Seen() string {
	if len(q.Hidden) == 0 {
		return q.Typed()
	}
	_, rest, _ := strings.Cut(q.Typed(), "\n")
	return `SELECT * EXCLUDE ("` + strings.Join(q.Hidden, `", "`) + "\") FROM (\n" + strings.TrimRight(rest, "; \t\r\n") + "\n)"
}

// Wrapped maps each cast inserted by [Query.Typed] to the parameter in the file, for
// errors.
func (q *Query) Wrapped() map[string]string {
	texts := map[string]string{}
	for _, p := range q.Params {
		texts[fmt.Sprintf("CAST($%s AS %s)", p.Name, p.Type)] = "$" + p.Name
	}
	return texts
}
