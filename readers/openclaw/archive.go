package openclaw

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/klauspost/compress/zstd"

	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// mostInflated is the largest event that OpenClaw compresses, in bytes.
const mostInflated = 4 << 20

// inflater decompresses events; it may be used by several readers at a time.
var inflater = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostInflated))
})

// inflate decompresses an event of a size.
func inflate(data []byte, size int64) ([]byte, error) {
	decoder, err := inflater()
	if err != nil {
		return nil, err
	}
	if size < 1 || size > mostInflated {
		return nil, fmt.Errorf("%d bytes; a compressed event has 1 to %d", size, mostInflated)
	}
	return decoder.DecodeAll(data, make([]byte, 0, size))
}

// archive holds the lines of a session without rows in transcript_events.
type archive struct {
	zstd bool
	blob []byte
	name string // of the file of a cold session; empty if the blob has the lines
}

// deleted returns the archive of a deleted session; nil if missing.
func (w *window) deleted() (found *archive, err error) {
	if w.db.Columns("session_transcript_archives") == nil {
		return nil, nil
	}
	err = w.db.Query(func(row *sqlite.Row) error {
		found = &archive{zstd: row.Text(1) == "zstd", blob: []byte(row.Text(2))}
		w.session = tables.Session{Kind: tables.SessionMain, ApprovalKey: row.Text(0)}
		w.note("session_key", row.Text(0))
		w.note("archive", row.Text(3))
		if ms, ok := row.Int(4); ok {
			w.note("archived_at", stamp(ms))
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
		w.archive = &archive{zstd: true, blob: []byte(row.Text(1))}
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
	if !a.zstd {
		return pilines.Read(in, o)
	}
	return readInflated(in, o)
}

// inflated is a decompressed file with the file under it.
type inflated struct {
	*zstd.Decoder
	file io.Closer
}

// Close ends the decoder and closes the file.
func (i *inflated) Close() error {
	i.Decoder.Close()
	return i.file.Close()
}

// readInflated reads compressed lines.
func readInflated(in *readers.Input, o pilines.Options) error {
	plain, open := *in, in.Open
	plain.Open = func() (io.ReadCloser, error) {
		file, err := open()
		if err != nil {
			return nil, err
		}
		decoder, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1))
		if err != nil {
			file.Close()
			return nil, err
		}
		return &inflated{decoder, file}, nil
	}
	return pilines.Read(&plain, o)
}
