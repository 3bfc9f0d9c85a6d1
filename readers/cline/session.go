package cline

import (
	"cmp"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// session holds the state of reading one file of messages. A later message may tell how
// an earlier one ended, so all rows are emitted at the end.
type session struct {
	in      *readers.Input
	at      place
	words   readers.Words
	kinds   readers.Kinds
	rows    readers.Rows
	facts   header
	entries []*entry              // the messages, in the order of the file
	calls   map[string]*call      // by the model's own id: the last call with the id
	cost    tables.Maybe[float64] // sum of the messages' costs
	about   *manifest
	isWhole bool // the file was read to its end
	own     *tables.Session
}

// header holds the fields around a file's messages (FORMAT.md §3).
type header struct {
	source, parent, subagent string
	version, mode, trigger   string
	updated                  time.Time
}

func readSession(in *readers.Input, at place) error {
	s := &session{in: in, at: at, kinds: readers.NewKinds(in), words: readers.Words{}, calls: map[string]*call{}}
	err := readWhole(in, "messages", s.head, s.message)
	s.isWhole = err == nil
	s.finish()
	return err
}

func (s *session) head(v *fastjson.Value, text []byte) {
	s.rows = readers.RowsOf(text)
	origin := v.Get("origin")
	s.facts = header{
		source:   readers.Text(origin, "source"),
		parent:   readers.Text(origin, "parentThreadId"),
		subagent: readers.Text(origin, "subagent"),
		version:  readers.Text(origin, "version"),
		mode:     readers.Text(origin, "mode"),
		trigger:  readers.Text(origin, "trigger"),
		updated:  readers.Time(v.Get("updated_at")),
	}
	s.kinds.Record(v, "session", true, s.facts.version, s.facts.updated)
}

// isChild reports whether the file is one of a subagent or a teammate: the messages of
// the session itself are in the file with the folder's name.
func (s *session) isChild() bool { return s.at.stem != s.at.folder }

// id returns the session's id. Cline names a subagent's session as id does.
func (s *session) id() string {
	if s.isChild() {
		return s.at.folder + "__" + s.at.stem
	}
	return s.at.stem
}

// finish emits all rows of the file.
func (s *session) finish() {
	if len(s.entries) > 0 { // a session without a prompt has no rows
		s.about = s.manifest()
		s.own = s.session()
		s.join()
		cleared := s.previous()
		s.in.Emit(s.own)
		if cleared != nil {
			s.in.Emit(cleared)
		}
		s.settle()
		s.joinChildren()
		compacted := s.compacted()
		for i, e := range s.entries {
			emitAll(s.in.Emit, e)
			if compacted != nil && compacted.after == i {
				s.emitCompaction(compacted)
			}
		}
	}
	s.kinds.Emit(s.in.Emit)
}

func (s *session) session() *tables.Session {
	m := s.about
	e := &tables.Session{
		SessionID:    s.id(),
		Kind:         tables.SessionMain,
		ForkedFrom:   m.forkedFrom,
		Title:        m.title,
		Project:      readers.Folder(cmp.Or(m.cwd, m.root)),
		GitBranch:    m.branch,
		Origin:       cmp.Or(s.facts.source, m.source),
		AgentVersion: cmp.Or(s.facts.version, m.version),
	}
	switch {
	case s.cost.OK: // the links of tables leave out the costs of copies
		e.CostUSD = s.cost
	case m.forkedFrom == "":
		e.CostUSD = m.cost
	}
	extra := m.extra()
	if s.isChild() {
		e.Kind, e.ParentSessionID = tables.SessionSubagent, cmp.Or(s.facts.parent, s.at.folder)
		e.ForkedFrom, e.Title, e.CostUSD, extra = "", "", s.cost, readers.Extra{}
	}
	for key, value := range map[string]string{"trigger": s.facts.trigger, "agent": s.facts.subagent} {
		extra.Text(key, value)
	}
	if s.facts.mode != "" && s.facts.mode != userMode {
		extra.Set("mode", s.facts.mode)
	}
	e.Extra = readers.Object(extra)
	return e
}

// userMode is the mode of a session that a person began.
const userMode = "user"

// typist returns who wrote the prompts of a session: a program, if the session was not
// interactive, or was begun by a schedule or another trigger.
func (s *session) typist() string {
	if s.about.headless || s.facts.trigger != "" || s.facts.mode != "" && s.facts.mode != userMode {
		return tables.TypedBySDK
	}
	return ""
}
