package skills

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"hindsql/internal/atomicfile"
)

// State is what stands in the place of a skill's file.
type State string

// The states of a place.
const (
	Missing State = "not installed"
	Current State = "up to date"       // it says what this build says
	Other   State = "of another build" // hindsql wrote it, and nobody changed it
	Changed State = "changed by hand"  // hindsql wrote it, and somebody changed it
	Foreign State = "not written by hindsql"
)

// Place is where a skill's file lies, or would.
type Place struct {
	Skill   *Skill
	Path    string // of the file
	State   State
	Version string // of the build that wrote it; empty where none did
}

// Look tells what stands in a folder of skills in the skill's place. The error is
// that of a file that can't be read.
func (s *Skill) Look(folder string, b Build) (Place, error) {
	p := Place{Skill: s, Path: filepath.Join(folder, s.Folder, File), State: Missing}
	info, err := os.Stat(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for ever
		p.State = Foreign
		return p, nil
	}
	text, err := os.ReadFile(p.Path)
	if err != nil {
		return p, err
	}
	p.judge(stampOf(string(text)), stampOf(s.Text(b)))
	return p, nil
}

// judge compares what a file says of itself, and holds, with this build's.
func (p *Place) judge(is, ours stamp) {
	p.Version = is.version
	switch {
	case is.sum == "":
		p.State = Foreign
	case is.sum != is.real:
		p.State = Changed
	case is.real == ours.real: // the version alone makes no other file
		p.State = Current
	default:
		p.State = Other
	}
}

// Ours says that hindsql wrote the file, and nobody changed it.
func (p *Place) Ours() bool { return p.State == Current || p.State == Other }

// Modes are those of what is written: of new folders, and of a new file.
type Modes struct{ Folder, File fs.FileMode }

// The modes in a home folder, where what hindsql writes is its user's alone, and
// in a repository, whose files are everybody's.
var (
	Private = Modes{0o700, 0o600}
	Shared  = Modes{0o755, 0o644}
)

// Write puts this build's text there, whole or not at all. A file that was there
// keeps its mode; a link stays one.
func (p *Place) Write(b Build, modes Modes) error {
	mode := modes.File
	if info, err := os.Stat(p.Path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(p.Path), modes.Folder); err != nil {
		return err
	}
	f, err := atomicfile.Create(p.Path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if _, err := f.WriteString(p.Skill.Text(b)); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	return f.Commit()
}

// Remove removes the file, and of the folders above it those that are empty then:
// its own, that of skills, and the one that holds that, but never top or what is
// above it. A link to a folder stays.
func (p *Place) Remove(top string) error {
	if err := os.Remove(p.Path); err != nil {
		return err
	}
	dir := filepath.Dir(p.Path)
	for range 3 {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || dir == top || os.Remove(dir) != nil {
			return nil //nolint:nilerr // what isn't empty stays
		}
		dir = filepath.Dir(dir)
	}
	return nil
}
