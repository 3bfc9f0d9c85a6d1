package opencode

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// cellLimit is the largest object of a database that is read, in bytes.
const cellLimit = 64 << 20

// readDatabase reads a session of a database, or the facts about the whole database.
func readDatabase(in *readers.Input) error {
	if in.Part == "" {
		return readTables(in)
	}
	var r *rows
	err := sqlite.View(in, func(db *sqlite.DB) error {
		r = &rows{db: db, stored: &stored{id: in.Part}}
		return r.read()
	})
	if err != nil {
		return err
	}
	for _, p := range r.problems {
		in.Emit(p)
	}
	kinds := readers.NewKinds(in)
	kinds.Count("session", true, r.version, readers.Millis(r.created))
	emitSession(in, kinds, r.stored)
	return nil
}

// rows collects one session of a database. Its events are emitted only after the whole
// session has been read, so that all rows come from one state of the database.
type rows struct {
	*stored
	db       *sqlite.DB
	problems []*tables.Problem
	moments  map[string]moment // role and time of messages older than the session, by id
	parser   fastjson.Parser
}

func (r *rows) read() error {
	found, err := r.readSession()
	if err == nil && !found {
		err = fs.ErrNotExist
	}
	return sqlite.InTurn(err, r.readPermissions, r.readMessages, r.readLaterMessages, r.readParts, r.readRemoved, r.findOrigin)
}

// readSession reads the session's own row.
func (r *rows) readSession() (found bool, err error) {
	columns := r.db.Select("session", "parent_id", "directory", "title", "version", "time_created", "time_archived", "revert", "project_id")
	project := ""
	err = r.db.Query(func(row *sqlite.Row) error {
		found = true
		r.parent, r.directory, r.title, r.version = row.Text(0), row.Text(1), row.Text(2), row.Text(3)
		r.created, _ = row.Int(4)
		r.archived, _ = row.Int(5)
		r.revert = row.Text(6)
		project = row.Text(7)
		return nil
	}, "SELECT "+columns+" FROM session WHERE id = ?", r.id)
	if r.directory == "" && project != "" {
		err = sqlite.InTurn(err, func() error { return r.readWorktree(project) })
	}
	return found, err
}

// readPermissions finds out whether `opencode run` made the session, or one above it.
func (r *rows) readPermissions() error {
	columns := r.db.Select("session", "permission", "parent_id")
	return r.db.Query(func(row *sqlite.Row) error {
		r.isRun = r.isRun || isRun(row.Text(0))
		return nil
	}, "WITH RECURSIVE sessions(id, rules, parent) AS (SELECT id, "+columns+` FROM session), above(rules, parent) AS (SELECT rules, parent FROM sessions WHERE id = ?
		UNION SELECT s.rules, s.parent FROM above AS a JOIN sessions AS s ON s.id = a.parent) SELECT rules FROM above`, r.id)
}

// readWorktree reads the folder of the session's project, for a session without a folder.
func (r *rows) readWorktree(project string) error {
	if !slices.Contains(r.db.Columns("project"), "worktree") {
		return nil
	}
	return r.db.Query(func(row *sqlite.Row) error {
		r.folder = row.Text(0)
		return nil
	}, "SELECT worktree FROM project WHERE id = ?", project)
}

// cell selects an object, or null if it is too large.
const cell = "CASE WHEN octet_length(data) <= ? THEN data END, octet_length(data)"

// readMessages reads the messages in the order of the conversation.
func (r *rows) readMessages() error {
	if r.db.Columns("message") == nil {
		return nil
	}
	return r.db.Query(func(row *sqlite.Row) error {
		m := &storedMessage{id: row.Text(0), data: []byte(row.Text(2))}
		m.created, _ = row.Int(1)
		r.messages = append(r.messages, m)
		r.isTooLarge(row, 2, m.name())
		return nil
	}, "SELECT id, time_created, "+cell+" FROM message WHERE session_id = ? ORDER BY time_created, id", cellLimit, r.id)
}

// isTooLarge emits a problem for an object that is too large to read.
func (r *rows) isTooLarge(row *sqlite.Row, column int, what string) bool {
	size, ok := row.Int(column + 1)
	if !ok || size <= cellLimit {
		return false
	}
	r.addProblem("%s: %d bytes, more than the %d that are read; left out", what, size, cellLimit)
	return true
}

func (r *rows) addProblem(what string, args ...any) {
	r.problems = append(r.problems, &tables.Problem{What: fmt.Sprintf(what, args...)})
}

// readLaterMessages reports messages that stand in the table of a later version, whose
// format this reader doesn't know.
func (r *rows) readLaterMessages() error {
	if len(r.messages) > 0 || r.db.Columns(laterMessages) == nil {
		return nil
	}
	return r.db.Query(func(*sqlite.Row) error {
		r.addProblem("the messages stand in the table %s, whose format is not read", laterMessages)
		return nil
	}, "SELECT 1 FROM "+laterMessages+" WHERE session_id = ? LIMIT 1", r.id)
}

const laterMessages = "session_message"

// readParts reads the parts of the messages, ordered within each message.
func (r *rows) readParts() error {
	if r.db.Columns("part") == nil {
		return nil
	}
	byID := map[string]*storedMessage{}
	for _, m := range r.messages {
		byID[m.id] = m
	}
	strays := 0
	err := r.db.Query(func(row *sqlite.Row) error {
		m := byID[row.Text(1)]
		switch {
		case m == nil:
			strays++
		case !r.isTooLarge(row, 2, m.name()+", a part"):
			m.parts = append(m.parts, &storedPart{row.Text(0), []byte(row.Text(2))})
		}
		return nil
	}, "SELECT id, message_id, "+cell+" FROM part WHERE session_id = ? ORDER BY id", cellLimit, r.id)
	if strays > 0 {
		r.addProblem("%d parts of messages that are not there", strays)
	}
	return err
}

// findOrigin finds the session that a fork was copied from. A fork holds messages older
// than itself; the original has messages of the same role and time.
func (r *rows) findOrigin() error {
	for i, m := range r.messages {
		m.line = int64(i + 1)
	}
	r.moments = map[string]moment{}
	for _, m := range r.messages {
		if m.created < r.created && m.created > 0 {
			r.moments[m.id] = r.momentOf(m)
		}
	}
	early := r.earlyMoments(r.moments)
	if len(early) == 0 {
		return nil
	}
	var from []candidate
	columns := r.db.Select("session", "title")
	err := r.db.Query(func(row *sqlite.Row) error {
		o := candidate{id: row.Text(0), title: row.Text(2), messages: map[moment]string{}}
		o.created, _ = row.Int(1)
		from = append(from, o)
		return nil
	}, "SELECT id, time_created, "+columns+` FROM session AS o WHERE directory = ? AND time_created <= ? AND id <> ?
		AND EXISTS (SELECT 1 FROM message AS m WHERE m.session_id = o.id AND m.time_created = ?) ORDER BY time_created, id LIMIT ?`,
		r.directory, r.created, r.id, early[0].created, maxOrigins)
	for i := range from {
		if err = sqlite.InTurn(err, func() error { return r.readMoments(&from[i], early) }); err != nil {
			return err
		}
		if from[i].isOrigin(r.title, early) {
			from = from[:i+1] // stop here: other forks of the original may match too
			break
		}
	}
	if err == nil {
		r.setOrigin(r.moments, from)
	}
	return err
}

func (r *rows) momentOf(m *storedMessage) moment {
	v, err := r.parser.ParseBytes(m.data)
	if err != nil {
		return moment{created: m.created}
	}
	return moment{readers.Text(v, "role"), m.created}
}

// readMoments reads the messages of an older session that existed when the fork was made,
// including messages that an undo removed later.
func (r *rows) readMoments(o *candidate, early []moment) error {
	other := &rows{db: r.db, stored: &stored{id: o.id}}
	err := r.db.Query(func(row *sqlite.Row) error {
		m := &storedMessage{id: row.Text(0), data: []byte(row.Text(2))}
		m.created, _ = row.Int(1)
		other.messages = append(other.messages, m)
		return nil
	}, "SELECT id, time_created, "+cell+" FROM message WHERE session_id = ? AND time_created <= ?", cellLimit, o.id, early[len(early)-1].created)
	err = sqlite.InTurn(err, other.readRemoved)
	for _, m := range other.messages {
		o.messages[r.momentOf(m)] = m.id
	}
	return err
}

// stored is a session as its storage holds it: the database or the tree of JSON files.
// Both hold the same objects (FORMAT.md §3).
type stored struct {
	id, parent, directory, title, version string
	folder                                string // the project's folder, read if directory is empty
	created, archived                     int64  // ms since 1970
	revert                                string
	isRun                                 bool             // `opencode run` made the session, or one above it
	messages                              []*storedMessage // in conversation order
	// For a fork: the session it was copied from, and the ids of the original messages
	// by the ids of the copies.
	forkedFrom string
	originals  map[string]string
}

// storedMessage is a message and its parts as JSON.
type storedMessage struct {
	id      string
	created int64 // ms since 1970; 0 if only data has the time
	data    []byte
	parts   []*storedPart // in order
	removed bool          // removed after an undo; only the events still hold the message
	line    int64         // line of the log; 0 without lines
}

type storedPart struct {
	id   string
	data []byte
}

// isInDatabase reports whether a database in the folder holds the session that this file
// of the tree of JSON files holds. Version 1.2 copied existing trees into a database
// and left their files (FORMAT.md §1). The file is read again when the first database
// appears, and when a database changes that may still be copying the tree.
func isInDatabase(in *readers.Input, database, id string) (held bool, err error) {
	in.Exists(database)
	names, err := in.NamesUnwatched(".")
	if err != nil {
		return false, err
	}
	var copying []string
	for _, name := range names {
		if held || !isDatabase(name) {
			continue
		}
		begun := false
		err := sqlite.ViewUnwatched(in, name, func(db *sqlite.DB) (err error) {
			if held, begun = false, db.Columns("session") == nil; begun {
				return nil
			}
			if held, err = hasSession(db, id); !held && err == nil {
				begun, err = isCopying(in, db)
			}
			return err
		})
		if errors.As(err, new(*readers.Unread)) {
			return false, err
		} // otherwise the database is gone or damaged, and reading it as a log reports that
		if begun {
			copying = append(copying, name)
		}
	}
	for _, name := range copying {
		if !held {
			in.Watch(name)
			in.Watch(name + sqlite.Suffixes[0])
		}
	}
	return held, err
}

func hasSession(db *sqlite.DB, id string) (has bool, err error) {
	err = db.Query(func(*sqlite.Row) error {
		has = true
		return nil
	}, "SELECT 1 FROM session WHERE id = ? LIMIT 1", id)
	return has, err
}

// isCopying reports whether a database may still be copying sessions from the tree. It
// may if it has no session, or if its newest session is also in the tree: opencode adds
// new sessions only after all copies.
func isCopying(in *readers.Input, db *sqlite.DB) (bool, error) {
	newest, folder := "", path.Dir(in.Rel)
	err := db.Query(func(row *sqlite.Row) error {
		newest = row.Text(0)
		if project := row.Text(1); project != "" {
			folder = path.Join(path.Dir(folder), project)
		}
		return nil
	}, "SELECT id, "+db.Select("session", "project_id")+" FROM session ORDER BY time_created DESC, id DESC LIMIT 1")
	if newest == "" || err != nil {
		return err == nil, err
	}
	f, err := in.OpenUnwatched(folder + "/" + newest + extension)
	if err != nil {
		return false, nil //nolint:nilerr // the tree lacks this session
	}
	return true, f.Close()
}
