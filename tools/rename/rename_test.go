package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tiny is a repository with each kind of text that a rename changes, and texts that
// look alike and stay. @ stands for the module's path, § for its address.
var tiny = map[string]string{
	"go.mod": "module @\n\ngo 1.26\n",
	"inner/inner.go": `// Package inner is imported. See [@/inner/deep.Name].
package inner

// Folder is the user's.
const Folder = "the folder hindsql/inner"
`,
	"inner/deep/deep.go": "package deep\n\nconst Name = \"hindsql/none\"\n",
	"cmd/hindsql/main.go": `package main

import (
	_ "@/inner" // a reason
	deeper "@/inner/deep"
	"strings"
)

func main() {
	for _, path := range []string{"@/", "@/inner/", "@/inner", "@/inner is ours", "hindsql/inner.txt", "hindsql", "hindsql/history", "/hindsql/inner"} {
		println(strings.TrimPrefix(deeper.Name, path))
	}
}
`,
	"cmd/hindsql-lake/go.mod":  "module @/cmd/hindsql-lake\n\ngo 1.26\n\nreplace @ => ../..\n\nrequire @ v0.0.0 // a reason\n",
	"cmd/hindsql-lake/main.go": "package main\n\nimport \"@/inner\"\n\nfunc main() { println(inner.Folder) }\n",
	"tools/testdata/go.mod":    "module planted\n\ngo 1.26\n",
	"tools/testdata/broken.go": "package broken {\n",
	"tools/pack/manifests.go":  "package pack\n\nconst (\n\tdownloads = \"§/releases/download/v\"\n\thomepage = \"§\"\n)\n",
	".ci/check":                "for package in @/internal/lint; do sed 's,^\\./,@/,'; grep -vx @/internal/lint; done\n",
	"CONTRIBUTING.md":          "Import `@/readers/AGENT`. The files lie in ~/.config/hindsql/queries.\n",
}

// written returns the files of tiny, with a path in them.
func written(path string) map[string]string {
	files := map[string]string{}
	for name, text := range tiny {
		files[name] = strings.NewReplacer("@", path, "§", addressOf(path)).Replace(text)
	}
	return files
}

func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
	}
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ask(t, dir, "git", "init", "--quiet")
	ask(t, dir, "git", "add", "--all")
	ask(t, dir, "git", "commit", "--quiet", "--message", "first")
	return dir
}

// ask runs a program in a folder, and returns its output.
func ask(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestRename gives a tiny repository an address, and then another.
func TestRename(t *testing.T) {
	dir := repository(t, written("hindsql"))
	if err := os.Chmod(filepath.Join(dir, ".ci", "check"), 0o755); err != nil {
		t.Fatal(err)
	}
	ask(t, dir, "git", "commit", "--quiet", "--all", "--message", "mode")
	for i, owner := range []string{"example.com/owner", "example.org/a/group"} {
		if done, err := rename(dir, owner); err != nil || !strings.Contains(done, "8 files changed") {
			t.Fatalf("%s: %q, %v", owner, done, err)
		}
		for name, want := range written(owner + "/hindsql") {
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || string(got) != want {
				t.Errorf("%s of %s, %v:\n%s\nwant\n%s", name, owner, err, got, want)
			}
		}
		if log := ask(t, dir, "git", "log", "--format=%s"); strings.Count(log, "\n") != i+2 || !strings.HasPrefix(log, "modules: move to "+owner+"/hindsql\n") {
			t.Errorf("commits: %s", log)
		}
		if left := ask(t, dir, "git", "status", "--porcelain"); left != "" {
			t.Errorf("not committed: %s", left)
		}
		for _, module := range []string{".", "cmd/hindsql-lake"} {
			ask(t, filepath.Join(dir, module), "go", "vet", "./...")
		}
	}
	if info, err := os.Stat(filepath.Join(dir, ".ci", "check")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestRefused checks that a refused rename changes nothing.
func TestRefused(t *testing.T) {
	for _, test := range []struct {
		name, owner, file, text, want string
	}{
		{"dirty", "example.com/owner", "new.txt", "x", "uncommitted changes: commit or stash them first"},
		{"host", "owner", "", "", "missing dot in first path element"},
		{"no owner", "example.com", "", "", "no owner: such as example.com/owner"},
		{"name", "example.com/owner/hindsql", "", "", "/hindsql is added"},
		{"space", "example.com/an owner", "", "", "malformed module path"},
		{"place", "example.com/owner", "CONTRIBUTING.md", "Nothing.\n", `CONTRIBUTING.md: "Import ` + "`hindsql/readers/AGENT`" + `" is there 0 times`},
		{"no file", "example.com/owner", ".ci/check", "", ".ci/check: no such file"},
		{"broken", "example.com/owner", "inner/inner.go", "package {", "inner/inner.go:1:9: expected 'IDENT'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := written("hindsql")
			if test.text == "" {
				delete(files, test.file)
			} else if test.name != "dirty" {
				files[test.file] = test.text
			}
			dir := repository(t, files)
			if test.name == "dirty" {
				if err := os.WriteFile(filepath.Join(dir, test.file), []byte(test.text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			before := ask(t, dir, "git", "rev-parse", "HEAD") + ask(t, dir, "git", "status", "--porcelain")
			if _, err := rename(dir, test.owner); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if after := ask(t, dir, "git", "rev-parse", "HEAD") + ask(t, dir, "git", "status", "--porcelain"); after != before {
				t.Errorf("changed: %s", after)
			}
		})
	}
}

// TestNothingIsForgotten looks, in this repository, for paths of our packages that a
// rename would leave.
func TestNothingIsForgotten(t *testing.T) {
	m, err := newMove(filepath.Join("..", ".."), "example.net/tested")
	if err != nil {
		t.Fatal(err)
	}
	changed, err := m.changes()
	if err != nil {
		t.Fatal(err)
	}
	if len(changed) < 400 {
		t.Errorf("only %d files change", len(changed))
	}
	// A folder's name, such as ~/.config/hindsql/queries, has a slash before.
	path := regexp.MustCompile(`(?:^|[^\w./\\-])` + regexp.QuoteMeta(m.from) + `/([\w/-]+)`)
	for _, name := range m.files {
		text, ok := changed[name]
		if !ok {
			if text, err = os.ReadFile(filepath.Join(m.repository, name)); err != nil {
				t.Fatal(err)
			}
		}
		for _, found := range path.FindAllSubmatchIndex(text, -1) {
			before := text[max(0, found[0]-12):found[2]]
			if m.folders[string(text[found[2]:found[3]])] && !strings.Contains(string(before), "folder ") {
				t.Errorf("%s: %s stays: tools/rename should know", name, text[found[0]:found[3]])
			}
		}
	}
}
