package landing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"
)

// Version is the version of manifests that this build writes. It reads no other
// version.
const Version = 1

// How texts were pushed.
const (
	Redacted = "redacted" // secrets are replaced by the rules named in the manifest
	NoText   = "no text"  // numbers, times, ids and kinds only; secrets in ids and kinds are replaced
	Plain    = "plain"    // unchanged
)

// Manifest names a machine's live files.
type Manifest struct {
	Version    int       `json:"version"`
	Machine    string    `json:"machine"`              // the machine's id; UUIDs of version 7 sort by creation time
	Name       string    `json:"name,omitempty"`       // host of the rows, for people
	Generation int64     `json:"generation"`           // increases by one with each manifest of the machine
	WrittenAt  time.Time `json:"written_at"`           // UTC
	Writer     string    `json:"writer"`               // distinguishes two machines with the same id
	Consent    string    `json:"consent,omitempty"`    // random text, made by the first push after a tombstone; a tombstone refuses manifests with the tombstone's consent or none
	Program    string    `json:"program,omitempty"`    // version of hindsql
	Schema     string    `json:"schema"`               // tables.SchemaHash of the writing build
	Texts      string    `json:"texts"`                // Redacted, NoText or Plain
	Rules      string    `json:"rules,omitempty"`      // name of the redaction rules; empty for Plain
	Users      string    `json:"users"`                // plain, hmac or none
	Tables     []Table   `json:"tables"`               // tables of the files, with Beside or without
	Files      []File    `json:"files"`                // the live files
	Logs       []Log     `json:"logs"`                 // logs whose rows the files hold
	Superseded []Former  `json:"superseded,omitempty"` // files of former manifests that may still exist
}

// Table describes the columns of a table's files.
type Table struct {
	Name    string   `json:"name"`
	Beside  bool     `json:"beside,omitempty"`
	Doc     string   `json:"doc,omitempty"`
	Time    string   `json:"time,omitempty"` // column for the day; empty if all rows are undated
	Columns []Column `json:"columns"`
}

// Column is a column of files. Files written by an older build may lack the column.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // DuckDB's type name in the tables; JSON is text in Parquet
	Doc  string `json:"doc,omitempty"`
}

// File is a live file.
type File struct {
	Path   string `json:"path"` // below the machine's prefix, see FileName
	Table  string `json:"table"`
	Beside bool   `json:"beside,omitempty"`
	Day    string `json:"day"` // in UTC, or Undated
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	Sum    string `json:"sha256"` // SHA-256 of the content, in hexadecimal digits
	Schema string `json:"schema"` // tables.SchemaHash of the writing build
	Texts  string `json:"texts"`  // as in the manifest
	Rules  string `json:"rules,omitempty"`
}

// Log is a log with pushed rows.
type Log struct {
	SourceID    int64  `json:"source_id"`
	Agent       string `json:"agent"`
	Fingerprint string `json:"fingerprint"` // hash of the log's rows as pushed, in all files
	Files       []int  `json:"files"`       // indexes of Manifest.Files
}

// Former is a file that is no longer live.
type Former struct {
	Path  string    `json:"path"`
	Since time.Time `json:"since"` // UTC; time of the first manifest that doesn't name the file
}

// Tombstone marks a machine as forgotten.
type Tombstone struct {
	Machine     string    `json:"machine"`
	ForgottenAt time.Time `json:"forgotten_at"`  // UTC
	Consent     string    `json:"consent"`       // consent of the manifests that are refused from now on
	All         bool      `json:"all,omitempty"` // the writer knew no consent: all earlier manifests are refused
}

// Parse reads a manifest. The text may come from anyone, or be torn or damaged.
func Parse(text []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("no whole manifest: %w", err)
	}
	if m.Version != Version {
		return nil, fmt.Errorf("manifest of version %d, and this hindsql reads %d; run the same version on all machines", m.Version, Version)
	}
	return m, m.check()
}

// check refuses manifests that no push writes. Otherwise a reader might read or delete
// files in other places.
func (m *Manifest) check() error {
	if _, err := Prefix(m.Machine); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, f := range m.Files {
		parts := fileForm.FindStringSubmatch(f.Path)
		switch {
		case parts == nil || (parts[1] != "") != f.Beside || parts[2] != f.Table || parts[3] != f.Day:
			return fmt.Errorf("%q is no file of rows of %s", f.Path, f.Table)
		case f.Rows < 0 || f.Bytes <= 0 || len(f.Sum) != 64:
			return fmt.Errorf("%s: no rows, size or checksum", f.Path)
		case seen[f.Path]:
			return fmt.Errorf("%s: named twice", f.Path)
		}
		seen[f.Path] = true
	}
	logs := map[int64]bool{}
	for _, l := range m.Logs {
		if logs[l.SourceID] {
			return fmt.Errorf("log %d: named twice", l.SourceID)
		}
		logs[l.SourceID] = true
		for _, i := range l.Files {
			if i < 0 || i >= len(m.Files) {
				return fmt.Errorf("log %d: has file %d of %d", l.SourceID, i, len(m.Files))
			}
		}
	}
	for _, f := range m.Superseded {
		if !IsFile(f.Path) || seen[f.Path] {
			return fmt.Errorf("%q is no superseded file", f.Path)
		}
	}
	return nil
}

// Encode returns the manifest's text, without spaces to keep each push small.
func (m *Manifest) Encode() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return json.Marshal(m)
}

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
