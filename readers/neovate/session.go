package neovate

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// log holds the state of reading one session's file. A line may change earlier
// messages, so all rows are emitted at the end.
type log struct {
	in     *readers.Input
	words  readers.Interner
	kinds  readers.Kinds
	id     string // the file's stem
	folder string // slug of the project
	agent  bool   // the file is a subagent's
	facts  sessionFacts

	entries []*entry // the messages, in the order of the file
	byUUID  map[string]*entry
	calls   map[string]*call // by the model's own id: the last call with the id
	broken  bool             // the record before is no message
	foreign int64            // first line of another format; 0 if none
}

// sessionFacts holds the file's facts about the whole session. If a fact is written
// several times, the last value is used.
type sessionFacts struct {
	title, customTitle string
	forkedFrom         string
	directory          string // from a command's result
	extra              readers.Extra
}

// starts lists the beginnings of a line, at which reading resumes after damage.
var starts = []string{`{"parentUuid":`, `{"type":"config"`, `{"type":"message"`, `{"type":"snapshot"`, `{"type":"custom-title"`}

func readSession(in *readers.Input) error {
	stem := strings.TrimSuffix(path.Base(in.Rel), ".jsonl")
	l := &log{
		in:     in,
		kinds:  readers.NewKinds(in),
		words:  readers.Interner{},
		id:     stem,
		folder: path.Base(path.Dir(in.Rel)),
		agent:  strings.HasPrefix(stem, "agent-"),
		facts:  sessionFacts{extra: readers.Extra{}},
		byUUID: map[string]*entry{},
		calls:  map[string]*call{},
	}
	err := readers.JSONLines(in, starts, l.handleLine)
	l.finish()
	return err
}

// handleLine handles one line (FORMAT.md §2.1).
func (l *log) handleLine(v *fastjson.Value, line readers.Line) {
	kind := l.words.Intern(v.GetStringBytes("type"))
	at := readers.Time(v.Get("timestamp"))
	switch kind {
	case "message":
		l.readMessage(v, line.Number, at)
		return
	case "config":
		l.readConfig(v.Get("config"))
	case "custom-title":
		l.facts.customTitle = readers.Text(v, "customTitle")
	case "snapshot": // names of files' copies
	case "":
		l.kinds.Count("(no type)", false, "", at)
		return
	default:
		if foreignKinds[kind] && l.foreign == 0 {
			l.foreign = line.Number
		}
		l.kinds.Count(kind, false, "", at)
		return
	}
	l.kinds.Record(v, kind, true, "", at)
	l.broken = true
}

// foreignKinds are the types of lines before 0.9, when the program was called Takumi.
var foreignKinds = readers.SetOf(`user assistant system summary`)

// readConfig reads a line with the session's settings. The last line is used.
func (l *log) readConfig(v *fastjson.Value) {
	l.facts.title = readers.Text(v, "summary")
	for name, key := range map[string]string{
		"approval_mode": "approvalMode", "approval_tools": "approvalTools", "session_model": "model",
		"additional_directories": "additionalDirectories", "plan_slug": "planSlug",
	} {
		delete(l.facts.extra, name)
		if s := v.Get(key); !readers.IsNull(s) && (s.Type() != fastjson.TypeArray || len(s.GetArray()) > 0) {
			l.facts.extra.Set(name, json.RawMessage(readers.JSON(s)))
		}
	}
}

func (l *log) newSession() *tables.Session {
	s := &tables.Session{
		SessionID:   l.id,
		Kind:        tables.SessionMain,
		ForkedFrom:  l.facts.forkedFrom,
		Title:       cmp.Or(l.facts.customTitle, l.facts.title),
		Project:     l.facts.directory,
		ProjectKeys: []string{l.folder},
	}
	if l.agent {
		s.Kind = tables.SessionSubagent // the parent's result names the parent
	}
	s.Extra = readers.Object(l.facts.extra)
	return s
}

// resolveParents sets each message's parent: the message named by parentUuid, if it
// stands earlier in the file, otherwise the message before. A root is a message without
// parentUuid. In the middle of a file, it has no parent only if it is a user's message:
// the user went back and typed the first prompt anew. Other roots get the message before
// as parent (FORMAT.md §2.2): a compaction's summary; up to 0.17, an answer right after
// a compaction; a message after a line that is no message, written by a process that
// resumed the file; and every root of a subagent's file.
func (l *log) resolveParents() {
	for i, e := range l.entries {
		if i == 0 {
			continue
		}
		e.parent = l.entries[i-1]
		named := l.byUUID[e.ParentUUID]
		switch {
		case e.ParentUUID == "" && e.role == "user" && e.Kind != tables.KindSummary && !e.broken && !l.agent:
			e.parent = nil
		case e.ParentUUID != "" && named != nil && named.index < i:
			e.parent = named
		}
	}
	if n := len(l.entries); n > 0 {
		for e := l.entries[n-1]; e != nil; e = e.parent {
			e.active = true
		}
	}
}

// abandonedMessages returns the messages that are not on the path from the last message
// to its root.
func (l *log) abandonedMessages() []string {
	var uuids []string
	for _, e := range l.entries {
		if !e.active && e.UUID != "" {
			uuids = append(uuids, e.UUID)
		}
	}
	return uuids
}

// newCompaction returns the compaction of a summary. It replaces the messages above the
// summary, but not messages abandoned earlier (FORMAT.md §6.1). The message before
// shows the trigger: if the turn had ended, the user typed /compact.
func (l *log) newCompaction(e *entry) *tables.Compaction {
	c := &tables.Compaction{
		UUID:            e.UUID,
		Trigger:         "manual",
		TriggerInferred: true,
		Summary:         e.Text,
		SummarySource:   tables.SummaryInline,
		Timestamp:       e.Timestamp,
	}
	if before := e.parent; before != nil {
		c.LogicalParentUUID = before.UUID
		if before.Kind == tables.KindPrompt || before.Kind == tables.KindToolResult && !before.endsTurn {
			c.Trigger = "auto"
		}
	}
	c.ReplacedUUIDs = []string{}
	for p := e.parent; p != nil && !p.replaced; p = p.parent {
		p.replaced = true
		c.ReplacedUUIDs = append(c.ReplacedUUIDs, p.UUID)
	}
	return c
}
