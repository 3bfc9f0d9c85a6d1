package lint_test

import (
	"go/ast"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// step is a numbered step of a list in CONTRIBUTING.md.
type step struct {
	where string // the list's title and the step's number
	spans []string
}

var (
	stepForm = regexp.MustCompile(`(?m)^(\d+)\. (.*\n(?:   .*\n)*)`)
	span     = regexp.MustCompile("`([^`]+)`")
	holder   = regexp.MustCompile(`AGENT|QUERY|FORMAT|EXPORT|COMMAND|DOT|TOOL|PAGE|RULE|STEP`)
)

func steps(t *testing.T) (all []step) {
	t.Helper()
	for _, part := range strings.Split(read(t, "CONTRIBUTING.md"), "\n## ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		for _, m := range stepForm.FindAllStringSubmatch(text+"\n", -1) {
			s := step{where: title + ", " + m[1]}
			for _, found := range span.FindAllStringSubmatch(m[2], -1) {
				s.spans = append(s.spans, found[1])
			}
			all = append(all, s)
		}
	}
	if len(all) < 15 {
		t.Fatalf("only %d steps found", len(all))
	}
	return all
}

// TestContributing checks that the names in the lists of CONTRIBUTING.md exist, for
// each agent, query and format.
func TestContributing(t *testing.T) {
	var agents []string
	for _, folder := range agentFolders() {
		agents = append(agents, path.Base(folder))
	}
	links := stems(t, "tables/resolve/*.sql")[1:] // the cases of the other steps cover the first
	w := walker{t, declared(t), map[string][]string{
		"AGENT": agents, "QUERY": stems(t, "queries/*.sql"), "STEP": links, "FORMAT": formatNames(t), "COMMAND": commandNames(t),
		"EXPORT": found(t, `(?m)^\t[A-Z]\w+ += "([a-z]+)"`, 6, "engine/export/formats.go"),
		"DOT":    found(t, `\bname: "\.([a-z]+)"`, 30, "cmd/hindsql/prompt/*.go"),
		"TOOL":   found(t, `(?m)^\t\{"([a-z]+)", "[A-Z]`, 3, "cmd/hindsql/mcp/tools.go"),
		"PAGE":   found(t, `(?m)^\t\{"GET /([a-z]+)", \w+\}`, 8, "cmd/hindsql/web/routes.go"),
		"RULE":   found(t, `\{Name: "([a-z0-9-]+)"`, 100, "engine/redact/*.go"),
	}, testFunctions(t)}
	for _, s := range steps(t) {
		w.walk(s)
	}
}

type walker struct {
	t     *testing.T
	names map[string]bool                     // declared in the program
	each  map[string][]string                 // names for each placeholder
	tests map[string]map[string]*ast.FuncDecl // by folder
}

func (w walker) walk(s step) {
	var files, rest []string
	for _, text := range s.spans {
		if isPath(text) {
			files = append(files, text)
		} else {
			rest = append(rest, text)
		}
	}
	for _, pattern := range files {
		for _, p := range w.filled(pattern) {
			if len(glob(w.t, p)) == 0 {
				w.t.Errorf("%s: there is no %s", s.where, p)
			}
		}
	}
	for _, text := range rest {
		w.name(s, text, files)
	}
}

// name checks a span without a path: a target of make, a run of go test, a text in the
// step's files, or a name in the program.
func (w walker) name(s step, text string, files []string) {
	target, isTarget := strings.CutPrefix(text, "make ")
	switch {
	case strings.HasPrefix(text, "go test "):
		w.run(s, text)
	case isTarget:
		target, _, _ = strings.Cut(target, " ") // variables follow
		if !regexp.MustCompile(`(?m)^` + target + `:`).MatchString(read(w.t, "Makefile")) {
			w.t.Errorf("%s: make has no target %s", s.where, target)
		}
	case strings.HasPrefix(text, "readertest.") || holder.MatchString(text) || strings.HasPrefix(text, "-- ") || strings.HasPrefix(text, "$"):
		w.held(s, text, files)
	default:
		if name := text[strings.LastIndex(text, ".")+1:]; !w.names[name] {
			w.t.Errorf("%s: nothing in the program is called %s", s.where, text)
		}
	}
}

// run checks that each alternative of a go test's -run pattern matches a test of its
// packages. A pattern may be in single quotes.
func (w walker) run(s step, text string) {
	packages, pattern, found := strings.Cut(text, " -run ")
	pattern, _, _ = strings.Cut(pattern, " -update") // or -update-fields
	pattern, _, _ = strings.Cut(pattern, "/")
	pattern = strings.Trim(pattern, "'")
	if !found || pattern == "" {
		w.t.Errorf("%s: %s has no -run", s.where, text)
	}
	var tests []string
	for _, name := range strings.Fields(packages) {
		if folder, ok := strings.CutPrefix(name, "./"); ok {
			for _, folder := range w.filled(folder) {
				if w.tests[folder] == nil {
					w.t.Errorf("%s: %s is no package", s.where, folder)
				}
				tests = slices.AppendSeq(tests, maps.Keys(w.tests[folder]))
			}
		}
	}
	for _, one := range strings.Split(pattern, "|") {
		r := regexp.MustCompile(one)
		if !slices.ContainsFunc(tests, func(name string) bool { return strings.HasPrefix(name, "Test") && r.MatchString(name) }) {
			w.t.Errorf("%s: %s runs no test called %s", s.where, text, one)
		}
	}
}

// held checks, for each name of the placeholder, that some file of the step contains
// the filled text.
func (w walker) held(s step, text string, files []string) {
	kind := holder.FindString(strings.Join(append(slices.Clone(files), text), " "))
	for _, one := range w.each[kind] {
		fill := func(text string) string { return filled(text, kind, one) }
		found := false
		for _, pattern := range files {
			paths := glob(w.t, fill(pattern))
			found = found || slices.ContainsFunc(paths, func(p string) bool { return strings.Contains(read(w.t, p), fill(text)) })
		}
		if !found && !strings.HasPrefix(text, "$") && text != "-- param" { // files have these only if useful
			w.t.Errorf("%s: none of %s holds %s", s.where, fill(strings.Join(files, ", ")), fill(text))
		}
	}
}

// filled returns the pattern's paths for all names of its placeholder.
func (w walker) filled(pattern string) (paths []string) {
	kind := holder.FindString(pattern)
	if kind == "" {
		return []string{pattern}
	}
	for _, one := range w.each[kind] {
		paths = append(paths, filled(pattern, kind, one))
	}
	return paths
}

// filled replaces a placeholder by a name. Commands are declared with a capital: the
// name keeps the capital in newCOMMAND, and is in lower case anywhere else, as people
// type it.
func filled(text, kind, one string) string {
	if kind == "COMMAND" && !strings.Contains(text, "newCOMMAND") {
		one = strings.ToLower(one)
	}
	return strings.ReplaceAll(text, kind, one)
}

// isPath reports whether a span names a file or folder of the repository.
func isPath(text string) bool {
	first, _, below := strings.Cut(text, "/")
	_, err := fs.Stat(root, first)
	return err == nil && (below || !strings.Contains(text, " "))
}

// declared returns the names of types, functions, variables and fields.
func declared(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Obj != nil || ok && id.IsExported() {
				names[id.Name] = true
			}
			return true
		})
	}
	return names
}

func stems(t *testing.T, pattern string) (names []string) {
	paths := glob(t, pattern)
	if len(paths) == 0 {
		t.Fatal(pattern)
	}
	for _, p := range paths {
		names = append(names, strings.TrimSuffix(path.Base(p), path.Ext(p)))
	}
	return names
}

func formatNames(t *testing.T) []string {
	return found(t, `(?m)^\t\{Name: "(\w+)", .*\},$`, 5, "cmd/hindsql/term/render.go")
}

// commandNames returns the commands listed by help.
func commandNames(t *testing.T) []string {
	return slices.DeleteFunc(found(t, `\bnew(\w+)Command\(`, 15, "cmd/hindsql/root.go"), func(name string) bool {
		return name == "Root" || strings.Contains(read(t, "cmd/hindsql/"+strings.ToLower(name)+".go"), "Hidden:")
	})
}

// found returns the matches of a pattern's group in files. The test fails with fewer
// than least matches.
func found(t *testing.T, pattern string, least int, files string) (names []string) {
	t.Helper()
	for _, file := range glob(t, files) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, file), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < least {
		t.Fatalf("%s: only %q found", files, names)
	}
	return names
}

// TestCommandsOfContributing checks that the table of commands has every make target
// for people.
func TestCommandsOfContributing(t *testing.T) {
	page := read(t, "CONTRIBUTING.md")
	for _, m := range regexp.MustCompile(`(?m)^\.PHONY: (.*)`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		for _, target := range strings.Fields(m[1]) {
			if !slices.Contains([]string{"all", "build", "install", "run"}, target) && !strings.Contains(page, "| `make "+target+"` |") {
				t.Errorf("CONTRIBUTING.md lists no make %s", target)
			}
		}
	}
}
