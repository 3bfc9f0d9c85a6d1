package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"hindsql/readers/all"
)

// imports lists the packages of the program that a package may import. Packages of
// internal need no line, because any package may import them and they import no rooms.
// The list states a policy: don't change it to make a build pass. AGENT is any folder
// of readers imported by readers/all. FAMILY is any further folder of readers without a
// line here, such as code shared by a fork and the original agent. Faces below cmd
// never import each other.
var imports = map[string][]string{
	"tables":        {},
	"tables/prices": {"tables"},

	"readers":            {"tables"},
	"readers/sqlite":     {"readers"},
	"readers/FAMILY":     {"tables", "readers"},
	"readers/zstd":       {"readers"},
	"readers/AGENT":      {"tables", "readers", "readers/FAMILY", "readers/sqlite", "readers/zstd"},
	"readers/all":        {"readers", "readers/AGENT"},
	"readers/readertest": {"tables", "readers"},
	"readers/sample":     {"readers/sqlite"},

	// Only SQL decides what queries need of tables; HTML and conversations know
	// columns.
	"queries":              {},
	"queries/conversation": {"tables"},
	"queries/html":         {"tables", "queries/conversation"},
	"queries/report":       {"queries", "queries/conversation", "queries/html"},

	// The engine gets its readers from callers and knows no agent. The sandbox's process
	// knows no store, and engine/store no tables.
	// Neither of load and confined knows the other.
	"engine":               {"tables", "readers", "engine/duck", "engine/load", "engine/confined", "engine/store", "engine/sqlerror", "engine/loglines", "engine/complete", "engine/sandbox"},
	"engine/duck":          {"tables", "readers", "engine/store", "engine/sqlerror", "engine/complete", "engine/sandbox"},
	"engine/load":          {"tables", "readers", "engine/duck", "engine/buffers", "engine/rowdiff", "engine/store", "engine/forget", "engine/loglines", "engine/load/moves"},
	"engine/load/moves":    {"tables", "readers/zstd"},
	"engine/confined":      {"tables", "readers", "engine/duck", "engine/store", "engine/sqlerror", "engine/loglines", "engine/complete", "engine/sandbox", "engine/sandbox/allow", "engine/scope"},
	"engine/buffers":       {},
	"engine/rowdiff":       {},
	"engine/store":         {"readers"},
	"engine/forget":        {"tables", "engine/store"},
	"engine/sqlerror":      {"engine/store"},
	"engine/loglines":      {"readers", "engine/store"},
	"engine/prune":         {"tables", "engine", "engine/forget"},
	"engine/complete":      {"tables"},
	"engine/scope":         {"tables"},
	"engine/sandbox":       {},
	"engine/sandbox/allow": {},
	"engine/redact":        {},
	"engine/export":        {"tables", "readers", "engine", "engine/store"},
	"engine/enginetest":    {"tables", "readers", "readers/all", "readers/sample", "engine", "engine/prune"},

	// hindsql-lake imports landing, and has no DuckDB. A push writes files as exports do.
	"engine/fleet":         {}, // tests of the folders below
	"engine/fleet/landing": {},
	"engine/fleet/machine": {},
	"engine/fleet/push":    {"tables", "engine", "engine/store", "engine/scope", "engine/export", "engine/fleet/landing"},
	"engine/fleet/pull":    {"tables", "engine", "engine/store", "engine/fleet/landing"},
	"engine/fleet/lake":    {"tables", "engine", "engine/fleet/landing"},

	"cmd/hindsql/ask":             {"tables", "engine", "engine/export", "queries", "queries/conversation"},
	"cmd/hindsql/term":            {"tables", "engine", "engine/export", "queries", "queries/conversation", "queries/html", "cmd/hindsql/ask"},
	"cmd/hindsql/pruning":         {"engine/forget", "engine/prune", "queries", "cmd/hindsql/term"},
	"cmd/hindsql/loopback":        {},
	"cmd/hindsql/schedule":        {},
	"cmd/hindsql/agents":          {"readers", "cmd/hindsql/agents/register", "cmd/hindsql/agents/skills"},
	"cmd/hindsql/agents/register": {"readers"},
	"cmd/hindsql/agents/skills":   {"tables", "queries"}, // texts made of declarations
	"cmd/hindsql/doctor": {"tables/prices", "readers", "engine", "queries",
		"cmd/hindsql/ask", "cmd/hindsql/term", "cmd/hindsql/agents", "cmd/hindsql/agents/register", "cmd/hindsql/agents/skills"},
	"cmd/hindsql/prompt": {"tables", "engine", "queries", "cmd/hindsql/ask", "cmd/hindsql/term"},
	"cmd/hindsql/mcp": {"tables", "engine", "queries", "queries/conversation",
		"cmd/hindsql/ask", "cmd/hindsql/term", "cmd/hindsql/loopback", "cmd/hindsql/agents/skills"},
	"cmd/hindsql/web": {"tables", "engine", "queries", "queries/conversation", "queries/html", "queries/report",
		"cmd/hindsql/ask", "cmd/hindsql/term", "cmd/hindsql/loopback"},
	"cmd": {"tables", "tables/prices", "readers", "readers/all", "readers/sample",
		"engine", "engine/export", "engine/redact", "engine/fleet/landing", "engine/fleet/machine", "engine/fleet/push", "engine/fleet/pull", "engine/fleet/lake",
		"queries", "queries/conversation", "queries/report",
		"cmd/hindsql/ask", "cmd/hindsql/term", "cmd/hindsql/prompt", "cmd/hindsql/mcp", "cmd/hindsql/web", "cmd/hindsql/pruning", "cmd/hindsql/loopback",
		"cmd/hindsql/agents", "cmd/hindsql/agents/register", "cmd/hindsql/agents/skills", "cmd/hindsql/schedule", "cmd/hindsql/doctor"},

	// Modules of their own: iceberg-go adds 43 MB to a binary, and builds need no nfpm.
	"cmd/hindsql-lake":          {"engine/fleet/landing", "cmd/hindsql-lake/lake"},
	"cmd/hindsql-lake/lake":     {"tables", "engine/fleet/landing"},
	"cmd/hindsql-lake/resttest": {}, // a catalog for tests
	"tools/benchpair":           {},
	"tools/drift":               {},
	"tools/pack":                {"tools/pack/cross"},
	"tools/pack/cross":          {},
	"tools/prices":              {},
	"tools/types":               {},
}

// libraries lists the rooms that may use an external library. An unlisted library may
// not be used.
var libraries = map[string][]string{
	"github.com/duckdb/duckdb-go":            {"engine/duck", "engine/load", "engine/enginetest", "engine/sandbox"},
	"github.com/duckdb/duckdb-go-bindings":   {"engine/duck"},
	"github.com/minio/minio-go":              {"engine/fleet/landing"},
	"github.com/google/uuid":                 {"engine/fleet/machine", "cmd/hindsql-lake/resttest"},
	"github.com/gofrs/flock":                 {"internal/lockfile"},
	"github.com/BurntSushi/toml":             {"engine/fleet/push", "engine/redact", "engine/fleet/machine", "tables/prices", "queries/report", "cmd/hindsql/agents/register"},
	"github.com/wcharczuk/go-chart":          {"queries/html"},
	"github.com/alecthomas/chroma":           {"queries/html"},
	"github.com/yuin/goldmark":               {"queries/html"},
	"github.com/microcosm-cc/bluemonday":     {"queries/html"},
	"github.com/robfig/cron":                 {"cmd/hindsql/schedule"},
	"github.com/zricethezav/gitleaks":        {"engine/redact"},
	"github.com/apache/arrow-go":             {"tables", "engine", "engine/duck", "engine/load", "engine/confined", "engine/buffers", "engine/rowdiff", "engine/sandbox"},
	"github.com/aymanbagabas/go-udiff":       {"tables"},
	"github.com/cespare/xxhash":              {"internal/logstart"},
	"github.com/tailscale/hujson":            {"cmd/hindsql/agents/register"},
	"github.com/valyala/fastjson":            {"internal/fastjson"},
	"github.com/klauspost/compress":          {"readers/zstd"},
	"modernc.org/sqlite":                     {"readers/sqlite"},
	"mvdan.cc/sh":                            {"readers"},
	"github.com/spf13/cobra":                 {"cmd", "cmd/hindsql-lake"},
	"github.com/spf13/pflag":                 {"cmd"},
	"github.com/goreleaser/nfpm":             {"tools/pack"},
	"github.com/shirou/gopsutil":             {"engine/sandbox"},
	"github.com/elastic/go-seccomp-bpf":      {"engine/sandbox"},
	"golang.org/x/sys":                       {"readers", "engine/sandbox", "engine/store", "cmd", "cmd/hindsql/prompt"},
	"golang.org/x/text":                      {"internal/spelling"},
	"github.com/mattn/go-runewidth":          {"cmd/hindsql/term"},
	"github.com/rivo/uniseg":                 {"cmd/hindsql/prompt"},
	"github.com/schollz/progressbar":         {"cmd/hindsql/term"},
	"github.com/modelcontextprotocol/go-sdk": {"cmd/hindsql/mcp"},
	"golang.org/x/term":                      {"cmd", "cmd/hindsql/prompt"},
	"github.com/rogpeppe/go-internal":        {"readers/readertest"},
	"github.com/google/go-cmp":               {"readers/readertest", "engine/enginetest"},

	"github.com/apache/iceberg-go": {"cmd/hindsql-lake/lake", "cmd/hindsql-lake/resttest"},
	"golang.org/x/sync":            {"engine/confined", "cmd/hindsql-lake/lake"},
}

// calls lists the rooms that may call a function of the standard library wrapped for
// all others. internal/atomicfile makes a file appear once whole; engine does so for a
// store, engine/export for an export, and engine/fleet/push for a state that counts.
// The prompt gives an editor a temporary file.
//
// internal/regular opens files, and never waits for a pipe or reads a device. The other
// rooms open folders (readers, internal/atomicfile), or aren't part of the program:
// helpers of tests, and tools, which read this repository.
var calls = map[string][]string{
	"os.Open":         {"internal/regular", "internal/atomicfile", "readers", "readers/readertest"},
	"os.ReadFile":     append([]string{"internal/regular", "internal/corpus", "engine/enginetest", "readers/readertest"}, tools...),
	"os.DirFS":        {"internal/regular", "readers", "tools/benchpair"}, // readers list names by patterns
	"toml.DecodeFile": {},
	"ioutil.ReadFile": {},

	"os.CreateTemp": {"internal/atomicfile", "cmd/hindsql/prompt"},
	"os.Rename":     {"internal/atomicfile", "engine", "engine/store", "engine/export", "engine/fleet/push"},
}

// tools are rooms of programs for developers.
var tools = []string{"tools/benchpair", "tools/drift", "tools/pack", "tools/pack/cross"}

// Limits of size, in lines if not noted otherwise.
const (
	longestFile = 400
	longestFunc = 80
	mostLines   = 4000 // of a package
	mostMethods = 40   // of a type
)

// source is a parsed Go file, except tests.
type source struct {
	path, room string // slash-separated; room is the folder's name in imports
	text       string
	file       *ast.File
	set        *token.FileSet
}

func (s *source) line(p token.Pos) int { return s.set.Position(p).Line }

func sources(t *testing.T) []*source {
	t.Helper()
	var list []*source
	set := token.NewFileSet()
	walk(t, func(p string, text []byte) {
		if path.Ext(p) != ".go" {
			return
		}
		file, err := parser.ParseFile(set, p, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &source{p, roomOf(path.Dir(p)), string(text), file, set})
	})
	return list
}

// walk visits the files of the program, except test files and testdata. Paths are
// slash-separated.
func walk(t *testing.T, visit func(p string, text []byte)) {
	t.Helper()
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, p)
		if err == nil {
			visit(p, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// roomOf returns the room of a folder below the module's root.
func roomOf(dir string) string {
	parts := strings.Split(dir, "/")
	switch {
	case imports[dir] != nil:
		return dir
	case parts[0] == "cmd":
		return "cmd"
	case parts[0] != "readers":
		return dir
	case slices.Contains(agentFolders(), "hindsql/"+dir):
		return "readers/AGENT"
	}
	return "readers/FAMILY"
}

// agentFolders returns the packages of readers imported by readers/all.
var agentFolders = sync.OnceValue(func() (folders []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../readers/all/all.go", nil, parser.ImportsOnly)
	if err != nil {
		panic(err)
	}
	for _, spec := range file.Imports {
		if name, _ := strconv.Unquote(spec.Path.Value); strings.HasPrefix(name, "hindsql/readers/") {
			folders = append(folders, name)
		}
	}
	return folders
})

// TestRooms checks that a folder of readers is an agent's if readers/all imports the
// folder; if not, it is a family's, and may be shared.
func TestRooms(t *testing.T) {
	want := map[string]string{
		"readers": "readers", "readers/readertest": "readers/readertest", "readers/of-a-family": "readers/FAMILY",
		"engine/export": "engine/export", "cmd/hindsql": "cmd", "cmd/hindsql/prompt": "cmd/hindsql/prompt",
	}
	for _, folder := range agentFolders() {
		want[strings.TrimPrefix(folder, "hindsql/")] = "readers/AGENT"
	}
	for dir, room := range want {
		if got := roomOf(dir); got != room {
			t.Errorf("%s is %s, want %s", dir, got, room)
		}
	}
	if len(agentFolders()) == 0 {
		t.Error("readers/all imports no agent")
	}
}

// TestImportsRunOneWay checks that a package imports only the packages in its line of
// imports, and uses every package there.
func TestImportsRunOneWay(t *testing.T) {
	used := map[[2]string]bool{}
	for _, s := range sources(t) {
		allowed, ok := imports[s.room]
		if !ok && !isGround(s.room) {
			t.Errorf("%s: no line for %s in imports", s.path, s.room)
		}
		for _, spec := range s.file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			inside, ours := strings.CutPrefix(name, "hindsql/")
			room := roomOf(inside)
			used[[2]string{s.room, room}] = true
			switch {
			case ours && path.Dir(s.path) != inside && !isGround(room) && !slices.Contains(allowed, room):
				t.Errorf("%s imports %s: %s may import %v only", s.path, name, s.room, allowed)
			case !ours && strings.Contains(name, ".") && !slices.Contains(libraryRooms(name), s.room):
				t.Errorf("%s imports %s, which is for %v only", s.path, name, libraryRooms(name))
			}
		}
	}
	for room, allowed := range imports {
		for _, to := range allowed {
			if !used[[2]string{room, to}] && room != "readers/FAMILY" && to != "readers/FAMILY" { // a family may have no folders
				t.Errorf("%s doesn't import %s: take it from its line in imports", room, to)
			}
		}
	}
}

// isGround reports whether any package may import the room: packages of internal know
// nothing of agents' logs.
func isGround(room string) bool { return strings.HasPrefix(room, "internal/") }

func TestOneWriterOfWholeFiles(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			called, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, _ := called.X.(*ast.Ident)
			if of == nil {
				return true
			}
			name := of.Name + "." + called.Sel.Name
			if rooms, ok := calls[name]; ok && !slices.Contains(rooms, s.room) {
				t.Errorf("%s:%d: %s is for %v only", s.path, s.line(n.Pos()), name, rooms)
			}
			return true
		})
	}
}

// TestOneReaderOfGitsFiles checks that only internal/git reads git's files. A reader
// may know git's file names, as agents do.
func TestOneReaderOfGitsFiles(t *testing.T) {
	files := regexp.MustCompile(`["` + "`" + `/](\.git|gitdir: ?|commondir)["` + "`" + `]`)
	for _, s := range sources(t) {
		if strings.HasPrefix(s.room, "internal/git") {
			continue
		}
		for i, line := range strings.Split(s.text, "\n") {
			if files.MatchString(line) {
				t.Errorf("%s:%d: internal/git reads git's files: %s", s.path, i+1, strings.TrimSpace(line))
			}
		}
	}
}

func libraryRooms(name string) []string {
	for library, rooms := range libraries {
		if name == library || strings.HasPrefix(name, library+"/") {
			return rooms
		}
	}
	return nil
}

// TestAgentsAreNamedInTheirRooms checks that an agent's name is found only in its
// package, in readers/all, in samples, in helpers of tests, in tools/drift, which runs
// the agents, and in tools/benchpair, whose histories are one agent's. All other code
// gets the name from a reader, and lists of agents are made from the readers; cmd/hindsql
// tests the lists in pages.
func TestAgentsAreNamedInTheirRooms(t *testing.T) {
	var names []string
	for _, r := range all.Readers() {
		for _, name := range []string{r.Agent, r.Title} {
			if len(name) > 2 { // pi is a number, too
				names = append(names, regexp.QuoteMeta(name))
			}
		}
	}
	name := regexp.MustCompile(`(?i)\b(` + strings.Join(names, "|") + `)\b`)
	makers := []string{"tables/resolve/6-priced-models.sql", "tools/prices/main.go", "engine/redact/services.go"} // they name makers of models and of keys, and one maker's agent has the same name
	own := []string{"readers/AGENT", "readers/FAMILY", "readers/all", "readers/sample", "engine/enginetest", "tools/drift", "tools/benchpair"}
	walk(t, func(p string, text []byte) {
		if slices.Contains(makers, p) || slices.Contains(own, roomOf(path.Dir(p))) || !slices.Contains([]string{".go", ".sql", ".toml", ".html", ".css"}, path.Ext(p)) {
			return
		}
		for i, line := range strings.Split(string(text), "\n") {
			if agent := name.FindString(line); agent != "" {
				t.Errorf("%s:%d: names %s, an agent: what is peculiar to an agent belongs to its reader; if the word means something else, choose another word or example: %s", p, i+1, agent, strings.TrimSpace(line))
			}
		}
	})
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
					t.Errorf("%s:%d: %s has no comment", s.path, s.line(d.Pos()), d.Name)
				}
			case *ast.GenDecl:
				for _, name := range undocumented(d) {
					t.Errorf("%s:%d: %s has no comment", s.path, s.line(name.Pos()), name)
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	exported := false
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		exported = exported || ok && id.IsExported()
		return true
	})
	return exported
}

// undocumented returns the exported names of a declaration without a comment of their
// own or of their group.
func undocumented(d *ast.GenDecl) []*ast.Ident {
	var names []*ast.Ident
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Doc == nil && d.Doc == nil {
				names = append(names, s.Name)
			}
		case *ast.ValueSpec:
			if s.Doc == nil && s.Comment == nil && d.Doc == nil {
				names = append(names, s.Names...)
			}
		}
	}
	return slices.DeleteFunc(names, func(id *ast.Ident) bool { return !id.IsExported() })
}

func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		dir := path.Dir(s.path)
		documented[dir] = documented[dir] || s.file.Doc != nil
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment: what goes in, what comes out, what it never does", dir)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		n := s.line(s.file.FileEnd)
		if n > longestFile {
			t.Errorf("%s has %d lines, %d at most", s.path, n, longestFile)
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := s.line(f.End()) - s.line(f.Pos()) + 1
			if n > longestFunc {
				t.Errorf("%s:%d: %s has %d lines, %d at most", s.path, s.line(f.Pos()), f.Name, n, longestFunc)
			}
		}
	}
}

func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s:%d: init runs unasked, in an order that nobody sees", s.path, s.line(f.Pos()))
			}
		}
	}
}

// TestErrorsNameTheThingFirst checks that errors don't begin with words like "failed
// to": chained, such errors read "failed to load: failed to read: failed to open".
func TestErrorsNameTheThingFirst(t *testing.T) {
	empty := regexp.MustCompile(`\b(Errorf|New)\(["` + "`" + `](failed to|couldn't|could not|cannot|error|unable to)\b`)
	for _, s := range sources(t) {
		for i, line := range strings.Split(s.text, "\n") {
			if empty.MatchString(line) {
				t.Errorf("%s:%d: name the thing first, and what is wrong with it: %s", s.path, i+1, strings.TrimSpace(line))
			}
		}
	}
}
