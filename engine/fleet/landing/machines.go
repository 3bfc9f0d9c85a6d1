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

// largest is how long a manifest may be, in bytes: some 100,000 files.
const largest = 256 << 20

// Found is a machine of a target. Where Err is set, its manifest can't be read,
// and nothing of it is known: what was known before stays.
type Found struct {
	Machine   string
	Manifest  *Manifest  // nil where there is none, or Err
	Tombstone *Tombstone // nil where there is none
	Err       error
}

// Refused says that the machine is to be forgotten, and has not consented since. A
// manifest without a consent is of before its first tombstone.
func (f *Found) Refused() bool {
	t, m := f.Tombstone, f.Manifest
	return t != nil && (m == nil || m.Consent == "" || m.Consent == t.Consent || t.All && !m.WrittenAt.After(t.ForgottenAt))
}

// Machines finds all machines of a target, by their ids. What else lies there, such
// as a synchronising program's own folder, is none.
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

// Find reads what a target has of a machine.
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

// read reads a whole small file; one that isn't there is no error.
func read(ctx context.Context, t *Target, name string, use func([]byte) error) error {
	r, err := t.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, largest))
	if err == nil {
		err = use(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
