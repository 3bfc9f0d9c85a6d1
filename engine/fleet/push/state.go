package push

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"hindsql/engine/fleet/landing"
	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

// state is the machine's memory of its pushes to a target. If the state is lost, the
// next push computes all rows again, but sends no file that the target's manifest
// already names.
type state struct {
	Machine   string   `json:"machine"`
	Writer    string   `json:"writer"` // distinguishes this state's pushes from another machine's with the same id
	Consent   string   `json:"consent,omitempty"`
	Forgotten bool     `json:"forgotten,omitempty"`
	Options   string   `json:"options"`
	Mark      string   `json:"mark"`     // mark of the store's content
	Projects  []string `json:"projects"` // all examined projects
	Private   string   `json:"private"`  // digest of the decisions about projects
	Unnamed   int64    `json:"unnamed"`  // sessions, see Report
	// Repositories maps projects that are worktrees to their repository.
	Repositories map[string]string `json:"repositories,omitempty"`
	Sum          string            `json:"sha256"` // of the manifest
	Before       string            `json:"before"` // of the manifest before
	Manifest     *landing.Manifest `json:"manifest"`
	Sources      map[int64]string  `json:"sources"` // state of each log when its rows were read
	Units        map[string]*unit  `json:"units"`   // by the name that item.unit returns

	isCutOff bool // the manifest may not have been written
}

// unit is the content of one file: the rows of a table and a day.
type unit struct {
	File   string           `json:"file"`
	Raw    map[int64]rows   `json:"raw"`    // by source, as in the store
	Landed map[int64]string `json:"landed"` // by source, as in the file
}

// rows are hashes that reveal whether rows changed.
type rows struct {
	Brief string `json:"b"`           // of all columns, or without long texts for the tables in asLogged
	Full  string `json:"f,omitempty"` // with long texts; empty for tables not in asLogged
}

func newState(machine string) *state {
	return &state{Machine: machine, Writer: rand.Text(), Sources: map[int64]string{}, Units: map[string]*unit{}}
}

// statePath returns the path of the state's file, without its ending.
func (p *pushing) statePath() string {
	return filepath.Join(p.State, digest(p.Target.Place, p.machine)[:16])
}

// The endings of the state's files.
const (
	stateEnding = ".json"
	nextEnding  = ".next.json" // state of a push whose manifest may be written
)

// readState reads the state of the last push. If a push was cut off while writing its
// manifest, readState returns the state of that push, because all files were sent. An
// unreadable state counts as lost.
func readState(path string) (*state, error) {
	for _, ending := range []string{nextEnding, stateEnding} {
		text, err := regular.Read(path+ending, regular.Own)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s := newState("")
		if json.Unmarshal(text, s) == nil && s.Units != nil && s.Sources != nil {
			s.isCutOff = ending == nextEnding
			return s, nil
		}
	}
	return newState(""), nil
}

func (s *state) write(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, text)
}

// keep writes the state as the last push's, atomically.
func (s *state) keep(path string) error {
	if err := s.write(path + nextEnding); err != nil {
		return err
	}
	return settle(path)
}

// settle finishes the state of a cut-off push after its manifest is written.
func settle(path string) error { return os.Rename(path+nextEnding, path+stateEnding) }

func makeFolder(path string) error {
	if path == "" {
		return errors.New("no home folder is known; what was pushed is kept there")
	}
	return os.MkdirAll(path, 0o700)
}
