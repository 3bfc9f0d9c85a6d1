package skills

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

// State is the state of a skill's file.
type State string

// The states of a skill's file.
const (
	Missing State = "not installed"
	Current State = "up to date"             // same text as this build's
	Stale   State = "not this build's text"  // written by another build, or edited since
	Foreign State = "not written by hindsql" // the mark is missing
)

// mark begins the first line below the frontmatter of each skill. A file with the mark
// there is hindsql's, to replace and to remove. The rest of the line tells a user how to
// keep a changed file.
const mark = "<!-- Written by hindsql skill install"

// Place is where a skill's file is or would be, and the state of the file.
type Place struct {
	Skill *Skill
	Path  string // of the file
	State State
}

// Look checks a skill's file in a folder of skills. It returns an error if the file
// can't be read.
func (s *Skill) Look(folder string, agents []string) (Place, error) {
	p := Place{Skill: s, Path: filepath.Join(folder, s.Folder, File), State: Missing}
	text, err := regular.Read(p.Path, regular.InRepository)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case errors.As(err, new(*regular.NotAFile)), errors.As(err, new(*regular.TooLarge)):
		p.State = Foreign
		return p, nil
	case err != nil:
		return p, err
	}
	switch text := strings.ReplaceAll(string(text), "\r\n", "\n"); { // git may write CRLF
	case !strings.Contains(text, "\n---\n"+mark):
		p.State = Foreign
	case text == s.Text(agents):
		p.State = Current
	default:
		p.State = Stale
	}
	return p, nil
}

// Ours reports whether hindsql wrote the file.
func (p *Place) Ours() bool { return p.State == Current || p.State == Stale }

// Write writes this build's text atomically. A new file is the user's alone, or, if it
// is shared in a repository, everybody may read it. An existing file keeps its mode, and
// an existing link stays a link.
func (p *Place) Write(agents []string, shared bool) error {
	folder, mode := fs.FileMode(0o700), fs.FileMode(0o600)
	if shared {
		folder, mode = 0o755, 0o644
	}
	if info, err := os.Stat(p.Path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), folder); err != nil {
		return err
	}
	if err := atomicfile.Write(p.Path, []byte(p.Skill.Text(agents))); err != nil {
		return err
	}
	return os.Chmod(p.Path, mode)
}

// Remove deletes the file, then up to three parent folders that are empty and below
// top. It keeps links to folders.
func (p *Place) Remove(top string) error {
	if err := os.Remove(p.Path); err != nil {
		return err
	}
	dir := filepath.Dir(p.Path)
	for range 3 {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || dir == top || os.Remove(dir) != nil {
			return nil //nolint:nilerr // a folder that isn't empty stays
		}
		dir = filepath.Dir(dir)
	}
	return nil
}
