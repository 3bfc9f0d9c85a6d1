package grok

import (
	"bytes"
	"cmp"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// summary holds the facts of summary.json (FORMAT.md §1).
type summary struct {
	session  *tables.Session
	created  time.Time
	forkedAt time.Time // zero for a session that is no fork
	parent   string    // folder of the fork's parent; empty if none
}

// Kinds of sessions in summary.json.
const (
	kindFork     = "fork"
	kindSubagent = "subagent"
)

// summaryIn reads summary.json in a session's folder. Without the file, the paths give
// the session's id and working directory.
func summaryIn(in *readers.Input, folder string) summary {
	s := summary{session: &tables.Session{SessionID: path.Base(folder), Kind: tables.SessionMain}}
	var v *fastjson.Value
	if text, err := in.Beside(path.Join(folder, summaryFile)); err == nil {
		v, _ = fastjson.ParseBytes(bytes.ToValidUTF8(text, []byte("\uFFFD")))
	}
	s.session.Project = cmp.Or(readers.Folder(readers.Text(v, "info", "cwd")), folderOf(in))
	s.session.Title = readers.FirstText(v, "generated_title", "session_summary")
	s.session.GitBranch = readers.Text(v, "head_branch")
	s.session.GitCommit = readers.Text(v, "head_commit")
	s.created = readers.Time(v.Get("created_at"))
	extra := readers.Extra{}
	extra.Text("agent_name", readers.Text(v, "agent_name"))
	parent := readers.Text(v, "parent_session_id")
	switch readers.Text(v, "session_kind") {
	case kindSubagent:
		s.session.Kind, s.session.ParentSessionID = tables.SessionSubagent, parent
	case kindFork:
		s.session.ForkedFrom = parent
		s.forkedAt = readers.Time(v.Get("forked_at"))
		if isName(parent) {
			s.parent = path.Join(path.Dir(folder), parent)
		}
	case "":
	default:
		extra.Set("session_kind", readers.Text(v, "session_kind"))
	}
	s.session.Extra = readers.Object(extra)
	return s
}

// originOf returns the session from which a fork copied a line: the line's id begins
// with it. It is empty for a line of the session itself.
func (s *summary) originOf(id string, at time.Time) string {
	if s.forkedAt.IsZero() || !at.Before(s.forkedAt) {
		return ""
	}
	if end := strings.LastIndexByte(id, '-'); end > 0 && id[:end] != s.session.SessionID {
		return id[:end]
	}
	return s.session.ForkedFrom
}

// isName reports whether a text can be the name of one file or folder, and leads to no
// other folder.
func isName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00")
}

// nameBelow returns the name of the log's folder right below sessions.
func nameBelow(rel string) string {
	if folders := strings.Split(rel, "/"); len(folders) > 2 {
		return folders[1]
	}
	return ""
}

// unescaped decodes a URL-encoded name; a name that isn't one stays as it is.
func unescaped(name string) string {
	decoded, err := url.PathUnescape(name)
	if err != nil || !utf8.ValidString(decoded) {
		return name
	}
	return decoded
}

func trimmed(text []byte) string {
	return strings.ToValidUTF8(strings.TrimSpace(string(text)), "\uFFFD")
}

// subagentSpawned notes a subagent's session. The line names no call: of the open calls
// that start subagents, the one with the same description did it (FORMAT.md §7).
func (l *log) subagentSpawned(u *update) {
	child := readers.FirstText(u.Value, "child_session_id", "subagent_id")
	if child == "" || l.spawned[child] {
		return
	}
	l.spawned[child] = true
	if l.turn == nil {
		return
	}
	said := readers.Text(u.Value, "description")
	var by *call
	for _, c := range l.turn.calls {
		if c.ToolKind != tables.ToolAgent || c.child != "" || c.ended {
			continue
		}
		if by == nil || c.about == said && by.about != said {
			by = c
		}
	}
	if by != nil {
		by.child = child
	}
}

// childIn returns the session of the subagent that a call started: the one named in the
// result, which is the program's own, otherwise the one that was noted.
func childIn(spawned map[string]bool, c *call, output string) string {
	if c.ToolKind != tables.ToolAgent {
		return ""
	}
	if _, after, found := strings.Cut(output, "subagent_id: "); found {
		id, _, _ := strings.Cut(after, "\n")
		if spawned[strings.TrimSpace(id)] {
			return strings.TrimSpace(id)
		}
	}
	return c.child
}
