package readers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/posix"
	"hindsql/readers"
)

func finder() *readers.Reader {
	return &readers.Reader{
		Agent: "toy",
		Env:   "TOY_HOME",
		Roots: func(h readers.Host) []string { return []string{filepath.Join(h.Home, ".toy")} },
		Under: []string{"logs", "history.jsonl"},
		IsLog: func(rel string) bool { return strings.HasSuffix(rel, ".jsonl") },
	}
}

func TestPlaces(t *testing.T) {
	here, _ := os.Getwd()
	a, b, x := posix.Path("/a"), posix.Path("/b"), posix.Path("/x")
	for _, test := range []struct {
		name, env string
		flags     []string
		want      []readers.Place
	}{
		{"default", "", nil, []readers.Place{{posix.Path("/home/me/.toy"), "default"}}},
		{"environment", "/a", nil, []readers.Place{{a, "TOY_HOME"}}},
		{"environment with several", " /a ,,/b/", nil, []readers.Place{{a, "TOY_HOME"}, {b, "TOY_HOME"}}},
		{"flags", "/a", []string{"/x", "y"}, []readers.Place{{x, "--root"}, {filepath.Join(here, "y"), "--root"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			host := readers.Host{Home: "/home/me", Getenv: func(name string) string {
				if name != "TOY_HOME" {
					t.Errorf("asks for %s", name)
				}
				return test.env
			}}
			if diff := cmp.Diff(test.want, finder().Places(host, test.flags)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The environment variable may name the parent of the root.
func TestPlacesBelowTheVariables(t *testing.T) {
	host := readers.Host{Getenv: func(string) string { return "/a, ,/b" }}
	r := finder()
	r.EnvSub = ".toy"
	want := []readers.Place{{posix.Path("/a/.toy"), "TOY_HOME"}, {posix.Path("/b/.toy"), "TOY_HOME"}}
	if diff := cmp.Diff(want, r.Places(host, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := r.Places(host, []string{"/x"}); got[0].Path != posix.Path("/x") {
		t.Errorf("%v: a flag names the root itself", got)
	}
}

// tree creates files in a new folder whose path has no link. A value that begins with
// "->" makes a link.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for rel, text := range files {
		p := filepath.Join(root, rel)
		if strings.HasPrefix(text, "->") {
			posix.Links(t)
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(text, "->"); ok {
			err = os.Symlink(filepath.FromSlash(target), p)
		} else {
			err = os.WriteFile(p, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// found lists the logs below places as root and path below the root.
func found(t *testing.T, base string, places ...string) ([]string, error) {
	t.Helper()
	var in []readers.Place
	for _, p := range places {
		in = append(in, readers.Place{Path: filepath.Join(base, p)})
	}
	logs, err := finder().Find(in)
	var list []string
	for _, l := range logs {
		root, _ := filepath.Rel(base, l.Root)
		list = append(list, root+" "+l.Rel)
		if l.Path != filepath.Join(l.Root, l.Rel) || l.Size != 1 {
			t.Errorf("%s: path %s, size %d", l.Rel, l.Path, l.Size)
		}
	}
	return list, err
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		name   string
		files  map[string]string
		places []string
		want   []string
	}{
		{"in order, logs only", map[string]string{"a/logs/2.jsonl": "x", "a/logs/1/3.jsonl": "x", "a/logs/no.txt": "x", "a/history.jsonl": "x", "a/other/4.jsonl": "x"},
			[]string{"a"}, []string{"a history.jsonl", "a logs/1/3.jsonl", "a logs/2.jsonl"}},
		{"several roots, one gone", map[string]string{"a/logs/1.jsonl": "x", "b/logs/1.jsonl": "x"},
			[]string{"b", "gone", "a"}, []string{"a logs/1.jsonl", "b logs/1.jsonl"}},
		{"the same root twice", map[string]string{"a/logs/1.jsonl": "x"}, []string{"a", "a"}, []string{"a logs/1.jsonl"}},
		{"a root that is a link to another", map[string]string{"a/logs/1.jsonl": "x", "b": "->a"}, []string{"a", "b"}, []string{"a logs/1.jsonl"}},
		{"a root that is a link", map[string]string{"a/logs/1.jsonl": "x", "b": "->a"}, []string{"b"}, []string{"b logs/1.jsonl"}},
		{"a file as root", map[string]string{"a/1.jsonl": "x", "a/2.jsonl": "x"}, []string{"a/1.jsonl"}, []string{"a 1.jsonl"}},
		{"a file that is no log", map[string]string{"a/1.txt": "x"}, []string{"a/1.txt"}, nil},
		{"a link to a folder", map[string]string{"a/logs/p": "->../../far", "far/1.jsonl": "x"}, []string{"a"}, []string{"a logs/p/1.jsonl"}},
		{"a link to a file", map[string]string{"a/logs/1.jsonl": "->../../far.data", "far.data": "x"}, []string{"a"}, []string{"a logs/1.jsonl"}},
		{"the real path before the link", map[string]string{"a/logs/z/1.jsonl": "x", "a/logs/b": "->z"}, []string{"a"}, []string{"a logs/z/1.jsonl"}},
		{"two links to one folder", map[string]string{"a/logs/q": "->../../far", "a/logs/p": "->../../far", "far/1.jsonl": "x"}, []string{"a"}, []string{"a logs/p/1.jsonl"}},
		{"links behind links", map[string]string{"a/logs/p": "->../../far", "far/q": "->../further", "further/1.jsonl": "x"}, []string{"a"}, []string{"a logs/p/q/1.jsonl"}},
		{"a loop", map[string]string{"a/logs/x/1.jsonl": "x", "a/logs/x/up": "->..", "a/logs/y": "->x"}, []string{"a"}, []string{"a logs/x/1.jsonl"}},
		{"a link to nothing", map[string]string{"a/logs/1.jsonl": "x", "a/logs/2.jsonl": "->gone"}, []string{"a"}, []string{"a logs/1.jsonl"}},
		{"a folder named as a log", map[string]string{"a/logs/d.jsonl/1.jsonl": "x"}, []string{"a"}, []string{"a logs/d.jsonl/1.jsonl"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 5 { // folders are listed in parallel, and their order must not matter
				got, err := found(t, tree(t, test.files), test.places...)
				if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
					t.Fatalf("error %v (-want +got):\n%s", err, diff)
				}
			}
		})
	}
}

func TestFindGoesOnAfterAnError(t *testing.T) {
	posix.Only(t, "a mode shuts the folder")
	base := tree(t, map[string]string{"a/logs/1.jsonl": "x", "a/logs/self": "->self", "a/logs/shut/2.jsonl": "x"})
	shut := filepath.Join(base, "a/logs/shut")
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(shut, 0o755) })
	got, err := found(t, base, "a")
	want := []string{"a logs/1.jsonl"}
	wantErrors := 2
	if os.Geteuid() == 0 { // root can read every folder
		want, wantErrors = append(want, "a logs/shut/2.jsonl"), 1
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err == nil || strings.Count(err.Error(), "toy: ") != wantErrors {
		t.Errorf("errors: %v; want %d", err, wantErrors)
	}
}

// A compressed log isn't found while the log itself lies beside it.
func TestFindLeavesOutCompressedCopies(t *testing.T) {
	r := finder()
	r.Packed = ".zst"
	r.IsLog = func(rel string) bool { return strings.HasSuffix(strings.TrimSuffix(rel, ".zst"), ".jsonl") }
	root := tree(t, map[string]string{"logs/a.jsonl": "", "logs/a.jsonl.zst": "", "logs/b.jsonl.zst": "", "logs/deep/a.jsonl.zst": ""})
	logs, err := r.Find([]readers.Place{{Path: root}})
	var found []string
	for _, log := range logs {
		found = append(found, log.Rel)
	}
	if diff := cmp.Diff([]string{"logs/a.jsonl", "logs/b.jsonl.zst", "logs/deep/a.jsonl.zst"}, found); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}
