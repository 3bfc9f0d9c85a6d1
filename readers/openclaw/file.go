package openclaw

import (
	"bufio"
	"errors"
	"path"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/readers/sqlite"
	"hindsql/readers/zstd"
)

// readFile reads a session from a file of lines, unless the agent's database has the
// session: OpenClaw 2026.8 copies such files into the database, and keeps archives of
// deleted sessions there.
func readFile(in *readers.Input) error {
	o := pilines.Options{OpenClaw: true}
	if held, err := inDatabase(in); held || err != nil {
		return err
	}
	if strings.HasSuffix(in.Rel, deflated) {
		return pilines.Read(zstd.Plain(in), o)
	}
	return pilines.Read(in, o)
}

// inDatabase reports whether the agent's database has the session of a file, by the id in
// the file's name or header. A new database makes the sync read the file again. So does
// each change of a database that may still copy files.
func inDatabase(in *readers.Input) (held bool, err error) {
	folder := path.Dir(in.Rel)
	database := path.Join(path.Dir(folder), "agent", agentFile)
	if !in.Exists(database) {
		return false, nil
	}
	named, header := nameID(in.Rel), ""
	if !strings.HasSuffix(in.Rel, deflated) {
		header = headerID(in)
	}
	copying := false
	err = sqlite.ViewAside(in, database, func(db *sqlite.DB) error {
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
		in.Watch(database + sqlite.With[0])
	}
	return held, nil
}

// nameID returns the session's id in a file's name.
func nameID(rel string) string {
	name, _, _ := strings.Cut(path.Base(rel), extension)
	return name
}

// headerID returns the session's id in the first line of a file; empty if missing.
func headerID(in *readers.Input) string {
	f, err := in.Aside(in.Rel)
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
