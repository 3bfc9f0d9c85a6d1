package tables

import (
	"time"

	"hindsql/internal/words"
)

var approvals = newRowTable(Table{
	Name:     "approvals",
	Doc:      "One row per question about a call, from a file that many sessions share; an answer in a file that is gone holds on.",
	Internal: true,
}, []column[inFile[Approval]]{
	text("agent", "which agent wrote the file", func(a *inFile[Approval]) string { return a.f.Agent }),
	text("key", "the agent's name of the session, see own_names", func(a *inFile[Approval]) string { return a.e.Key }),
	text("tool_use_id", "id of the call, as the model gave it", func(a *inFile[Approval]) string { return a.e.ToolUseID }),
	text("decision", "as in tool_calls", func(a *inFile[Approval]) string { return a.e.Decision }),
	text("decided_by", "as in tool_calls", func(a *inFile[Approval]) string { return a.e.DecidedBy }),
	text("decision_scope", "as in tool_calls", func(a *inFile[Approval]) string { return a.e.Scope }),
	text("status", "status of a refused call: rejected or denied; else null", func(a *inFile[Approval]) string { return a.e.Status }),
	text("stopped_by", "user or system, where the call was stopped at the question; else null", func(a *inFile[Approval]) string { return a.e.StoppedBy }),
	text("denial_kind", "the agent's own word for the end of the question", func(a *inFile[Approval]) string { return a.e.DenialKind }),
	maybeBigint("waited_ms", "milliseconds from the question to a person's answer", func(a *inFile[Approval]) Maybe[int64] { return a.e.WaitedMS }),
	double("decision_confidence", "as in tool_calls", func(a *inFile[Approval]) Maybe[float64] { return Maybe[float64]{1, a.e.Decision != ""} }),
	texts("command_parts", "as in tool_calls", func(a *inFile[Approval]) []string { return a.e.commandParts() }),
	instant("asked_at", "time of the question", func(a *inFile[Approval]) time.Time { return a.e.AskedAt }),
	instant("answered_at", "time of the answer; null while it is open", func(a *inFile[Approval]) time.Time { return a.e.AnsweredAt }),
	bigint("source_id", "the shared file, see sources", func(a *inFile[Approval]) int64 { return a.f.id }),
})

// commandParts returns the simple commands of the command that a person granted or
// refused; nil for every other answer.
func (a *Approval) commandParts() []string {
	c := call{ToolCall: &ToolCall{Command: a.Command, Parts: a.Parts}, decision: Decision{Decision: a.Decision, DecidedBy: a.DecidedBy}}
	return c.commandParts()
}

var sessionNotes = newRowTable(Table{
	Name:     "session_notes",
	Doc:      "One row per session with a title in a file shared by many sessions. After the file is deleted, its notes count only for sessions with a deleted log.",
	Internal: true,
}, []column[inFile[SessionNote]]{
	text("agent", "agent that wrote the file", func(n *inFile[SessionNote]) string { return n.f.Agent }),
	text("session_id", "id of the session, as in the session's own log", func(n *inFile[SessionNote]) string { return n.e.SessionID }),
	text("title", "the session's title", func(n *inFile[SessionNote]) string { return n.e.Title }),
	text("about", "the title, as a line", func(n *inFile[SessionNote]) string { return words.Line(n.e.Title, aboutLength) }),
	bigint("source_id", "the shared file, see sources", func(n *inFile[SessionNote]) int64 { return n.f.id }),
})

var projectNotes = newRowTable(Table{
	Name:     "project_notes",
	Doc:      "One row per key for a project, from a file shared by many sessions.",
	Internal: true,
}, []column[inFile[ProjectNote]]{
	text("agent", "agent that wrote the file", func(n *inFile[ProjectNote]) string { return n.f.Agent }),
	text("key", "the key, such as the name of a folder of logs", func(n *inFile[ProjectNote]) string { return n.e.Key }),
	text("project", "working directory", func(n *inFile[ProjectNote]) string { return n.e.Project }),
	bigint("source_id", "the shared file, see sources", func(n *inFile[ProjectNote]) int64 { return n.f.id }),
})

// noSession stands for the log's prompts and clears, which belong to no session.
var noSession = &session{Session: &Session{}}

// own holds what a log itself has about the project of a session, or of noSession.
type own struct {
	f       *File
	session *session
	project string
	keys    []string
}

var ownNames = newRowTable(Table{
	Name:     "own_names",
	Doc:      "One row per session: facts from the session's own log that shared files may override. A log of prompts has one row without session_id if a shared file may name the project.",
	Internal: true,
}, []column[own]{
	text("agent", "agent that wrote the log", func(o *own) string { return o.f.Agent }),
	text("session_id", "id of the session, as in the log", func(o *own) string { return o.session.SessionID }),
	text("title", "title in the log", func(o *own) string { return o.session.Title }),
	text("about", "the title, or the first prompt, as a line", func(o *own) string { return o.session.about() }),
	text("project", "working directory in the log", func(o *own) string { return o.project }),
	texts("project_keys", "keys for the project in shared files, the surest first; null without keys", func(o *own) []string { return o.keys }),
	text("approval_key", "the agent's name of the session, which a shared file of approvals may use; null without one", func(o *own) string { return o.session.ApprovalKey }),
	linked[own]("title_from", "BIGINT", "the shared file with the title"),
	linked[own]("project_from", "BIGINT", "the shared file with the project"),
	bigint("source_id", "the log file, see sources", func(o *own) int64 { return o.f.id }),
})

// appendOwn adds the rows of table own_names for the log.
func (f *File) appendOwn(b *Batch) {
	for _, s := range f.sessions {
		ownNames.append(b, &own{f, s, s.Project, s.ProjectKeys})
	}
	if f.project != nil {
		ownNames.append(b, &own{f, noSession, f.project.Project, f.project.Keys})
	}
}
