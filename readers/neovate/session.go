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
	words  readers.Words
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
		words:  readers.Words{},
		id:     stem,
		folder: path.Base(path.Dir(in.Rel)),
		agent:  strings.HasPrefix(stem, "agent-"),
		facts:  sessionFacts{extra: readers.Extra{}},
		byUUID: map[string]*entry{},
		calls:  map[string]*call{},
	}
	err := readers.JSONLines(in, starts, l.record)
	l.finish()
	return err
}

// record handles one line (FORMAT.md §2.1).
func (l *log) record(v *fastjson.Value, line readers.Line) {
	kind := l.words.Of(v.GetStringBytes("type"))
	at := readers.Time(v.Get("timestamp"))
	switch kind {
	case "message":
		l.message(v, line.Number, at)
		return
	case "config":
		l.config(v.Get("config"))
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

// config takes a line with the session's settings. The last line is used.
func (l *log) config(v *fastjson.Value) {
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

func (l *log) session() *tables.Session {
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
