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
// The package reads files. It runs SQL by a caller's function [Run], and knows no
// database.
package queries

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/internal/chart"
	"hindsql/internal/lists"
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
	all, err := readAll(folder)
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

// Names returns the names of queries.
func Names(list []*Query) []string {
	return lists.Map(list, func(q *Query) string { return q.Name })
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

func readAll(folder string) ([]*Query, error) {
	found, err := readFolder(builtIn, "")
	for _, q := range found {
		q.Path = ""
	}
	if folder == "" {
		return sortByName(found), err
	}
	users, userErr := readFolder(regular.Dir(folder), folder)
	for _, q := range users {
		_, q.Overrides = found[q.Name]
		found[q.Name] = q
	}
	return sortByName(found), errors.Join(err, userErr)
}

// readFolder reads the .sql files at the top of fsys, the given folder.
func readFolder(fsys fs.FS, folder string) (map[string]*Query, error) {
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

func sortByName(found map[string]*Query) []*Query {
	return slices.SortedFunc(maps.Values(found), func(a, b *Query) int { return strings.Compare(a.Name, b.Name) })
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

// TypedSQL returns the SQL with each parameter cast to the declared type, to bind every
// value as text. Lines keep their numbers.
func (q *Query) TypedSQL() string {
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

// VisibleSQL returns [Query.TypedSQL] without the hidden columns, to save DuckDB the
// work. The outer SELECT replaces the title's line, so lines keep their numbers.
func (q *Query) VisibleSQL() string {
	if len(q.Hidden) == 0 {
		return q.TypedSQL()
	}
	_, rest, _ := strings.Cut(q.TypedSQL(), "\n")
	return `SELECT * EXCLUDE ("` + strings.Join(q.Hidden, `", "`) + `") FROM ` + sqltext.Subquery(rest)
}

// CastTexts maps each cast inserted by [Query.TypedSQL] to the parameter in the file, for
// errors.
func (q *Query) CastTexts() map[string]string {
	texts := map[string]string{}
	for _, p := range q.Params {
		texts[fmt.Sprintf("CAST($%s AS %s)", p.Name, p.Type)] = "$" + p.Name
	}
	return texts
}

// Group is a list of saved queries about one subject.
type Group struct {
	Title   string
	Queries []*Query
}

// ownTitle is the title of the group of the user's queries.
const ownTitle = "Your own"

// subjects maps words in the names of queries to subjects. A query has the first
// subject that matches.
var subjects = []struct{ title, words string }{
	{"Refusals and permissions", "refus reject denial decision rule approval"},
	{"Tokens and cost", "token model price"},
	{"Compactions and clears", "compact clear"},
	{"Interruptions, questions and waiting", "interrupt question waiting"},
	{"Tools, commands and files", "command tool edit file"},
	{"Sessions and projects", ""},
}

// Subject returns the title of the query's group.
func (q *Query) Subject() string {
	if q.Path != "" {
		return ownTitle
	}
	at := slices.IndexFunc(subjects, func(s struct{ title, words string }) bool {
		return s.words == "" || slices.ContainsFunc(strings.Fields(s.words), func(w string) bool { return strings.Contains(q.Name, w) })
	})
	return subjects[at].title
}

// Groups groups saved queries by subject, the user's own first. Empty groups are left
// out.
func Groups(all []*Query) (groups []Group) {
	titles := []string{ownTitle}
	for _, s := range subjects {
		titles = append(titles, s.title)
	}
	for _, title := range titles {
		g := Group{Title: title}
		for _, q := range all {
			if q.Subject() == title {
				g.Queries = append(g.Queries, q)
			}
		}
		if g.Queries != nil {
			groups = append(groups, g)
		}
	}
	return groups
}
