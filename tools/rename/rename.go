package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// rename moves the modules of a repository below owner, HOST/OWNER, commits, and says
// what was done.
func rename(repository, owner string) (string, error) {
	if dirty, err := git(repository, "status", "--porcelain"); err != nil {
		return "", err
	} else if dirty != "" {
		return "", fmt.Errorf("%s: there are uncommitted changes: commit or stash them first\n%s", repository, dirty)
	}
	m, err := newMove(repository, owner)
	if err != nil {
		return "", err
	}
	changed, err := m.changes()
	if err != nil {
		return "", err
	}
	for name, text := range changed {
		if err := os.WriteFile(filepath.Join(repository, name), text, 0o644); err != nil {
			return "", err
		}
	}
	if _, err := git(repository, "commit", "--quiet", "--all", "--message", "modules: move to "+m.to); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is %s now: %d files changed, in one commit", m.from, m.to, len(changed)), nil
}

// move is a change of the path of the module at the top.
type move struct {
	repository string
	from, to   string
	files      []string        // tracked files, slash-separated
	folders    map[string]bool // folders with Go files, and the folders above
}

func newMove(repository, owner string) (*move, error) {
	text, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		return nil, err
	}
	m := &move{repository: repository, from: modfile.ModulePath(text), folders: map[string]bool{}}
	name := path.Base(m.from)
	m.to = owner + "/" + name
	switch err := module.CheckPath(m.to); {
	case m.from == "":
		return nil, errors.New("go.mod: no module line")
	case path.Base(owner) == name:
		return nil, fmt.Errorf("%s: name the owner only, such as example.com/owner: /%s is added", owner, name)
	case err != nil:
		return nil, err
	case !strings.Contains(owner, "/"):
		return nil, fmt.Errorf("%s: no owner: such as example.com/owner", owner)
	case m.to == m.from:
		return nil, fmt.Errorf("%s: the modules have this address already", owner)
	}
	tracked, err := git(repository, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Split(strings.TrimSuffix(tracked, "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(repository, name)); err != nil {
			return nil, err
		} else if !info.Mode().IsRegular() {
			continue
		}
		m.files = append(m.files, name)
		if path.Ext(name) == ".go" {
			for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
				m.folders[folder] = true
			}
		}
	}
	return m, nil
}

// changes returns the new texts of all files that change, by name.
func (m *move) changes() (map[string][]byte, error) {
	changed := map[string][]byte{}
	var errs []error
	for _, name := range m.files {
		old, err := os.ReadFile(filepath.Join(m.repository, name))
		if err != nil {
			return nil, err
		}
		if text, err := m.file(name, old); err != nil {
			errs = append(errs, err)
		} else if !bytes.Equal(text, old) {
			changed[name] = text
		}
	}
	for _, p := range places {
		if !slices.Contains(m.files, p.file) {
			errs = append(errs, fmt.Errorf("%s: no such file: mend the list in tools/rename/places.go", p.file))
		}
	}
	return changed, errors.Join(errs...)
}

// file returns the new text of a file. Go files below testdata belong to tests, and to
// no module.
func (m *move) file(name string, text []byte) ([]byte, error) {
	text, err := m.placesIn(name, text)
	switch {
	case err != nil:
	case path.Base(name) == "go.mod":
		return m.modFile(name, text)
	case path.Ext(name) == ".go" && !strings.Contains("/"+name, "/testdata/"):
		return m.goFile(name, text)
	case path.Ext(name) == ".md":
		return m.page(text), nil
	}
	return text, err
}

// moved returns the new path of a package or a module; false if the path isn't ours.
func (m *move) moved(name string) (string, bool) {
	if name == m.from {
		return m.to, true
	}
	inside, ours := strings.CutPrefix(name, m.from+"/")
	return m.to + "/" + inside, ours
}

// modFile rewrites a go.mod. Comments stay, and blocks are sorted as go mod tidy sorts
// them.
func (m *move) modFile(name string, text []byte) ([]byte, error) {
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	found := false
	rewrite := func(line *modfile.Line) {
		for i, token := range line.Token {
			if to, ours := m.moved(strings.Trim(token, `"`)); ours {
				line.Token[i], found = to, true
			}
		}
	}
	for _, statement := range f.Syntax.Stmt {
		switch s := statement.(type) {
		case *modfile.Line:
			rewrite(s)
		case *modfile.LineBlock:
			for _, line := range s.Line {
				rewrite(line)
			}
		}
	}
	if !found {
		return text, nil
	}
	if f, err = modfile.Parse(name, modfile.Format(f.Syntax), nil); err != nil {
		return nil, err
	}
	f.SortBlocks()
	return f.Format()
}

// git runs git in the repository, and returns the output.
func git(repository string, args ...string) (string, error) {
	c := exec.Command("git", append([]string{"-C", repository}, args...)...)
	var failed strings.Builder
	c.Stderr = &failed
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(failed.String()))
	}
	return string(out), nil
}
