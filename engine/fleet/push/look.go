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

	"hindsql/engine/fleet/landing"
)

// place is the state of the machine's files at a target.
type place struct {
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

// Taken is the error of a push after another machine pushed with the same id.
type Taken struct{ URL, Machine string }

// Error tells the user the two ways to continue.
func (t *Taken) Error() string {
	return fmt.Sprintf("%s: another machine has this machine's id, %s, and pushed there; if this one is a copy of it, hindsql machine new gives it an id of its own; "+
		"if there is no other one any more, hindsql push --take-over", t.URL, t.Machine)
}

// look reads the machine's manifest and tombstone at the target, and compares them with
// the local state. The error is a [*Forgotten] if the machine was forgotten, and a
// [*Taken] if another machine pushed with the same id.
func (p *pushing) look(ctx context.Context) error {
	if err := p.Target.Check(false); err != nil {
		return err
	}
	there, err := p.place(ctx)
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
		p.consent, p.base = rand.Text(), nil
		if there.manifest != nil {
			p.base = there.manifest
		}
	case forgotten:
		return &Forgotten{p.Target.URL, p.machine}
	}
	return nil
}

// compare finds out which of the machine's files lie at the target, and notes them in
// p.base.
func (p *pushing) compare(there place) error {
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
		p.lose() // a committer may have deleted files that no manifest named
		p.base = m
		return nil
	}
	switch {
	case there.forbidden || had != nil && (there.sum == p.was.Sum || before):
		p.base = had
		return nil
	case m == nil: // nothing, or a torn manifest: all rows are sent again
		p.lose()
		return nil
	case had == nil || p.TakeOver:
	case m.Writer != p.was.Writer || m.Generation >= had.Generation:
		return &Taken{p.Target.URL, p.machine}
	}
	p.lose() // the machine lost its state, or an older manifest was put back
	p.base = m
	return nil
}

// lose resets the state, except the writer, the consent and the mark of a tombstone.
func (p *pushing) lose() {
	fresh := newState(p.machine)
	fresh.Writer, fresh.Consent, fresh.Forgotten = p.was.Writer, p.was.Consent, p.was.Forgotten
	p.was = fresh
}

func (p *pushing) place(ctx context.Context) (there place, err error) {
	text, err := p.get(ctx, landing.ManifestName)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return place{forbidden: true}, nil
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
