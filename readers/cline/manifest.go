package cline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// manifest holds what Cline records about a session beside its messages (FORMAT.md §2).
type manifest struct {
	pid             int64
	started, ended  time.Time
	status          string
	exitCode        tables.Maybe[int64]
	headless        bool // a session without a terminal
	interactive     bool
	cwd, root       string
	source, version string
	title, branch   string
	forkedFrom      string
	cost            tables.Maybe[float64] // missing for models without a price
	hub             bool                  // a daemon ran the session, so the pid isn't the program's
	marker          string                // the next start found the program gone
	markedAt        time.Time
}

// readManifest reads the file beside the messages. A damaged file costs its facts only.
func (s *session) readManifest() *manifest {
	rel := path.Join(s.at.sessions, s.at.folder, s.at.folder+".json")
	v := s.readObject(rel)
	if v == nil {
		return &manifest{}
	}
	m := parseManifest(v)
	if !s.isSubagent() { // the session's own file counts it
		s.kinds.Record(v, "manifest", true, m.version, m.started)
	}
	return m
}

// readObject returns the JSON object in a file beside the messages; nil if there is none.
func (s *session) readObject(rel string) *fastjson.Value {
	data, err := s.in.ReadFile(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		var v *fastjson.Value
		if v, err = fastjson.ParseBytes(data); err == nil && v.Type() == fastjson.TypeObject {
			return v
		}
		err = errors.New("no JSON object; its facts are missing")
	}
	if s.isWhole { // otherwise it is read again
		s.in.Emit(&tables.Problem{What: path.Base(rel) + ": " + err.Error()})
	}
	return nil
}

func parseManifest(v *fastjson.Value) *manifest {
	about := v.Get("metadata")
	m := &manifest{
		pid:         readers.Int(v, "pid").Value,
		started:     readers.Time(v.Get("started_at")),
		ended:       readers.Time(v.Get("ended_at")),
		status:      readers.Text(v, "status"),
		exitCode:    readers.Int(v, "exit_code"),
		headless:    v.Exists("interactive") && !readers.Bool(v, "interactive"),
		interactive: readers.Bool(v, "interactive"),
		cwd:         readers.Text(v, "cwd"),
		root:        readers.Text(v, "workspace_root"),
		source:      readers.Text(v, "source"),
		version:     readers.Text(about, "sessionHistoryOrigin", "version"),
		title:       readers.Text(about, "title"),
		branch:      readers.Text(about, "git", "branch"),
		forkedFrom:  cmp.Or(readers.Text(about, "fork", "forkedFromSessionId"), readers.Text(about, "restoredFromSessionId")),
		hub:         about.Exists("source"),
		marker:      readers.Text(about, "terminal_marker"),
		markedAt:    readers.Time(about.Get("terminal_marker_at")),
	}
	if cost := about.GetFloat64("totalCost"); cost > 0 {
		m.cost = tables.Some(cost)
	}
	return m
}

// extra returns the facts without a column.
func (m *manifest) extra() readers.Extra {
	extra := readers.Extra{}
	extra.Text("status", m.status)
	if m.exitCode.OK && m.exitCode.Value != 0 {
		extra.Set("exit_code", m.exitCode.Value)
	}
	extra.Text("terminal_marker", m.marker)
	return extra
}

// listLimit is the largest size in bytes of a list of tasks that is searched.
const listLimit = 16 << 20

// findInList returns a task's title and folder, as the list of all tasks has them
// (FORMAT.md §9.1); empty if the list lacks the task. The list is written with each task,
// so a later change of it is no change of this one.
func (t *task) findInList() (title, folder string) {
	f, err := t.in.OpenUnwatched(tasksFile)
	if err != nil {
		return "", "" // then only the task's own files have facts
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, listLimit))
	if err != nil {
		return "", ""
	}
	at := bytes.Index(data, []byte(`"id":"`+t.at.folder+`"`))
	start := bytes.LastIndexByte(data[:max(at, 0)], '{')
	if at < 0 || start < 0 {
		return "", ""
	}
	var item struct {
		ID     string `json:"id"`
		Task   string `json:"task"`
		Folder string `json:"cwdOnTaskInitialization"`
	}
	if err := json.NewDecoder(bytes.NewReader(data[start:])).Decode(&item); err != nil || item.ID != t.at.folder {
		return "", ""
	}
	title, _, _ = strings.Cut(strings.TrimSpace(item.Task), "\n")
	return title, item.Folder
}
