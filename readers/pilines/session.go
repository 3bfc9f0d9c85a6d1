package pilines

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// log holds the state of reading one session's file.
type log struct {
	in    *readers.Input
	words readers.Interner
	kinds readers.Kinds
	Options
	claw *claw // nil if the lines aren't OpenClaw's

	opened     bool
	session    tables.Session // complete only at the end
	agent      bool           // the file is a subagent's
	extra      readers.Extra
	earlyTitle string // title before the header

	entries []*entry
	byID    map[string]*entry  // by the file's own ids: the last entry with the id
	calls   map[string]*call   // by the model's own id: the last call with the id
	early   map[string]*result // by the model's own id: results before their call (readers/pi/FORMAT.md §4.1)
	seen    readers.Set        // ids of the model API
	records int64              // readable lines, including the header
	first   int64              // the first readable line; 0 if none
}

// starts lists the beginnings of a line, at which reading resumes after damage.
var starts = []string{
	`{"type":"message","id":`, `{"type":"session","`, `{"type":"model_change","id":`, `{"type":"thinking_level_change","id":`,
	`{"type":"compaction","id":`, `{"type":"branch_summary","id":`, `{"type":"custom_message","`, `{"type":"custom","customType":`,
	`{"type":"label","id":`, `{"type":"session_info","id":`, `{"type":"context_edit","id":`, `{"type":"usage","id":`,
}

func newLog(in *readers.Input, o Options) *log {
	l := &log{
		in: in, Options: o, kinds: readers.NewKinds(in), words: readers.Interner{},
		extra: readers.Extra{}, byID: map[string]*entry{}, calls: map[string]*call{}, early: map[string]*result{}, seen: readers.Set{},
	}
	l.session.SessionID, l.session.Kind = o.ID, tables.SessionMain
	if o.ID == "" {
		l.readPath()
	}
	if known := o.Known; known != nil {
		l.session, l.agent = *known, known.Kind == tables.SessionSubagent
		maps.Copy(l.extra, o.Extra)
	}
	if o.OpenClaw {
		l.claw = newClaw(l)
	}
	return l
}

// Read reads a file of lines.
func Read(in *readers.Input, o Options) error {
	l := newLog(in, o)
	err := readers.JSONLines(in, starts, l.record)
	l.finish()
	return err
}

// readPath reads the file's path: <time>_<id>.jsonl, or, for a subagent, in the folder
// named after its parent's file (readers/pi/FORMAT.md §1).
func (l *log) readPath() {
	l.session.SessionID = idInName(l.in.Rel)
	folder := path.Base(path.Dir(l.in.Rel))
	for dir := path.Dir(l.in.Rel); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if name := path.Base(dir); sessionName.MatchString(name) {
			l.agent = true
			l.session.Kind, l.session.ParentSessionID = tables.SessionSubagent, idInName(dir)
			break
		}
	}
	if owner := path.Base(path.Dir(path.Dir(l.in.Rel))); folder == "sessions" && owner != "agent" && owner != "." {
		l.extra.Set("agent", owner)
	}
}

// sessionName matches the name of a session's file, without its extension.
var sessionName = pattern.Lazy(`^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d+)?Z?_.`)

// idInName returns the session id in a file's path, of any operating system.
func idInName(file string) string {
	name, _, _ := strings.Cut(file[strings.LastIndexAny(file, `/\`)+1:], ".jsonl")
	if sessionName.MatchString(name) {
		_, name, _ = strings.Cut(name, "_")
	}
	return name
}

// header handles the first line (readers/pi/FORMAT.md §2.1).
func (l *log) header(v *fastjson.Value) {
	if l.opened {
		return // a repeated file, see log.addEntry
	}
	if id := readers.Text(v, "id"); id != "" && l.Known == nil {
		l.session.SessionID = id
	}
	l.session.Project = readers.Folder(readers.Text(v, "cwd"))
	l.session.Title = cmp.Or(readers.Text(v, "title"), l.session.Title)
	if from := readers.FirstText(v, "parentSession", "branchedFrom"); from != "" {
		l.setOrigin(cmp.Or(idInFile(l.in, from), idInName(from)))
	}
	if more := v.GetArray("additionalDirectories"); len(more) > 0 {
		l.extra.Set("additional_directories", json.RawMessage(readers.JSON(v.Get("additionalDirectories"))))
	}
	l.open()
}

// idInFile returns the id in the header of the file with that path; empty if the file
// is missing. The file's name may have another id, or none. The folders above may have
// been moved.
func idInFile(in *readers.Input, file string) string {
	steps := strings.FieldsFunc(file, func(r rune) bool { return r == '/' || r == '\\' })
	if !strings.Contains(file, ".jsonl") {
		return "" // an id without a path, as once in oh-my-pi
	}
	list := []string{path.Join(path.Dir(in.Rel), steps[len(steps)-1])}
	for i := len(steps) - 1; i >= max(0, len(steps)-3); i-- {
		list = append(list, strings.Join(steps[i:], "/"))
	}
	for _, rel := range list {
		if f, err := in.OpenUnwatched(rel); err == nil && rel != in.Rel {
			defer f.Close()
			head, err := io.ReadAll(io.LimitReader(f, 64<<10))
			if err != nil {
				return ""
			}
			return idInHeader(head)
		}
	}
	return ""
}

// idInHeader returns the session's id in the first lines of its file.
func idInHeader(head []byte) string {
	for line := range bytes.Lines(head) {
		if v, err := fastjson.ParseBytes(line); err == nil && readers.Text(v, "type") == "session" {
			return readers.Text(v, "id")
		}
	}
	return ""
}

// setOrigin sets the session in the header: a subagent's parent, or a fork's original.
func (l *log) setOrigin(id string) {
	if l.agent {
		l.session.ParentSessionID = id
	} else {
		l.session.ForkedFrom = id
	}
}

func (l *log) open() {
	l.opened = true
	l.in.Emit(&l.session)
}

// finish completes the session, and emits the messages on abandoned branches.
func (l *log) finish() {
	if l.claw != nil {
		l.claw.emitRuns(time.Time{})
	}
	if !l.opened && l.first > 0 {
		l.in.Emit(&tables.Problem{Line: l.first, What: "no session header, and no line of a session: not a log of this format"})
	}
	l.session.Title = cmp.Or(l.earlyTitle, l.session.Title)
	l.session.Extra = readers.Object(l.extra)
	if left := l.abandonedMessages(); len(left) > 0 {
		l.in.Emit(&tables.Inactive{UUIDs: left})
	}
	l.kinds.Emit(l.in.Emit)
}
