package openclaw

import (
	"bufio"
	"errors"
	"path"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/readers/sqlite"
)

// readFile reads a session of a file of lines, unless the agent's database has it: 2026.8
// copied the files that it met into the database, and a deleted session stays there, too.
func readFile(in *readers.Input) error {
	o := pilines.Options{OpenClaw: true}
	if held, err := inDatabase(in); held || err != nil {
		return err
	}
	if strings.HasSuffix(in.Rel, deflated) {
		return readInflated(in, o)
	}
	return pilines.Read(in, o)
}

// inDatabase says whether the agent's database has the session of a file, by the id in
// the file's name or in its header. It is looked for again when the database comes, and,
// while that may be copying files, when it changes.
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
	} // else it is gone, or damaged: a log of its own, which says so
	if copying && !held {
		in.Watch(database)
		in.Watch(database + sqlite.With[0])
	}
	return held, nil
}

// nameID is the session's id in the name of its file.
func nameID(rel string) string {
	name, _, _ := strings.Cut(path.Base(rel), extension)
	return name
}

// headerID is the session's id in the first line of its file; empty if that has none.
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
