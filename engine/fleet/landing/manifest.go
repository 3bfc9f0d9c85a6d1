package landing

import (
	"encoding/json"
	"fmt"
	"time"
)

// Version is that of the manifests that this build writes. It reads no other.
const Version = 1

// How texts were pushed.
const (
	Redacted = "redacted" // secrets are replaced, by the rules that the manifest names
	NoText   = "no text"  // numbers, times, ids and kinds only; secrets in those are replaced
	Plain    = "plain"    // as they are
)

// Manifest says what counts of a machine's files.
type Manifest struct {
	Version    int       `json:"version"`
	Machine    string    `json:"machine"`              // its id; UUIDs of version 7 sort by when they were made
	Name       string    `json:"name,omitempty"`       // for people: the rows' host
	Generation int64     `json:"generation"`           // one more with each manifest of the machine
	WrittenAt  time.Time `json:"written_at"`           // UTC
	Writer     string    `json:"writer"`               // tells two machines that have one id
	Consent    string    `json:"consent,omitempty"`    // after a tombstone: another one than it names, else the manifest is refused
	Program    string    `json:"program,omitempty"`    // version of hindsql
	Schema     string    `json:"schema"`               // tables.SchemaHash of that build
	Texts      string    `json:"texts"`                // Redacted, NoText or Plain
	Rules      string    `json:"rules,omitempty"`      // of the redaction; empty for Plain
	Users      string    `json:"users"`                // plain, hmac or none
	Tables     []Table   `json:"tables"`               // those of the files, beside or not
	Files      []File    `json:"files"`                // the live ones
	Logs       []Log     `json:"logs"`                 // whose rows the files hold
	Superseded []Former  `json:"superseded,omitempty"` // files of former manifests that are still there
}

// Table says what the columns of a table's files are.
type Table struct {
	Name    string   `json:"name"`
	Beside  bool     `json:"beside,omitempty"`
	Doc     string   `json:"doc,omitempty"`
	Time    string   `json:"time,omitempty"` // the column that days are of; empty: all rows are undated
	Columns []Column `json:"columns"`
}

// Column is a column of files. Files that an older build wrote may lack it.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // DuckDB's name of its type in the tables; JSON is text in Parquet
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
	Sum    string `json:"sha256"` // of the bytes, in hexadecimal digits
	Schema string `json:"schema"` // tables.SchemaHash of the build that wrote it
	Texts  string `json:"texts"`  // as the manifest's
	Rules  string `json:"rules,omitempty"`
}

// Log is a log whose rows are pushed.
type Log struct {
	SourceID    int64  `json:"source_id"`
	Agent       string `json:"agent"`
	Fingerprint string `json:"fingerprint"` // of its rows as they were pushed, in all files
	Files       []int  `json:"files"`       // indexes of Manifest.Files
}

// Former is a file that is live no more.
type Former struct {
	Path  string    `json:"path"`
	Since time.Time `json:"since"` // UTC; the first manifest that doesn't name it
}

// Tombstone says that a machine is to be forgotten.
type Tombstone struct {
	Machine     string    `json:"machine"`
	ForgottenAt time.Time `json:"forgotten_at"`  // UTC
	Consent     string    `json:"consent"`       // of the manifests that are refused from now on
	All         bool      `json:"all,omitempty"` // whoever left it didn't know of which: all of before are refused
}

// Parse reads a manifest, which may be anybody's, torn, or damaged.
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

// check refuses what no push writes: names that lead elsewhere would be read, or
// deleted.
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

// Encode gives the manifest's text, without spaces: it goes over the network with
// each push.
func (m *Manifest) Encode() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return json.Marshal(m)
}
