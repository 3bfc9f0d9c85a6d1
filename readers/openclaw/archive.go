package openclaw

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"

	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/readers/sqlite"
	"hindsql/readers/zstd"
	"hindsql/tables"
)

// archive holds the lines of a session without rows in transcript_events.
type archive struct {
	isZstd bool
	blob   []byte
	name   string // of the file of a cold session; empty if the blob has the lines
}

// deleted returns the archive of a deleted session; nil if missing.
func (w *window) deleted() (found *archive, err error) {
	if w.db.Columns("session_transcript_archives") == nil {
		return nil, nil
	}
	err = w.db.Query(func(row *sqlite.Row) error {
		found = &archive{isZstd: row.Text(1) == "zstd", blob: []byte(row.Text(2))}
		w.session = tables.Session{Kind: tables.SessionMain, ApprovalKey: row.Text(0)}
		w.extra.Text("session_key", row.Text(0))
		w.extra.Text("archive", row.Text(3))
		if ms, ok := row.Int(4); ok {
			w.extra.Text("archived_at", stamp(ms))
		}
		return nil
	}, `SELECT session_key, encoding, CASE WHEN octet_length(archive_blob) <= ? THEN archive_blob END, reason, created_at
		FROM session_transcript_archives WHERE session_id = ? ORDER BY created_at DESC, generation DESC LIMIT 1`, archiveLimit, w.id)
	return found, err
}

// archiveLimit is the largest archive of a database, in bytes, that is read.
const archiveLimit = 200 << 20

// cold finds the archive of a long unused session, in the database or in a file.
func (w *window) cold() error {
	if len(w.events) > 0 || w.db.Columns("session_transcript_cold_archives") == nil {
		return nil
	}
	return w.db.Query(func(row *sqlite.Row) error {
		w.archive = &archive{isZstd: true, blob: []byte(row.Text(1))}
		if len(w.archive.blob) == 0 {
			w.archive.name = path.Base(row.Text(0))
		}
		return nil
	}, `SELECT archive_name, CASE WHEN storage = 'sqlite' AND octet_length(archive_blob) <= ? THEN archive_blob END
		FROM session_transcript_cold_archives WHERE session_id = ?`, archiveLimit, w.id)
}

// read reads the lines of an archive.
func (a *archive) read(in *readers.Input, o pilines.Options) error {
	lines := *in
	lines.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(a.blob)), nil }
	if a.name != "" {
		lines.Open = func() (io.ReadCloser, error) {
			return in.Aside(path.Join(path.Dir(path.Dir(in.Rel)), "sessions", "cold", a.name))
		}
	}
	err := a.lines(&lines, o)
	if a.name != "" && errors.Is(err, fs.ErrNotExist) {
		in.Emit(&tables.Problem{What: "the file of a cold session is gone: " + a.name})
		return nil
	}
	return err
}

// lines reads the lines, decompressed.
func (a *archive) lines(in *readers.Input, o pilines.Options) error {
	if a.isZstd {
		in = zstd.Plain(in)
	}
	return pilines.Read(in, o)
}
