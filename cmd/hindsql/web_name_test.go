package main

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"hindsql/internal/posix"
)

// TestWebName: the first server makes the name, only the user can read its file, and
// later servers use the same name.
func TestWebName(t *testing.T) {
	t.Parallel()
	e, _, _ := outside(t)
	form := regexp.MustCompile(`^[a-z2-7]{26}$`)
	names := make([]string, 8) // of concurrent servers
	var all sync.WaitGroup
	for i := range names {
		all.Go(func() {
			var err error
			if names[i], err = webName(&e); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	path := filepath.Join(e.home, ".local", "state", "hindsql", "web-name")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !form.MatchString(name) || string(text) != name+"\n" {
			t.Errorf("%q, in the file %q", name, text)
		}
	}
	for name, most := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		posix.Mode(t, name, most)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if again, err := webName(&e); err != nil || again != names[0] {
		t.Errorf("%q after %q: %v", again, names[0], err)
	}
	posix.Mode(t, path, 0o600)
	other, _, _ := outside(t)
	if name, err := webName(&other); err != nil || name == names[0] {
		t.Errorf("another home's is %q, after %q: %v", name, names[0], err)
	}
}

// TestNoWebName: without a name the pages still work, and the server says why.
func TestNoWebName(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func(env *environment, path string) error{
		"~/.local/state/hindsql/web-name: holds no name": func(env *environment, path string) error {
			return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("evil.example\n"), 0o600))
		},
		"no home folder is known": func(env *environment, _ string) error { env.home = ""; return nil },
		"not a directory": func(env *environment, _ string) error {
			return os.WriteFile(filepath.Join(env.home, ".local"), nil, fs.FileMode(0o600))
		},
	} {
		e, _, told := outside(t)
		if err := spoil(&e, filepath.Join(e.home, ".local", "state", "hindsql", "web-name")); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if name, beside := localName(&e, l); name != "" || len(beside) > 0 || !strings.Contains(told.String(), what) || !strings.Contains(told.String(), "stay at 127.0.0.1") {
			t.Errorf("%s: %q, told %s", what, name, told)
		}
	}
}
