package opencode

import (
	"fmt"
	"io/fs"
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
	tell(in, kinds, r.stored)
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
	found, err := r.session()
	if err == nil && !found {
		err = fs.ErrNotExist
	}
	return sqlite.InTurn(err, r.readMessages, r.readElsewhere, r.readParts, r.readRemoved, r.origin)
}

// session reads the session's own row.
func (r *rows) session() (found bool, err error) {
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
		err = sqlite.InTurn(err, func() error { return r.worktree(project) })
	}
	return found, err
}

// worktree reads the folder of the session's project, for a session without a folder.
func (r *rows) worktree(project string) error {
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
		r.tooLarge(row, 2, m.name())
		return nil
	}, "SELECT id, time_created, "+cell+" FROM message WHERE session_id = ? ORDER BY time_created, id", cellLimit, r.id)
}

// tooLarge emits a problem for an object that is too large to read.
func (r *rows) tooLarge(row *sqlite.Row, column int, what string) bool {
	size, ok := row.Int(column + 1)
	if !ok || size <= cellLimit {
		return false
	}
	r.problem("%s: %d bytes, more than the %d that are read; left out", what, size, cellLimit)
	return true
}

func (r *rows) problem(what string, args ...any) {
	r.problems = append(r.problems, &tables.Problem{What: fmt.Sprintf(what, args...)})
}

// readElsewhere reports messages that stand in the table of a later version, whose
// format this reader doesn't know.
func (r *rows) readElsewhere() error {
	if len(r.messages) > 0 || r.db.Columns(laterMessages) == nil {
		return nil
	}
	return r.db.Query(func(*sqlite.Row) error {
		r.problem("the messages stand in the table %s, whose format is not read", laterMessages)
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
		case !r.tooLarge(row, 2, m.name()+", a part"):
			m.parts = append(m.parts, &storedPart{row.Text(0), []byte(row.Text(2))})
		}
		return nil
	}, "SELECT id, message_id, "+cell+" FROM part WHERE session_id = ? ORDER BY id", cellLimit, r.id)
	if strays > 0 {
		r.problem("%d parts of messages that are not there", strays)
	}
	return err
}

// origin finds the session that a fork was copied from. A fork holds messages older
// than itself; the original has messages of the same role and time.
func (r *rows) origin() error {
	r.number()
	r.moments = map[string]moment{}
	for _, m := range r.messages {
		if m.created < r.created && m.created > 0 {
			r.moments[m.id] = r.moment(m)
		}
	}
	early := r.early(r.moments)
	if len(early) == 0 {
		return nil
	}
	var from []older
	columns := r.db.Select("session", "title")
	err := r.db.Query(func(row *sqlite.Row) error {
		o := older{id: row.Text(0), title: row.Text(2), messages: map[moment]string{}}
		o.created, _ = row.Int(1)
		from = append(from, o)
		return nil
	}, "SELECT id, time_created, "+columns+` FROM session AS o WHERE directory = ? AND time_created <= ? AND id <> ?
		AND EXISTS (SELECT 1 FROM message AS m WHERE m.session_id = o.id AND m.time_created = ?) ORDER BY time_created, id LIMIT ?`,
		r.directory, r.created, r.id, early[0].created, mostOrigins)
	for i := range from {
		if err = sqlite.InTurn(err, func() error { return r.momentsOf(&from[i], early) }); err != nil {
			return err
		}
		if from[i].isOrigin(r.title, early) {
			from = from[:i+1] // stop here: other forks of the original may match too
			break
		}
	}
	if err == nil {
		r.forked(r.moments, from)
	}
	return err
}

// number sets each message's line to its place in the session, counted from 1.
func (r *rows) number() {
	for i, m := range r.messages {
		m.line = int64(i + 1)
	}
}

func (r *rows) moment(m *storedMessage) moment {
	v, err := r.parser.ParseBytes(m.data)
	if err != nil {
		return moment{created: m.created}
	}
	return moment{readers.Text(v, "role"), m.created}
}

// momentsOf reads the messages of an older session that existed when the fork was made,
// including messages that an undo removed later.
func (r *rows) momentsOf(o *older, early []moment) error {
	other := &rows{db: r.db, stored: &stored{id: o.id}}
	err := r.db.Query(func(row *sqlite.Row) error {
		m := &storedMessage{id: row.Text(0), data: []byte(row.Text(2))}
		m.created, _ = row.Int(1)
		other.messages = append(other.messages, m)
		return nil
	}, "SELECT id, time_created, "+cell+" FROM message WHERE session_id = ? AND time_created <= ?", cellLimit, o.id, early[len(early)-1].created)
	err = sqlite.InTurn(err, other.readRemoved)
	for _, m := range other.messages {
		o.messages[r.moment(m)] = m.id
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
