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
	"hindsql/tables"
)

// state is what a machine knows of its pushes to a target. Where it is lost, all
// is worked out again, and what the target's manifest names isn't sent again.
type state struct {
	Machine   string   `json:"machine"`
	Writer    string   `json:"writer"` // tells this state's pushes from those of another machine with the same id
	Consent   string   `json:"consent,omitempty"`
	Forgotten bool     `json:"forgotten,omitempty"`
	Options   string   `json:"options"`
	Mark      string   `json:"mark"`     // the store's
	Projects  []string `json:"projects"` // all that were looked at
	Private   string   `json:"private"`  // digest of what was said of them
	Unnamed   int64    `json:"unnamed"`  // see Report
	// Of the projects that are worktrees of other ones.
	Repositories map[string]string `json:"repositories,omitempty"`
	Sum          string            `json:"sha256"` // of the manifest
	Before       string            `json:"before"` // that of the manifest which it replaced
	Manifest     *landing.Manifest `json:"manifest"`
	Sources      map[int64]string  `json:"sources"` // what each was when its rows were read
	Units        map[string]*unit  `json:"units"`   // by what a file is of, see item.unit

	isCutOff bool // its manifest may not have been written
}

// unit is what one file holds: the rows of a table and a day.
type unit struct {
	File   string           `json:"file"`
	Raw    map[int64]rows   `json:"raw"`    // by source, as the store has them
	Landed map[int64]string `json:"landed"` // likewise, as they are in the file
}

// rows tell what rows are from what they were.
type rows struct {
	Brief string `json:"b"`           // without long texts
	Full  string `json:"f,omitempty"` // with them; empty where there are none
}

func newState(machine string) *state {
	return &state{Machine: machine, Writer: rand.Text(), Sources: map[int64]string{}, Units: map[string]*unit{}}
}

// statePath is the file of the state, without its ending.
func (p *pushing) statePath() string {
	return filepath.Join(p.State, digest(p.Target.Place, p.machine)[:16])
}

// The endings of a state's files.
const (
	stateEnding = ".json"
	nextEnding  = ".next.json" // of a push whose manifest may have been written
)

// readState reads the last push's state: of one that was cut off while it wrote
// its manifest, that one's, as all its files are there. One that can't be read
// counts as lost.
func readState(path string) (*state, error) {
	for _, ending := range []string{nextEnding, stateEnding} {
		text, err := os.ReadFile(path + ending)
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

// keep makes the state the last one, in one step.
func (s *state) keep(path string) error {
	if err := s.write(path + nextEnding); err != nil {
		return err
	}
	return settle(path)
}

// settle does that with the state of a push whose manifest is written now.
func settle(path string) error { return os.Rename(path+nextEnding, path+stateEnding) }

func makeFolder(path string) error {
	if path == "" {
		return errors.New("no home folder is known; what was pushed is kept there")
	}
	return os.MkdirAll(path, 0o700)
}

func schemaOf() string { return tables.SchemaHash() }
