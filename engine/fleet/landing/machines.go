package landing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// LargestManifest is the longest manifest allowed, in bytes: about 100,000 files.
const LargestManifest = 256 << 20

// Found is a machine of a target. If Err is set, the machine's manifest is unreadable,
// and readers keep its last known rows.
type Found struct {
	Machine   string
	Manifest  *Manifest  // nil if missing or unreadable
	Tombstone *Tombstone // nil if missing
	Err       error
}

// Refused reports whether the machine is forgotten and hasn't consented since. A
// manifest without a consent was written before the machine's first tombstone.
func (f *Found) Refused() bool {
	t, m := f.Tombstone, f.Manifest
	return t != nil && (m == nil || m.Consent == "" || m.Consent == t.Consent || t.All && !m.WrittenAt.After(t.ForgottenAt))
}

// Machines returns all machines of a target, sorted by id. It ignores foreign folders,
// for example of a synchronising program.
func Machines(ctx context.Context, t *Target) ([]*Found, error) {
	if err := t.Check(true); err != nil {
		return nil, err
	}
	names, err := t.Folders(ctx, Root)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var list []*Found
	for _, machine := range names {
		if !machineForm.MatchString(machine) {
			continue
		}
		if f := Find(ctx, t, machine); f.Manifest != nil || f.Tombstone != nil || f.Err != nil {
			list = append(list, f)
		}
	}
	return list, nil
}

// Find reads a machine's manifest and tombstone from a target.
func Find(ctx context.Context, t *Target, machine string) *Found {
	f := &Found{Machine: machine}
	prefix, err := Prefix(machine)
	if err != nil {
		f.Err = err
		return f
	}
	f.Err = errors.Join(
		read(ctx, t, prefix+"/"+ManifestName, func(text []byte) (err error) {
			if f.Manifest, err = Parse(text); err == nil && f.Manifest.Machine != machine {
				err = fmt.Errorf("is of machine %s", f.Manifest.Machine)
			}
			return err
		}),
		read(ctx, t, prefix+"/"+TombstoneName, func(text []byte) error {
			f.Tombstone = &Tombstone{}
			return json.Unmarshal(text, f.Tombstone)
		}))
	if f.Err != nil {
		f.Manifest = nil
	}
	return f
}

// read reads a whole small file. A missing file is no error.
func read(ctx context.Context, t *Target, name string, use func([]byte) error) error {
	r, err := t.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, LargestManifest))
	if err == nil {
		err = use(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
