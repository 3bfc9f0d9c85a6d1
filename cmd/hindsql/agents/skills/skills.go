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
	"strings"
	"text/template"
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
