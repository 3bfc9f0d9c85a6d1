package cline

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// session holds the state of reading one file of messages. A later message may tell how
// an earlier one ended, so all rows are emitted at the end.
type session struct {
	in       *readers.Input
	at       place
	words    readers.Interner
	kinds    readers.Kinds
	rows     readers.RecordLines
	facts    header
	entries  []*entry              // the messages, in the order of the file
	calls    map[string]*call      // by the model's own id: the last call with the id
	cost     tables.Maybe[float64] // sum of the messages' costs
	manifest *manifest
	isWhole  bool // the file was read to its end
	row      *tables.Session
}

// header holds the fields around a file's messages (FORMAT.md §3).
type header struct {
	source, parent, subagent string
	version, mode, trigger   string
	updated                  time.Time
}

func readSession(in *readers.Input, at place) error {
	s := &session{in: in, at: at, kinds: readers.NewKinds(in), words: readers.Interner{}, calls: map[string]*call{}}
	err := readWhole(in, "messages", s.readHeader, s.readMessage)
	s.isWhole = err == nil
	s.emitAll()
	return err
}

func (s *session) readHeader(v *fastjson.Value, text []byte) {
	s.rows = readers.NewRecordLines(text)
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

// isSubagent reports whether the file is one of a subagent or a teammate: the messages of
// the session itself are in the file with the folder's name.
func (s *session) isSubagent() bool { return s.at.stem != s.at.folder }

// id returns the session's id. Cline names a subagent's session as id does.
func (s *session) id() string {
	if s.isSubagent() {
		return s.at.folder + "__" + s.at.stem
	}
	return s.at.stem
}

// emitAll emits all rows of the file.
func (s *session) emitAll() {
	if len(s.entries) > 0 { // a session without a prompt has no rows
		s.manifest = s.readManifest()
		s.row = s.newSession()
		s.inferKinds()
		cleared := s.findClear()
		s.in.Emit(s.row)
		if cleared != nil {
			s.in.Emit(cleared)
		}
		s.inferStops()
		s.resolveSubagents()
		compacted := s.readCompaction()
		for i, e := range s.entries {
			emitEntry(s.in.Emit, e)
			if compacted != nil && compacted.after == i {
				s.in.Emit(&compacted.message)
				s.in.Emit(compacted.event)
			}
		}
	}
	s.kinds.Emit(s.in.Emit)
}

func (s *session) newSession() *tables.Session {
	m := s.manifest
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
	if s.isSubagent() {
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

// promptAuthor returns who wrote the prompts of a session: a program, if the session was
// not interactive, or was begun by a schedule or another trigger.
func (s *session) promptAuthor() string {
	if s.manifest.headless || s.facts.trigger != "" || s.facts.mode != "" && s.facts.mode != userMode {
		return tables.TypedBySDK
	}
	return ""
}

// Kinds of the message that a compaction leaves: a summary by the model, or the old
// prompts folded into one (FORMAT.md §6).
const (
	summaryKind = "compaction_summary"
	foldedKind  = "compaction"
)

// lastCompaction is the last compaction of a session, from the file beside the messages.
type lastCompaction struct {
	after   int // index of the last message that was there
	message tables.Message
	event   *tables.Compaction
}

// newCompaction returns a compaction from the metadata of the message that it left.
func newCompaction(about *fastjson.Value) *tables.Compaction {
	c := &tables.Compaction{
		PreTokens:     readers.Count(about, "tokensBefore"),
		Summary:       readers.Text(about, "summary"),
		SummarySource: tables.SummaryInline,
		Timestamp:     readers.Time(about.Get("generatedAt")),
	}
	switch readers.Text(about, "reason") {
	case "manual_compaction":
		c.Trigger = "manual"
	case "auto_compaction", "overflow_recovery_compaction":
		c.Trigger = "auto"
	}
	if c.Summary == "" {
		c.SummarySource = tables.SummaryNone
	}
	return c
}

// readCompaction reads the file with what the model sees since the last compaction; nil
// if there is none. The messages keep everything.
func (s *session) readCompaction() *lastCompaction {
	if s.isSubagent() || len(s.entries) == 0 {
		return nil
	}
	v := s.readObject(path.Join(s.at.sessions, s.at.folder, s.at.stem+".compaction.json"))
	if v == nil {
		return nil
	}
	at := readers.Time(v.Get("updated_at"))
	s.kinds.Record(v, "compaction", true, s.facts.version, at)
	left := v.GetArray("messages")
	if len(left) == 0 {
		return nil
	}
	c := &lastCompaction{event: newCompaction(left[0].Get("metadata"))}
	if c.event.Timestamp.IsZero() {
		c.event.Timestamp = at
	}
	for _, m := range left[1:] {
		if id := readers.Text(m, "id"); id != "" {
			c.event.PreservedUUIDs = append(c.event.PreservedUUIDs, id)
		}
	}
	n := readers.Int(v, "source_message_count").Value
	c.after = int(min(max(n-1, 0), int64(len(s.entries)-1)))
	before := s.entries[c.after]
	c.message = tables.Message{
		// A fork has the same compaction: its message is a copy.
		UUID:      "compaction@" + strconv.FormatInt(c.event.Timestamp.UnixMilli(), 10) + "/" + before.native,
		Role:      tables.RoleUser,
		Kind:      tables.KindSummary,
		Text:      s.readContent(&entry{}, "compaction", left[0].Get("content")).text(),
		Timestamp: c.event.Timestamp,
		Line:      before.Line,
	}
	return c
}

// Words of [readers.Document] about a damaged text.
const (
	unfinishedDocument = "unfinished document"
	emptyFile          = "empty file"
	badJSON            = "bad JSON"
)

// readWhole is [readers.Document] for a file that Cline writes anew at each step, from
// its first byte (FORMAT.md §1.1). A read in the middle of that finds the beginning of
// the file, or nothing. The result is then a [*readers.Unread]: a store keeps the rows
// that it has, and the next sync reads the file again.
func readWhole(in *readers.Input, key string, head func(*fastjson.Value, []byte), element func(*fastjson.Value)) error {
	var text []byte
	var cut error
	one := *in
	one.Emit = func(e tables.Event) {
		p, ok := e.(*tables.Problem)
		if ok && (p.What == unfinishedDocument || p.What == emptyFile || p.What == badJSON && endsEarly(text)) {
			cut = &readers.Unread{Err: errors.New(path.Base(in.Rel) + ": " + p.What + ", as in the middle of a write")}
			return
		}
		in.Emit(e)
	}
	err := readers.Document(&one, key, func(v *fastjson.Value, all []byte) {
		text = all
		head(v, all)
	}, element)
	if err != nil {
		return err
	}
	return cut
}

// endsEarly reports whether an object's text lacks its last brace.
func endsEarly(text []byte) bool {
	text = bytes.TrimRight(text, " \t\r\n")
	return len(text) > 0 && text[len(text)-1] != '}'
}

// subagentFile is a subagent's file beside the session's own.
type subagentFile struct {
	id     string
	start  time.Time
	isUsed bool
}

// maxClockGap is how far the times of a call and of its subagent's name may be apart.
const maxClockGap = time.Second

// resolveSubagents finds the subagent of each spawn_agent call. The result names none, so
// their order and times decide: a subagent's file is named by its start, which lies
// between the call and the result (FORMAT.md §8).
func (s *session) resolveSubagents() {
	var list []*subagentFile
	asked := false
	for _, e := range s.entries {
		for _, c := range e.calls {
			if c.ToolName != "spawn_agent" || c.result == nil || c.result.refusal != nil || c.result.ErrorType == tables.ErrorInvalidCall {
				continue
			}
			if !asked {
				asked, list = true, s.listSubagents()
			}
			for len(list) > 0 && (list[0].isUsed || list[0].start.Before(c.Timestamp.Add(-maxClockGap))) {
				list = list[1:] // calls and subagents are both in the order of time
			}
			if len(list) == 0 {
				return
			}
			if !list[0].start.After(c.result.Timestamp.Add(maxClockGap)) {
				c.result.SubagentSessionID, list[0].isUsed = list[0].id, true
			}
		}
	}
}

// listSubagents lists the subagents' files in the session's folder, in the order of their
// starts.
func (s *session) listSubagents() (list []*subagentFile) {
	if s.isSubagent() {
		return nil
	}
	names, err := s.in.Names(path.Join(s.at.sessions, s.at.folder))
	if err != nil {
		return nil // the files' own rows name this session
	}
	for _, name := range names {
		stem, isMessages := strings.CutSuffix(name, messagesSuffix)
		digits, isChild := strings.CutPrefix(stem, "agent_")
		digits, _, _ = strings.Cut(digits, "_")
		ms, err := strconv.ParseInt(digits, 10, 64)
		if start := readers.Millis(ms); isMessages && isChild && err == nil && !start.IsZero() {
			list = append(list, &subagentFile{id: s.at.folder + "__" + stem, start: start})
		}
	}
	return list
}
