// Package queries holds the saved queries: those built in, and how any saved
// query's file is read.
//
// A query is a .sql file that a plain DuckDB shell can read too. The comment
// at its head is its help, and declares its parameters:
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
// "takes" stands for the parameters that most queries share: since, until, agent
// and project, of which it names those that the query has.
//
// The words in braces are the values that there are; a parameter without any
// takes all that its type has. Those of a parameter called agent are the agents.
//
// "row" says what a row is, so that a face can count them: 15 of 63 projects. One
// that is the total of all isn't counted: "row project, with a total". A parameter
// called top is how many rows there are at most; 0 or an empty one is all.
//
// "card" names what a block shows of a row, in order; a new line begins at each |.
// A narrow table keeps these columns longest. "hidden" names columns that pages,
// reports and files have, and tables on a screen don't.
//
// The package reads files. It runs nothing and knows no database.
package queries

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"hindsql/internal/chart"
	"hindsql/internal/sqltext"
)

//go:embed *.sql
var builtIn embed.FS

// Query is a saved query.
type Query struct {
	Name   string             // the file's name without .sql
	Title  string             // what it answers, 60 letters at most
	Prose  string             // one or more paragraphs, with an empty line between them
	Format string             // the output format it reads best in; empty: the default
	Chart  *chart.Declaration // what is drawn of its result; nil: a rule decides
	Row    string             // what a row is, in the singular; empty: a row
	Total  bool               // one of the rows is the total of all
	Card   [][]string         // columns that a block shows of a row, line by line; nil: all
	Hidden []string           // columns that a table on a screen leaves out
	Params []Param
	// Example is a command line that runs it with values of its own; empty: none.
	Example string
	SQL     string // the whole file, its header included
	Path    string // the file; empty for a built-in
	// Overrides says that a user's file stands in for a built-in query.
	Overrides bool

	cardLine, hiddenLine int // of the header
}

// Param is a parameter of a query, written $name in its SQL.
type Param struct {
	Name    string
	Type    string // DuckDB's name of the type
	Default string // SQL expression
	Doc     string
	Values  []string // those there are; none: whatever the type has
	line    int
}

// All lists the built-in queries and those in the folder, by name; a file of
// the folder stands in for the built-in of its name. A folder that isn't there
// holds none. agents are the values of parameters called agent; none: any text
// is. The error tells of files that are no queries; the others are listed all
// the same.
func All(folder string, agents ...string) ([]*Query, error) {
	all, err := allOf(folder)
	for _, q := range all {
		q.limitAgents(agents)
	}
	return all, err
}

// Named finds a query of a list by its name, in any case; nil where none has it.
func Named(list []*Query, name string) *Query {
	if i := slices.IndexFunc(list, func(q *Query) bool { return strings.EqualFold(q.Name, name) }); i >= 0 {
		return list[i]
	}
	return nil
}

// Find is the query of a name among those that [All] lists; nil where there is
// none. It reads one file where All reads each.
func Find(folder, name string, agents ...string) *Query {
	if !IsName(name) {
		return nil
	}
	var q *Query
	if text, err := builtIn.ReadFile(name + ".sql"); err == nil {
		q, _ = Parse(name, string(text)) // a built-in is right: a test reads all
	}
	if folder != "" {
		file := filepath.Join(folder, name+".sql")
		if text, err := os.ReadFile(file); err == nil {
			if own, err := Parse(name, string(text)); err == nil {
				own.Path, own.Overrides = file, q != nil
				q = own
			}
		}
	}
	if q != nil {
		q.limitAgents(agents)
	}
	return q
}

// limitAgents has a parameter called agent take the agents that there are.
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
	users, userErr := read(os.DirFS(folder), folder)
	for _, q := range users {
		_, q.Overrides = found[q.Name]
		found[q.Name] = q
	}
	return byName(found), errors.Join(err, userErr)
}

// read reads the .sql files at the top of fsys, which is the given folder.
func read(fsys fs.FS, folder string) (map[string]*Query, error) {
	names, err := fs.Glob(fsys, "*.sql")
	if err != nil {
		return nil, err
	}
	found := map[string]*Query{}
	var errs []error
	for _, file := range names {
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		path := filepath.Join(folder, file)
		q, err := Parse(strings.TrimSuffix(file, ".sql"), string(text))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%w", path, err))
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

func byName(found map[string]*Query) []*Query {
	list := make([]*Query, 0, len(found))
	for _, q := range found {
		list = append(list, q)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Param finds a parameter by its name; nil when there is none.
func (q *Query) Param(name string) *Param {
	for i := range q.Params {
		if q.Params[i].Name == name {
			return &q.Params[i]
		}
	}
	return nil
}

// ExampleArgs are the param=value words of the example.
func (q *Query) ExampleArgs() []string {
	if q.Example == "" {
		return nil
	}
	return strings.Fields(q.Example)[3:]
}

// Typed is the SQL with each parameter cast to its declared type, so that
// every value can be bound as text. Lines keep their numbers.
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

// Seen is [Query.Typed] without the hidden columns: DuckDB needn't compute them. The
// SELECT around the statement stands on the title's line, so that lines keep their
// numbers.
func (q *Query) Seen() string {
	if len(q.Hidden) == 0 {
		return q.Typed()
	}
	_, rest, _ := strings.Cut(q.Typed(), "\n")
	return `SELECT * EXCLUDE ("` + strings.Join(q.Hidden, `", "`) + "\") FROM (\n" + strings.TrimRight(rest, "; \t\r\n") + "\n)"
}

// Wrapped gives, by each text that [Query.Typed] puts in, what stands in the file:
// errors show that.
func (q *Query) Wrapped() map[string]string {
	texts := map[string]string{}
	for _, p := range q.Params {
		texts[fmt.Sprintf("CAST($%s AS %s)", p.Name, p.Type)] = "$" + p.Name
	}
	return texts
}
