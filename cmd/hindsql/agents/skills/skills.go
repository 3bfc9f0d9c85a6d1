// Package skills holds the texts that tell an agent how to use hindsql, in the
// form of agentskills.io: a folder with a file SKILL.md. They are made of
// templates and of what the program declares, so that they fit the build that
// prints them. It also tells an installed file that is this build's from an older
// one and from one that somebody changed, writes it and removes it.
//
// In: what only the program knows, a [Build]; a folder in which agents look for
// skills. Out: the text of a skill; files of that folder. It never reads a log or
// the store, and never writes over a file of another hand unless told to.
package skills

import (
	"embed"
	"strings"
	"text/template"
)

// Skill is a text for agents.
type Skill struct {
	Name   string // as hindsql's command line has it
	Folder string // its name for agents, and that of its folder: small letters and hyphens
	Title  string // what it is for, for people
}

// Build is what a text says of the program that prints it.
type Build struct {
	Version string
	Agents  []string // titles of the agents whose logs are read
}

// File is the name of a skill's file in its folder.
const File = "SKILL.md"

var list = []*Skill{
	{"hindsql", "hindsql", "Look up what agents did: sessions, refusals, tokens, texts"},
	{"rules", "hindsql-rules", "Propose rules from what you refused and granted in 30 days"},
}

// All lists the skills, the general one first.
func All() []*Skill { return list }

// Named is the skill of a name, or of a folder's name; nil where there is none.
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

// Text is the skill's file.
func (s *Skill) Text(b Build) string {
	return stamped(fill(s.Name+".md", struct {
		Build
		Tables, Words, Functions, Method string
	}{b, tableLines(), wordLines(), functionLines(), Method()}), b.Version)
}

// RulesQuery is the saved query that the skill rules begins with, and PeriodOfRules
// the value of its parameter since.
const (
	RulesQuery    = "rule-candidates"
	PeriodOfRules = "30d"
)

// Method says how rules follow from refusals and grants, whoever ran the query:
// what makes a rule, how it is proposed, and what never is done. It is Markdown,
// in sections of the second order.
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
	panic(err) // a test makes every text
}
