package copilot

import (
	"cmp"
	"path"
	"strconv"
	"strings"
	"time"

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
	l.resumed(e)
	if l.facts.known {
		return
	}
	l.facts.known = true
	s := l.main.session
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
	l.clears.withProgram = e.Get("remoteSteerable") != nil
}

// resumed handles the line with which a process begins or continues the session.
func (l *log) resumed(e *event) {
	s := l.main.session
	s.AgentVersion = cmp.Or(versionIn(e), s.AgentVersion)
	l.setContext(e)
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
		s := l.main.session
		s.GitBranch = cmp.Or(readers.Text(e.Value, "branch"), s.GitBranch)
		s.Project = cmp.Or(s.Project, readers.Folder(readers.Text(e.Value, "cwd")))
	}
}

// setContext handles the folder in which the program started. If several processes
// continued the session, the first folder stays.
func (l *log) setContext(e *event) {
	s, c := l.main.session, e.Get("context")
	s.Project = cmp.Or(s.Project, readers.Folder(readers.Text(c, "cwd")))
	s.GitCommit = cmp.Or(s.GitCommit, readers.Text(c, "headCommit"))
	s.GitBranch = cmp.Or(readers.Text(c, "branch"), s.GitBranch)
	if s.GitRemote == "" {
		s.GitRemote = path.Join(readers.Text(c, "repositoryHost"), readers.Text(c, "repository"))
	}
}

// shutDown handles the end of a process, with the totals of the session so far.
func (l *log) shutDown(e *event) {
	l.main.extra.JSON("total_nano_aiu", e.Get("totalNanoAiu"))
	l.main.extra.JSON("total_premium_requests", e.Get("totalPremiumRequests"))
	l.main.extra.JSON("code_changes", e.Get("codeChanges"))
	l.main.extra.JSON("shutdown_type", e.Get("shutdownType"))
	l.clears.ends = append(l.clears.ends, end{e.id, e.at})
	l.emitUncounted(e)
	if readers.Text(e.Value, "shutdownType") == "error" {
		l.emitCrash(l.main, e.message(tables.RoleSystem, tables.KindError, cmp.Or(readers.Text(e.Value, "errorReason"), "the session ended by an error")))
	}
	l.main.inTurn = false
}

// completeSessions fills in facts about the session and its subagents' sessions: from
// the whole file and from workspace.yaml.
func (l *log) completeSessions() {
	s := l.main.session
	s.ForkedFrom = l.facts.forkedFrom
	if path.Base(l.in.Rel) == eventsFile {
		if text, err := l.in.ReadFile(path.Join(path.Dir(l.in.Rel), workspaceFile)); err == nil {
			w := parseWorkspace(string(text))
			s.Title, s.Origin = w.name, w.client
			s.Project = cmp.Or(s.Project, readers.Folder(w.folder))
			s.GitBranch = cmp.Or(s.GitBranch, w.branch)
			if w.named {
				l.main.extra.Set("title_by", tables.TypedByHuman)
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

// workspace is the content of workspace.yaml, beside the events (FORMAT.md §1).
type workspace struct {
	name, folder, branch, client string
	named                        bool // by the user
}

// parseWorkspace reads the file's few keys: plain, quoted and folded scalars at the
// outermost level.
func parseWorkspace(text string) workspace {
	var w workspace
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(line, ":")
		if !ok || key == "" || strings.TrimLeft(key, " \t-#") != key {
			continue
		}
		value = parseScalar(strings.TrimSpace(value), lines[i+1:])
		switch key {
		case "name":
			w.name = value
		case "cwd":
			w.folder = value
		case "branch":
			w.branch = value
		case "client_name":
			w.client = value
		case "user_named":
			w.named = value == "true"
		}
	}
	return w
}

// parseScalar returns the value of a key. value is the text after the colon, below holds
// the next lines.
func parseScalar(value string, below []string) string {
	switch {
	case value == "" || value == "null" || value == "~":
		return ""
	case value[0] == '|' || value[0] == '>':
		return parseBlock(value[0] == '>', below)
	case value[0] == '"':
		if s, err := strconv.Unquote(value); err == nil {
			return s
		}
		return strings.Trim(value, `"`)
	case value[0] == '\'' && len(value) > 1 && strings.HasSuffix(value, "'"):
		return strings.ReplaceAll(value[1:len(value)-1], "''", "'")
	}
	return value
}

// parseBlock returns an indented text of several lines.
func parseBlock(folded bool, below []string) string {
	var kept []string
	for _, line := range below {
		if line != "" && line[0] != ' ' {
			break
		}
		kept = append(kept, strings.TrimSpace(line))
	}
	if folded {
		return strings.TrimSpace(strings.Join(kept, " "))
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// clears holds what may show a /clear or /new: when the session began, and when its
// processes ended. The log doesn't record the command itself (FORMAT.md §6).
type clears struct {
	beginning string // id of the first line
	begun     time.Time
	// withProgram is true if a program began with this session. Sessions that /clear,
	// /new or a fork began lack the field, and so do all sessions of old versions.
	withProgram bool
	ends        []end
}

type end struct {
	uuid string
	at   time.Time
}

// dropEnds drops the ends of processes that a fork copied from its parent's log.
func (c *clears) dropEnds() { c.ends = nil }

// byTimesOnly is the confidence of a clear that is inferred from the times of two
// sessions only.
const byTimesOnly = 0.8

// emitPossibleClears emits possible clears: one at the session's beginning, and one at
// each end of a process. If another session of the project ended when this one began, or
// began when this one ended, the two times show a clear. If a program began with this
// session, no clear did.
func (l *log) emitPossibleClears() {
	mark := func(c tables.Clear) {
		c.Trigger, c.Project, c.Evidence, c.Confidence = tables.ClearByCommand, l.main.session.Project, tables.EvidenceInferred, byTimesOnly
		l.in.Emit(&c)
	}
	if l.main.session.Kind != tables.SessionMain {
		return
	}
	begin := tables.Clear{UUID: l.clears.beginning, NextSessionID: l.id, Timestamp: l.clears.begun}
	switch {
	case l.facts.forkedFrom != "" || begin.Timestamp.IsZero():
	case l.clears.withProgram:
		begin.SessionID, begin.Project, begin.Evidence, begin.Confidence = l.id, l.main.session.Project, tables.EvidenceProcess, 1
		l.in.Emit(&begin)
	default:
		mark(begin)
	}
	if len(l.clears.ends) == 0 { // the links also need to know that there is no end
		mark(tables.Clear{SessionID: l.id})
	}
	for _, e := range l.clears.ends {
		mark(tables.Clear{UUID: e.uuid, SessionID: l.id, Timestamp: e.at})
	}
}

// contextCleared handles a clear inside the session.
func (l *log) contextCleared(e *event) {
	m := e.message(tables.RoleSystem, tables.KindNotice, "the context was cleared")
	l.emitMessage(l.thread(e), m)
	l.emit(l.main, &tables.Clear{
		UUID: e.id, SessionID: l.id, NextSessionID: l.id, InSession: true, Trigger: tables.ClearByCommand,
		Timestamp: e.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	})
}
