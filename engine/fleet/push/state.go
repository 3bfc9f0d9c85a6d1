package push

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// save writes the state as the last push's, atomically.
func (s *state) save(path string) error {
	if err := s.write(path + nextEnding); err != nil {
		return err
	}
	return commitState(path)
}

// commitState finishes the state of a cut-off push after its manifest is written.
func commitState(path string) error { return os.Rename(path+nextEnding, path+stateEnding) }

func makeFolder(path string) error {
	if path == "" {
		return errors.New("no home folder is known; what was pushed is kept there")
	}
	return os.MkdirAll(path, 0o700)
}

// remote is the state of the machine's files at a target.
type remote struct {
	sum       string            // of the manifest's text; empty if the machine has no manifest
	manifest  *landing.Manifest // nil if missing or torn
	tombstone *landing.Tombstone
	forbidden bool // the machine may only write to the target
}

// Forgotten is the error of a push from a machine with a tombstone at the target.
type Forgotten struct{ URL, Machine string }

// Error tells the user how to push again.
func (f *Forgotten) Error() string {
	return fmt.Sprintf("%s: machine %s was forgotten there; hindsql push --consent %[1]s pushes again", f.URL, f.Machine)
}

// IDConflict is the error of a push after another machine pushed with the same id.
type IDConflict struct{ URL, Machine string }

// Error tells the user the two ways to continue.
func (t *IDConflict) Error() string {
	return fmt.Sprintf("%s: another machine has this machine's id, %s, and pushed there; if this one is a copy of it, hindsql machine new gives it an id of its own; "+
		"if there is no other one any more, hindsql push --take-over", t.URL, t.Machine)
}

// readTarget reads the machine's manifest and tombstone at the target, and compares
// them with the local state. The error is a [*Forgotten] if the machine was forgotten,
// and a [*IDConflict] if another machine pushed with the same id.
func (p *pushing) readTarget(ctx context.Context) error {
	if err := p.Target.Check(false); err != nil {
		return err
	}
	there, err := p.readRemote(ctx)
	if err != nil {
		return err
	}
	p.seen = there.sum
	if err := p.compare(there); err != nil {
		return err
	}
	p.consent = p.was.Consent
	if p.was.Manifest == nil && there.manifest != nil && !p.was.Forgotten {
		p.consent = there.manifest.Consent
	}
	// A machine without its old state has no consent, so every tombstone applies.
	forgotten := p.was.Forgotten || there.tombstone != nil && (p.consent == "" || there.tombstone.Consent == p.consent)
	switch {
	// If the target can't be read, a tombstone may exist. A new consent then costs a
	// push of all rows.
	case p.Consent && (forgotten || there.forbidden && p.consent == ""):
		p.consent, p.base = rand.Text(), there.manifest
	case forgotten:
		return &Forgotten{p.Target.URL, p.machine}
	}
	return nil
}

// compare finds out which of the machine's files lie at the target, and notes them in
// p.base.
func (p *pushing) compare(there remote) error {
	had := p.was.Manifest
	if had != nil {
		p.last = had.Generation
	}
	m := there.manifest
	if m != nil {
		p.last = max(p.last, m.Generation)
	}
	before := p.was.isCutOff && there.sum == p.was.Before // the files were sent, but not the manifest
	if (before || there.forbidden) && p.was.isCutOff && p.Now().Sub(had.WrittenAt) > graceOfFiles/2 {
		p.resetState() // a committer may have deleted files that no manifest named
		p.base = m
		return nil
	}
	switch {
	case there.forbidden || had != nil && (there.sum == p.was.Sum || before):
		p.base = had
		return nil
	case m == nil: // nothing, or a torn manifest: all rows are sent again
		p.resetState()
		return nil
	case had == nil || p.TakeOver:
	case m.Writer != p.was.Writer || m.Generation >= had.Generation:
		return &IDConflict{p.Target.URL, p.machine}
	}
	p.resetState() // the machine lost its state, or an older manifest was put back
	p.base = m
	return nil
}

// resetState resets the state, except the writer, the consent and the mark of a
// tombstone.
func (p *pushing) resetState() {
	fresh := newState(p.machine)
	fresh.Writer, fresh.Consent, fresh.Forgotten = p.was.Writer, p.was.Consent, p.was.Forgotten
	p.was = fresh
}

func (p *pushing) readRemote(ctx context.Context) (there remote, err error) {
	text, err := p.get(ctx, landing.ManifestName)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return remote{forbidden: true}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return there, err
	case err == nil:
		there.sum = sumOfManifest(text)
		if there.sum == p.was.Sum {
			there.manifest = p.was.Manifest
		} else if m, err := landing.Parse(text); err == nil && m.Machine == p.machine {
			there.manifest = m
		}
	}
	text, err = p.get(ctx, landing.TombstoneName)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return there, nil
	case err != nil:
		return there, err
	}
	there.tombstone = &landing.Tombstone{}
	if err := json.Unmarshal(text, there.tombstone); err != nil {
		return there, fmt.Errorf("%s/%s/%s: %w", p.Target.URL, p.prefix, landing.TombstoneName, err)
	}
	return there, nil
}

// sumOfManifest returns the SHA-256 of a manifest's text, in hexadecimal digits.
func sumOfManifest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (p *pushing) get(ctx context.Context, name string) ([]byte, error) {
	r, err := p.Target.Get(ctx, p.prefix+"/"+name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, landing.LargestManifest))
}

// findLost removes missing or incomplete files from the base manifest, so the push
// writes them again. A user or a synchronising program may delete files of a folder,
// and pulls would wait for them for ever. A bucket isn't checked, because a machine may
// have no right to list it.
func (p *pushing) findLost(ctx context.Context) error {
	if p.Target.Folder == "" || p.base == nil {
		return nil
	}
	there := map[string]int64{}
	err := p.Target.List(ctx, p.prefix, func(e landing.Entry) error {
		there[strings.TrimPrefix(e.Name, p.prefix+"/")] = e.Bytes
		return nil
	})
	isLost := func(f landing.File) bool { size, ok := there[f.Path]; return !ok || size != f.Bytes }
	if err != nil || !slices.ContainsFunc(p.base.Files, isLost) {
		return err
	}
	base := *p.base
	base.Files = slices.DeleteFunc(slices.Clone(base.Files), isLost)
	p.base = &base
	return nil
}
