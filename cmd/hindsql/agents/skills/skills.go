// Package skills holds texts that tell an agent how to use hindsql, in the format of
// agentskills.io: a folder with a file SKILL.md. The texts are made from templates and
// from the program's declarations, so they fit the build. The package also writes and
// removes the files, and tells this build's text from another text of hindsql's and from
// foreign files.
//
// The input is the titles of agents and a folder in which agents look for skills. The
// output is a skill's text, and files in the folder. The package never reads logs or the
// store.
package skills

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/tables"
)

// Skill is a text for agents.
type Skill struct {
	Name   string // on hindsql's command line
	Folder string // name of its folder, and its name for agents: small letters and hyphens
	Title  string // purpose, for people
}

// File is the name of a skill's file in its folder.
const File = "SKILL.md"

var list = []*Skill{
	{"hindsql", "hindsql", "Look up what agents did: sessions, refusals, tokens, texts"},
	{"rules", "hindsql-rules", "Propose rules from what you refused and granted in 30 days"},
}

// All lists the skills, the general one first.
func All() []*Skill { return list }

// Named returns the skill with a name or folder name; nil if none.
func Named(name string) *Skill {
	for _, s := range list {
		if name == s.Name || name == s.Folder {
			return s
		}
	}
	return nil
}

//go:embed *.md
var texts embed.FS

// Text returns the content of the skill's file. agents are the titles of the agents
// whose logs hindsql reads.
func (s *Skill) Text(agents []string) string {
	return fill(s.Name+".md", struct {
		Agents                                 []string
		Mark, Tables, Words, Functions, Method string
	}{agents, mark, tableLines(), wordLines(), functionLines(), Method()})
}

// RulesQuery is the saved query run first by the skill rules. PeriodOfRules is the
// value of the query's parameter since.
const (
	RulesQuery    = "rule-candidates"
	PeriodOfRules = "30d"
)

// Method returns Markdown about making rules from refusals and grants: what makes a
// rule, how to propose it, and what never to do. The text is the same for all users of
// the query. Its headings are of level two.
func Method() string { return fill("method.md", nil) }

var functions = template.FuncMap{"join": strings.Join, "query": titleOf}

func fill(name string, data any) string {
	text, err := texts.ReadFile(name)
	if err == nil {
		var b strings.Builder
		if err = template.Must(template.New(name).Funcs(functions).Parse(string(text))).Execute(&b, data); err == nil {
			return b.String()
		}
	}
	panic(err) // a test renders every text
}

// State is the state of a skill's file.
type State string

// The states of a skill's file.
const (
	Missing State = "not installed"
	Current State = "up to date"             // same text as this build's
	Stale   State = "not this build's text"  // written by another build, or edited since
	Foreign State = "not written by hindsql" // the mark is missing
)

// mark begins the first line below the frontmatter of each skill. A file with the mark
// there is hindsql's, to replace and to remove. The rest of the line tells a user how to
// keep a changed file.
const mark = "<!-- Written by hindsql skill install"

// Place is where a skill's file is or would be, and the state of the file.
type Place struct {
	Skill *Skill
	Path  string // of the file
	State State
}

// Look checks a skill's file in a folder of skills. It returns an error if the file
// can't be read.
func (s *Skill) Look(folder string, agents []string) (Place, error) {
	p := Place{Skill: s, Path: filepath.Join(folder, s.Folder, File), State: Missing}
	text, err := regular.Read(p.Path, regular.InRepository)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case errors.As(err, new(*regular.NotAFile)), errors.As(err, new(*regular.TooLarge)):
		p.State = Foreign
		return p, nil
	case err != nil:
		return p, err
	}
	switch text := strings.ReplaceAll(string(text), "\r\n", "\n"); { // git may write CRLF
	case !strings.Contains(text, "\n---\n"+mark):
		p.State = Foreign
	case text == s.Text(agents):
		p.State = Current
	default:
		p.State = Stale
	}
	return p, nil
}

// IsOurs reports whether hindsql wrote the file.
func (p *Place) IsOurs() bool { return p.State == Current || p.State == Stale }

// Write writes this build's text atomically. A new file is the user's alone, or, if it
// is shared in a repository, everybody may read it. An existing file keeps its mode, and
// an existing link stays a link.
func (p *Place) Write(agents []string, shared bool) error {
	folder, mode := fs.FileMode(0o700), fs.FileMode(0o600)
	if shared {
		folder, mode = 0o755, 0o644
	}
	if info, err := os.Stat(p.Path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), folder); err != nil {
		return err
	}
	if err := atomicfile.Write(p.Path, []byte(p.Skill.Text(agents))); err != nil {
		return err
	}
	return os.Chmod(p.Path, mode)
}

// Remove deletes the file, then up to three parent folders that are empty and below
// top. It keeps links to folders.
func (p *Place) Remove(top string) error {
	if err := os.Remove(p.Path); err != nil {
		return err
	}
	dir := filepath.Dir(p.Path)
	for range 3 {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || dir == top || os.Remove(dir) != nil {
			return nil //nolint:nilerr // a folder that isn't empty stays
		}
		dir = filepath.Dir(dir)
	}
	return nil
}

// telling is how many columns of a table a skill lists. Tables declare the most useful
// columns first.
const telling = 18

// keys are the columns by which tables are joined. A skill always lists them.
var keys = []string{"session_id", "message_index", "tool_use_id"}

// tableLines returns a line with the main columns for each table shown to users, and
// one line for the tables with copied rows.
func tableLines() string {
	var lines strings.Builder
	var whole []string
	for _, t := range tables.Shown() {
		if t.ShowsCopies() {
			whole = append(whole, t.Name)
			continue
		}
		fmt.Fprintf(&lines, "- **%s**: %s %s\n", t.Name, words.FirstSentence(t.Doc), columns(t))
	}
	fmt.Fprintf(&lines, "- **%s**: the same tables with all rows, including rows copied by resumed and forked sessions (is_copy) and rows that are only inferred (is_inferred).\n", strings.Join(whole, "**, **"))
	return lines.String()
}

// columns lists a table's main columns. It adds a column's type, except for the most
// frequent types.
func columns(t *tables.Table) string {
	var names []string
	left := 0
	for i, c := range t.Columns {
		if i >= telling && !slices.Contains(keys, c.Name) || c.Name == "source_id" {
			left++
			continue
		}
		name := c.Name
		if c.Type != "VARCHAR" && c.Type != "BIGINT" && c.Type != "TIMESTAMPTZ" {
			name += " " + c.Type
		}
		names = append(names, name)
	}
	text := "`" + strings.Join(names, ", ") + "`"
	if left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}

// enumerated lists columns that have only a few values, which a skill names.
var enumerated = []struct{ table, column string }{
	{"sessions", "kind"}, {"messages", "kind"}, {"messages", "typed_by"}, {"tool_calls", "tool_kind"}, {"tool_calls", "status"},
	{"tool_calls", "decision"}, {"tool_calls", "decided_by"}, {"tool_calls", "decision_scope"}, {"rejections", "decided_by"}, {"interruptions", "phase"},
}

// wordLines returns a line for each enumerated column with its values.
func wordLines() string {
	var lines strings.Builder
	for _, w := range enumerated {
		fmt.Fprintf(&lines, "- %s.%s: %s\n", w.table, w.column, columnOf(w.table, w.column).Doc)
	}
	return lines.String()
}

func columnOf(table, column string) tables.Column {
	for _, t := range tables.Shown() {
		for _, c := range t.Columns {
			if t.Name == table && c.Name == column {
				return c
			}
		}
	}
	panic(table + "." + column + ": no such column")
}

// functionLines returns a line for each function.
func functionLines() string {
	var lines strings.Builder
	for _, m := range tables.Macros() {
		fmt.Fprintf(&lines, "- `%s`: %s\n", m.Call, m.Title)
	}
	return lines.String()
}

// titleOf returns a saved query's title, for templates.
func titleOf(query string) string {
	q, _ := queries.Find("", query)
	if q == nil {
		panic(query + ": no such saved query")
	}
	return q.Title
}
