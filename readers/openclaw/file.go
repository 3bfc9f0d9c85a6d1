package openclaw

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/readers/sqlite"
	"hindsql/readers/zstd"
	"hindsql/tables"
)

// readFile reads a session from a file of lines, unless the agent's database has the
// session: OpenClaw 2026.8 copies such files into the database, and keeps archives of
// deleted sessions there.
func readFile(in *readers.Input) error {
	o := pilines.Options{OpenClaw: true}
	if held, err := isInDatabase(in); held || err != nil {
		return err
	}
	if held, err := isHeldElsewhere(in); held || err != nil {
		return err
	}
	if strings.HasSuffix(in.Rel, zstd.Suffix) {
		in = zstd.Decompress(in)
	}
	return pilines.Read(withReset(in), o)
}

// withReset adds the clear that ended a session to its events, if OpenClaw renamed its
// file then. The links find the session that began.
func withReset(in *readers.Input) *readers.Input {
	_, name, _ := strings.Cut(path.Base(in.Rel), extension+".reset.")
	at, err := time.Parse(resetTime, name[:min(len(name), len(resetTime))])
	lines := *in
	lines.Emit = func(e tables.Event) {
		in.Emit(e)
		if s, is := e.(*tables.Session); is && err == nil {
			in.Emit(&tables.Clear{SessionID: s.SessionID, Project: s.Project, Timestamp: at, Evidence: tables.EvidenceHistory, Confidence: 1})
		}
	}
	return &lines
}

const resetTime = "2006-01-02T15-04-05.000Z"

// isInDatabase reports whether the agent's database has the session of a file, by the id
// in the file's name or header. A new database makes the sync read the file again. So
// does each change of a database that may still copy files.
func isInDatabase(in *readers.Input) (held bool, err error) {
	folder := path.Dir(in.Rel)
	database := path.Join(path.Dir(folder), "agent", agentFile)
	if !in.Exists(database) {
		return false, nil
	}
	named, header := nameID(in.Rel), ""
	if !strings.HasSuffix(in.Rel, zstd.Suffix) {
		header = headerID(in)
	}
	copying := false
	err = sqlite.ViewUnwatched(in, database, func(db *sqlite.DB) error {
		held, copying = false, false
		if db.Columns("session_windows") == nil {
			copying = true
			return nil
		}
		newest, from := "", "SELECT session_id FROM session_windows"
		if db.Columns("session_transcript_archives") != nil {
			from += " UNION ALL SELECT session_id FROM session_transcript_archives"
		}
		err := db.Query(func(*sqlite.Row) error {
			held = true
			return nil
		}, "SELECT 1 FROM ("+from+") WHERE session_id IN (?, ?) LIMIT 1", named, header)
		if err != nil || held {
			return err
		}
		err = db.Query(func(row *sqlite.Row) error {
			newest = row.Text(0)
			return nil
		}, "SELECT session_id FROM session_windows ORDER BY created_at DESC, session_id LIMIT 1")
		copying = err == nil && (newest == "" || in.Exists(folder+"/"+newest+extension))
		return err
	})
	if errors.As(err, new(*readers.Unread)) {
		return false, err
	} // a missing database has no sessions, and a damaged one is a problem of its own log
	if copying && !held {
		in.Watch(database)
		in.Watch(database + sqlite.Suffixes[0])
	}
	return held, nil
}

// nameID returns the session's id in a file's name.
func nameID(rel string) string {
	name, _, _ := strings.Cut(path.Base(rel), extension)
	name, _, _ = strings.Cut(name, checkpoint)
	return name
}

// isHeldElsewhere reports whether a file is a checkpoint whose session has its own file,
// an archive or a larger checkpoint.
func isHeldElsewhere(in *readers.Input) (bool, error) {
	if !isCheckpoint(in.Rel) {
		return false, nil
	}
	folder, id := path.Dir(in.Rel), nameID(in.Rel)
	if in.Exists(path.Join(folder, id+extension)) {
		return true, nil
	}
	names, err := in.Names(folder)
	size := sizeOf(in, in.Rel)
	for _, name := range names {
		rel := path.Join(folder, name)
		if rel == in.Rel || !isLineFile(rel) || nameID(rel) != id {
			continue
		}
		if other := sizeOf(in, rel); !isCheckpoint(rel) || other > size || other == size && rel > in.Rel {
			return true, nil
		}
	}
	return false, err
}

func isCheckpoint(rel string) bool { return strings.Contains(path.Base(rel), checkpoint) }

// sizeOf returns the size of a file; 0 if it is gone.
func sizeOf(in *readers.Input, rel string) int64 {
	f, err := in.OpenUnwatched(rel)
	if err != nil {
		return 0
	}
	defer f.Close()
	if f, ok := f.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil {
			return info.Size()
		}
	}
	return 0
}

// headerID returns the session's id in the first line of a file; empty if missing.
func headerID(in *readers.Input) string {
	f, err := in.OpenUnwatched(in.Rel)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(f, 64<<10).ReadSlice('\n')
	if err != nil {
		return ""
	}
	v, err := fastjson.ParseBytes(line)
	if err != nil || readers.Text(v, "type") != "session" {
		return ""
	}
	return readers.Text(v, "id")
}

// archive holds the lines of a session without rows in transcript_events.
type archive struct {
	isZstd bool
	blob   []byte
	name   string // of the file of a cold session; empty if the blob has the lines
}

// findDeleted returns the archive of a deleted session; nil if missing.
func (w *window) findDeleted() (found *archive, err error) {
	if w.db.Columns("session_transcript_archives") == nil {
		return nil, nil
	}
	err = w.db.Query(func(row *sqlite.Row) error {
		found = &archive{isZstd: row.Text(1) == "zstd", blob: []byte(row.Text(2))}
		w.session = tables.Session{Kind: tables.SessionMain, ApprovalKey: row.Text(0)}
		w.extra.Text("session_key", row.Text(0))
		w.extra.Text("archive", row.Text(3))
		if ms, ok := row.Int(4); ok {
			w.extra.Text("archived_at", formatTime(ms))
		}
		return nil
	}, `SELECT session_key, encoding, CASE WHEN octet_length(archive_blob) <= ? THEN archive_blob END, reason, created_at
		FROM session_transcript_archives WHERE session_id = ? ORDER BY created_at DESC, generation DESC LIMIT 1`, archiveLimit, w.id)
	return found, err
}

// archiveLimit is the largest archive of a database, in bytes, that is read.
const archiveLimit = 200 << 20

// findCold finds the archive of a long unused session, in the database or in a file.
func (w *window) findCold() error {
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
	lines := new(readers.Input)
	*lines = *in
	lines.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(a.blob)), nil }
	if a.name != "" {
		lines.Open = func() (io.ReadCloser, error) {
			return in.OpenUnwatched(path.Join(path.Dir(path.Dir(in.Rel)), "sessions", "cold", a.name))
		}
	}
	if a.isZstd {
		lines = zstd.Decompress(lines)
	}
	err := pilines.Read(lines, o)
	if a.name != "" && errors.Is(err, fs.ErrNotExist) {
		in.Emit(&tables.Problem{What: "the file of a cold session is gone: " + a.name})
		return nil
	}
	return err
}
