package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine/export"
	"hindsql/readers"
	"hindsql/readers/all"
)

// region is a part of a documentation page that the test generates from declarations,
// mostly those of the readers.
type region struct {
	form *regexp.Regexp // finds the part: its group, or the whole match
	make func([]*readers.Reader) string
}

// pages lists the pages with lists of agents, by path in the repository.
var pages = map[string][]region{
	"README.md": {
		{regexp.MustCompile(`(?m)^It reads the logs of(?:.|\n.)*\n`), agentsSentence},
	},
	"docs/usage.md":  {{regexp.MustCompile("`--format table.*?`"), formats(`\|`, term.Names())}},
	"docs/export.md": {{regexp.MustCompile("`--format parquet.*?`"), formats(`|`, export.Formats())}},
	"docs/agents.md": {
		{regexp.MustCompile(`(?m)^\| agent \|.*\n(?:\|.*\n)*`), placesTable},
		{othersForm, othersTable},
		{regexp.MustCompile(`(?m)^\| The logs of +\|.*\n(?:\|.*\n)*`), recordsTable},
		{regexp.MustCompile(`(?m)^This page is made.*\n((?:.|\n)*)`), agentsPage},
	},
	"docs/mcp.md":        {{regexp.MustCompile(`(?m)^\| agent \|.*\n(?:\|.*\n)*`), serversTable}},
	"docs/comparison.md": {{regexp.MustCompile(`(?m)^\| agents \| (\d+) \|`), countOfAgents}},
	"docs/skills.md": {
		{regexp.MustCompile(`(?m)^\| agent \|.*\n(?:\|.*\n)*`), skillsTable},
	},
	"docs/session.schema.json": schemaRegions(),
}

// othersForm finds the table of agents that aren't read.
var othersForm = regexp.MustCompile(`(?m)^\| not read \|.*\n(?:\|.*\n)*`)

// family is the readers in one package, in display order: those of an agent, and of
// other agents with the same kind of logs.
type family struct {
	folder  string
	readers []*readers.Reader
}

// families groups readers of the same package for which alike is true.
func families(list []*readers.Reader, alike func(a, b *readers.Reader) bool) (groups []*family) {
	for _, r := range list {
		folder := folderOf(r)
		i := slices.IndexFunc(groups, func(f *family) bool { return f.folder == folder && alike(f.readers[0], r) })
		if i < 0 {
			i, groups = len(groups), append(groups, &family{folder: folder})
		}
		groups[i].readers = append(groups[i].readers, r)
	}
	return groups
}

// folderOf returns the folder of a reader's package, below readers. A family's package,
// which has no FORMAT.md, may hold some of the reader's functions.
func folderOf(r *readers.Reader) string {
	if r.Read == nil {
		return r.Agent
	}
	for _, function := range []any{r.Read, r.Roots} {
		_, name, _ := strings.Cut(runtime.FuncForPC(reflect.ValueOf(function).Pointer()).Name(), "hindsql/readers/")
		folder, _, _ := strings.Cut(name, ".")
		if _, err := os.Stat(filepath.Join("../../readers", folder, "FORMAT.md")); folder != "" && err == nil {
			return folder
		}
	}
	return ""
}

// titles returns the names of a family's agents.
func (f *family) titles() string {
	var list []string
	for _, r := range f.readers {
		list = append(list, r.Title)
	}
	return strings.Join(list, ", ")
}

// agentsSentence names the agents whose logs are read.
func agentsSentence(list []*readers.Reader) string {
	text := "It reads the logs of"
	groups := families(list, func(a, b *readers.Reader) bool { return true })
	for i, f := range groups {
		switch {
		case i == 0:
		case i == len(groups)-1:
			text += "\nand"
		default:
			text += ","
		}
		text += fmt.Sprintf("\n[%s](readers/%s/README.md)", f.titles(), f.folder)
	}
	return strings.ReplaceAll(text, "\nand\n", "\nand ") + ".\n"
}

// placesTable lists the log folders on Linux.
func placesTable(list []*readers.Reader) string {
	const shown = 4 // of the folders; some agents have a dozen
	text := "| agent | in `--root` and tables | in the folders of, where set | else in |\n|---|---|---|---|\n"
	for _, r := range list {
		named := "–"
		if r.Env != "" {
			named = "`$" + filepath.ToSlash(filepath.Join(r.Env, r.EnvSub)) + "`"
		}
		places := r.Roots(readers.Host{OS: "linux", Home: "~", Getenv: func(string) string { return "" }})
		rest := ""
		if len(places) > shown {
			rest = fmt.Sprintf(" and %d more", len(places)-shown)
			places = places[:shown]
		}
		text += fmt.Sprintf("| %s | %s | %s | `%s`%s |\n", r.Title, r.Agent, named, filepath.ToSlash(strings.Join(places, "`, `")), rest)
	}
	return text
}

// skillsTable lists each agent's skill folders on Linux.
func skillsTable(list []*readers.Reader) string {
	text := "| agent | `--agent` | your skills, in one of | a repository's, in one of |\n|---|---|---|---|\n"
	for _, r := range list {
		if r.Skills.None != "" {
			text += fmt.Sprintf("| %s | %s | %s | – |\n", r.Title, r.Agent, r.Skills.None)
			continue
		}
		var user []string
		if r.Skills.User != nil {
			user = r.Skills.User(readers.Host{OS: "linux", Home: "~", Getenv: func(string) string { return "" }})
		}
		text += fmt.Sprintf("| %s | %s | `%s` | `%s` |\n", r.Title, r.Agent, filepath.ToSlash(strings.Join(user, "`, `")), strings.Join(r.Skills.Project, "`, `"))
	}
	return text
}

// countOfAgents is hindsql's cell in a comparison.
func countOfAgents(list []*readers.Reader) string { return strconv.Itoa(len(list)) }

// recordsTable lists the contents of each agent's logs, with a column per agent. Agents
// of one package share a column if their logs hold the same.
func recordsTable(list []*readers.Reader) string {
	head, rule, rows := "| The logs of |", "|---|", ""
	columns := families(list, func(a, b *readers.Reader) bool { return maps.Equal(a.Records, b.Records) })
	for _, f := range columns {
		head, rule = head+" "+f.titles()+" |", rule+"---|"
	}
	for _, fact := range readers.Facts() {
		rows += "| " + fact.String() + " |"
		for _, f := range columns {
			rows += " " + strings.Replace(f.readers[0].Records[fact].String(), "not recorded", "–", 1) + " |"
		}
		rows += "\n"
	}
	return head + "\n" + rule + "\n" + rows
}

// formats returns a function that lists names of formats. bar is the separator, which a
// table's cell must escape.
func formats(bar string, names []string) func([]*readers.Reader) string {
	return func([]*readers.Reader) string { return "`--format " + strings.Join(names, bar) + "`" }
}

// pageFor returns a page generated with the given readers.
func pageFor(t *testing.T, path string, list []*readers.Reader) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, r := range pages[path] {
		found := r.form.FindAllStringSubmatchIndex(page, -1)
		if len(found) != 1 {
			t.Fatalf("%s: %d places like %s", path, len(found), r.form)
		}
		at := found[0][len(found[0])-2:]
		page = page[:at[0]] + r.make(list) + page[at[1]:]
	}
	return page
}

// TestPages: the pages list all agents. -update rewrites the pages.
func TestPages(t *testing.T) {
	t.Parallel()
	for path := range pages {
		compareGolden(t, filepath.Join("..", "..", path), pageFor(t, path, all.Readers()))
	}
}

// helpWith returns all help texts of the command line with the given readers: the help
// of every command, completion, and errors that list agents.
func helpWith(t *testing.T, list []*readers.Reader) string {
	t.Helper()
	e, _, _ := outside(t)
	e.readers = list
	var text strings.Builder
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		fmt.Fprintf(&text, "%s\n\n%s\n\n", c.Long, c.UsageString())
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(rootOf(e))
	for _, args := range [][]string{{"__complete", "--root", ""}, {"__complete", "export", "--agent", ""}, {"--root", "nobody=x"}, {"--root", "x"}, {"export", "x", "--agent", "nobody"}} {
		e, stdout, stderr := outside(t, args...)
		e.readers = list
		execute(t.Context(), e)
		fmt.Fprintf(&text, "%s\n%s\n\n", stdout, stderr)
	}
	return text.String()
}

// allPages returns the paths of the pages about no single agent. Pages of changes or
// measurements, and the page about queries over Claude's logs, are left out.
func allPages(t *testing.T) (paths []string) {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	for _, pattern := range []string{"*.md", "docs/*.*", "tables/*.md"} {
		found, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		return filepath.Ext(path) == ".png" || path == "CHANGELOG.md" || path == "docs/hindsql.svg" || path == "docs/bench.md" || path == "docs/comparison.md" || path == "docs/duckdb.md"
	})
}

// TestASixthAgent: if an agent is added to the readers, every list of agents in pages
// and help has it. If it is the only agent, no text names any other.
func TestASixthAgent(t *testing.T) {
	t.Parallel()
	sixth := &readers.Reader{Agent: "zaphod", Title: "Zaphod's Code", Env: "ZAPHOD_HOME", Roots: func(readers.Host) []string { return []string{"~/.zaphod"} }, Skills: readers.SkillFolders{None: "it reads no skills"}, Servers: readers.Servers{None: "it starts no servers"}}
	if page := pageFor(t, "docs/skills.md", []*readers.Reader{sixth}); !strings.Contains(page, "| zaphod | it reads no skills | – |\n") {
		t.Errorf("docs/skills.md doesn't say why it has no skills:\n%s", page)
	}
	texts := map[string]func([]*readers.Reader) string{
		"help": func(list []*readers.Reader) string { return helpWith(t, list) },
	}
	for _, path := range allPages(t) {
		// The output of an example comes from the sample, which has agents of its own. Agents
		// that aren't read are no readers, and some keep logs in the folders of read ones.
		texts[path] = func(list []*readers.Reader) string {
			return homePath.ReplaceAllString(othersForm.ReplaceAllString(consoleBlock.ReplaceAllString(pageFor(t, path, list), ""), ""), "")
		}
	}
	known, packages := names(all.Readers()), packagesOf(all.Readers())
	for name, text := range texts {
		lists := 0
		for _, piece := range strings.Split(text(append(all.Readers(), sixth)), "\n\n") {
			if len(packages(known.FindAllString(piece, -1))) > 1 {
				if lists++; !names([]*readers.Reader{sixth}).MatchString(piece) {
					t.Errorf("%s: a list of agents without the sixth:\n%s", name, piece)
				}
			}
		}
		if least := map[string]int{"README.md": 1, "docs/agents.md": 2, "docs/session.schema.json": 1, "help": 3}[name]; lists < least {
			t.Errorf("%s: lists agents in %d places, want %d", name, lists, least)
		}
		if found := known.FindString(text([]*readers.Reader{sixth})); found != "" {
			t.Errorf("%s: names %s, which its list of readers doesn't", name, found)
		}
	}
}

// homePath matches a path below the home folder. An agent's folder may lie in another
// agent's.
var homePath = regexp.MustCompile("`~/[^`]*`")

// names matches the agents' short and long names.
func names(list []*readers.Reader) *regexp.Regexp {
	var lines []string
	for _, r := range list {
		lines = append(lines, regexp.QuoteMeta(r.Agent), regexp.QuoteMeta(r.Title))
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(lines, "|") + `)\b`)
}

// packagesOf returns a function that returns the packages of the named agents. Agents
// of one package, mentioned together, aren't a list of all agents.
func packagesOf(list []*readers.Reader) func(names []string) map[string]bool {
	folders := map[string]string{}
	for _, r := range list {
		folders[strings.ToLower(r.Agent)], folders[strings.ToLower(r.Title)] = folderOf(r), folderOf(r)
	}
	return func(names []string) map[string]bool {
		set := map[string]bool{}
		for name := range distinct(names) {
			set[folders[name]] = true
		}
		return set
	}
}

func distinct(list []string) map[string]bool {
	set := map[string]bool{}
	for _, s := range list {
		set[strings.ToLower(s)] = true
	}
	return set
}
