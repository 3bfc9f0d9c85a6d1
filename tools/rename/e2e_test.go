package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestInstall renames a copy of this repository, builds and tests the copy, and has go
// install fetch the program from a proxy of files. It takes minutes, and runs only if
// $HINDSQL_RENAME is set.
func TestInstall(t *testing.T) {
	if os.Getenv("HINDSQL_RENAME") == "" {
		t.Skip("make e2e-rename builds a renamed copy")
	}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
	}
	copied := filepath.Join(t.TempDir(), "copy")
	ask(t, ".", "git", "clone", "--quiet", "../..", copied)
	done, err := rename(copied, "example.com/owner")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(done)
	t.Log(ask(t, copied, "make", "types"))
	ask(t, copied, "make", "build")
	t.Setenv("BASE", "HEAD") // .ci/check tests the rules of the house only
	t.Log(ask(t, copied, ".ci/check"))
	t.Log(ask(t, copied, "go", "test", "-tags", "duckdb_arrow", "-short", "./tables", "./queries", "./readers", "./readers/all", "./readers/pi", "./cmd/hindsql/doctor"))
	// Tests that know names of packages.
	t.Log(ask(t, copied, "go", "test", "-tags", "duckdb_arrow", "-run", "^Test(Pages|LittleAtStart)$", "./cmd/hindsql"))

	program := filepath.Join(installed(t, copied, module.Version{Path: "example.com/owner/hindsql", Version: "v0.0.1"}), "hindsql")
	if out := ask(t, copied, program, "version"); !strings.HasPrefix(out, "hindsql v0.0.1 (") {
		t.Errorf("version: %s", out)
	} else {
		t.Log(out)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // the sample's store
	t.Setenv("HINDSQL_SAMPLE_DAY", "2026-10-22")
	overview := []string{"--sample", "run", "overview"}
	if got, want := ask(t, copied, program, overview...), ask(t, copied, "bin/hindsql", overview...); got != want || !strings.Contains(got, "projects; top=0 for all") {
		t.Errorf("overview of the installed program:\n%s\nwant\n%s", got, want)
	}
}

// installed packs a repository's commit as a module into a proxy of files, installs the
// program from the proxy, and returns the program's folder. Other modules come from the
// usual proxy, or from the module cache of this machine.
func installed(t *testing.T, repository string, of module.Version) string {
	t.Helper()
	proxy, bin := t.TempDir(), t.TempDir()
	versions := filepath.Join(proxy, filepath.FromSlash(of.Path), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(filepath.Join(versions, of.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromVCS(archive, of, repository, "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	about, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": of.Version + "\n", of.Version + ".mod": string(about), of.Version + ".info": fmt.Sprintf("{%q: %q}", "Version", of.Version)} {
		if err := os.WriteFile(filepath.Join(versions, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cache := ask(t, ".", "go", "env", "GOMODCACHE")
	forget(t, cache, of.Path) // by an earlier run that was killed
	t.Cleanup(func() { forget(t, cache, of.Path) })
	c := exec.Command("go", "install", "-tags", "duckdb_arrow", of.Path+"/cmd/hindsql@"+of.Version)
	c.Dir = proxy
	c.Env = append(os.Environ(), "GOBIN="+bin, "GONOSUMDB="+of.Path, "GOPROXY=file://"+proxy+","+ask(t, ".", "go", "env", "GOPROXY"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	return bin
}

// forget removes a made-up module from the module cache, whose files are write-protected.
func forget(t *testing.T, cache, path string) {
	t.Helper()
	for _, top := range []string{cache, filepath.Join(cache, "cache", "download")} {
		owner := filepath.Dir(filepath.Join(top, filepath.FromSlash(path)))
		_ = filepath.WalkDir(owner, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(name, 0o755)
			}
			return err
		})
		if err := os.RemoveAll(owner); err != nil {
			t.Error(err)
		}
		_ = os.Remove(filepath.Dir(owner)) // the host's folder, if empty
	}
}
