package copilot

import (
	"cmp"
	"path"

	"hindsql/readers"
	"hindsql/tables"
)

// sessionFacts holds the file's facts about the whole session.
type sessionFacts struct {
	known      bool // a session.start came
	forkedFrom string
}

// started handles the head of the log (FORMAT.md §3.1). A fork has a head of its own.
func (l *log) started(e *event) {
	s := l.main.session
	s.AgentVersion = cmp.Or(versionIn(e), s.AgentVersion)
	l.context(e)
	l.modelSelected(e)
	if l.facts.known {
		return
	}
	l.facts.known = true
	if id := readers.Text(e.Value, "sessionId"); id != l.id {
		s.NativeID = id
	}
	if parent := readers.Text(e.Value, "detachedFromSpawningParentSessionId"); parent != "" { // the program began this session by itself
		s.Kind, s.ParentSessionID = tables.SessionSubagent, parent
	}
	l.clears.begun = readers.Time(e.Get("startTime"))
	if l.clears.begun.IsZero() {
		l.clears.begun = e.at
	}
	l.clears.beginning = e.id
}

// resumed handles the line with which a process continues the session.
func (l *log) resumed(e *event) {
	s := l.main.session
	s.AgentVersion = cmp.Or(versionIn(e), s.AgentVersion)
	l.context(e)
	l.modelSelected(e)
}

// versionIn returns the program's version; empty if the program didn't know it, as in
// 0.0.36x.
func versionIn(e *event) string {
	if version := readers.Text(e.Value, "copilotVersion"); version != "unknown" {
		return version
	}
	return ""
}

func (l *log) contextChanged(e *event) {
	if l.thread(e) == l.main {
		l.place(e)
	}
}

// context handles the folder in which the program started. If several processes
// continued the session, the first folder stays.
func (l *log) context(e *event) {
	s, c := l.main.session, e.Get("context")
	s.Project = cmp.Or(s.Project, readers.Folder(readers.Text(c, "cwd")))
	s.GitCommit = cmp.Or(s.GitCommit, readers.Text(c, "headCommit"))
	s.GitBranch = cmp.Or(readers.Text(c, "branch"), s.GitBranch)
	if s.GitRemote == "" {
		s.GitRemote = path.Join(readers.Text(c, "repositoryHost"), readers.Text(c, "repository"))
	}
}

// place handles a change of folder, and takes the new folder's branch.
func (l *log) place(e *event) {
	s := l.main.session
	s.GitBranch = cmp.Or(readers.Text(e.Value, "branch"), s.GitBranch)
	s.Project = cmp.Or(s.Project, readers.Folder(readers.Text(e.Value, "cwd")))
}

// shutDown handles the end of a process, with the totals of the session so far.
func (l *log) shutDown(e *event) {
	l.main.extra.JSON("total_nano_aiu", e.Get("totalNanoAiu"))
	l.main.extra.JSON("total_premium_requests", e.Get("totalPremiumRequests"))
	l.main.extra.JSON("code_changes", e.Get("codeChanges"))
	l.main.extra.JSON("shutdown_type", e.Get("shutdownType"))
	l.clears.ended(e)
	l.restOfUsage(e)
	if readers.Text(e.Value, "shutdownType") == "error" {
		l.broke(l.main, e.message(tables.RoleSystem, tables.KindError, cmp.Or(readers.Text(e.Value, "errorReason"), "the session ended by an error")))
	}
	l.main.turns = false
}

// complete fills in facts about the session and its subagents' sessions: from the whole
// file and from workspace.yaml.
func (l *log) complete() {
	s := l.main.session
	s.ForkedFrom = l.facts.forkedFrom
	if path.Base(l.in.Rel) == eventsFile {
		if text, err := l.in.Beside(path.Join(path.Dir(l.in.Rel), workspaceFile)); err == nil {
			w := parseWorkspace(string(text))
			s.Title, s.Origin = w.name, w.client
			s.Project = cmp.Or(s.Project, readers.Folder(w.folder))
			s.GitBranch = cmp.Or(s.GitBranch, w.branch)
			if w.named {
				l.main.extra = noted(l.main.extra, "title_by", tables.TypedByHuman)
			}
		}
	}
	for _, t := range l.threads {
		t.session.Extra = readers.Object(t.extra)
		if t != l.main {
			t.session.Project, t.session.AgentVersion = s.Project, s.AgentVersion
			t.session.GitBranch, t.session.Origin = s.GitBranch, s.Origin
		}
	}
}

func noted(m map[string]any, key string, value any) map[string]any {
	if m == nil {
		m = map[string]any{}
	}
	m[key] = value
	return m
}
