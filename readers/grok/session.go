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

// readSummary reads summary.json in a session's folder. Without the file, the paths give
// the session's id and working directory.
func readSummary(in *readers.Input, folder string) summary {
	s := summary{session: &tables.Session{SessionID: path.Base(folder), Kind: tables.SessionMain}}
	var v *fastjson.Value
	if text, err := in.ReadFile(path.Join(folder, summaryFile)); err == nil {
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

// unescape decodes a URL-encoded name; a name that isn't one stays as it is.
func unescape(name string) string {
	decoded, err := url.PathUnescape(name)
	if err != nil || !utf8.ValidString(decoded) {
		return name
	}
	return decoded
}

// subagentSpawned records a subagent's session. The line names no call: of the open calls
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
	task := readers.Text(u.Value, "description")
	var by *call
	for _, c := range l.turn.calls {
		if c.ToolKind != tables.ToolAgent || c.child != "" || c.ended {
			continue
		}
		if by == nil || c.task == task && by.task != task {
			by = c
		}
	}
	if by != nil {
		by.child = child
	}
}

// childSession returns the session of the subagent that a call started: the one named in
// the result, which is the program's own, otherwise the one recorded.
func childSession(spawned map[string]bool, c *call, output string) string {
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

// historyStarts lists the beginnings of a line of the history.
var historyStarts = []string{`{"timestamp":"`}

// readHistory reads the prompts typed in one folder, which name their session. Slash
// commands are not among them (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	const kind = "history/prompt"
	kinds, project := readers.NewKinds(in), folderOf(in)
	err := readers.JSONLines(in, historyStarts, func(v *fastjson.Value, _ readers.Line) {
		at := readers.Time(v.Get("timestamp"))
		kinds.Record(v, kind, true, "", at)
		text := readers.Text(v, "prompt")
		if readers.Bool(v, "is_bash") {
			text = "!" + text
		}
		in.Emit(&tables.Prompt{
			SessionID: readers.Text(v, "session_id"), Project: project, Text: text,
			IsCommand: readers.IsCommand(text), Timestamp: at,
		})
	})
	kinds.Emit(in.Emit)
	return err
}

// cwdFile holds the working directory, where the folder's name is too short for it.
const cwdFile = ".cwd"

// folderOf returns the working directory of a log's sessions: the name of the folder
// below sessions, URL-decoded, or the text of a file in it (FORMAT.md §1).
func folderOf(in *readers.Input) string {
	name := ""
	if folders := strings.Split(in.Rel, "/"); len(folders) > 2 {
		name = folders[1]
	}
	if decoded := unescape(name); decoded != name {
		return readers.Folder(decoded)
	}
	if text, err := in.ReadFile(path.Join(sessionsFolder, name, cwdFile)); err == nil {
		return readers.Folder(strings.ToValidUTF8(strings.TrimSpace(string(text)), "\uFFFD"))
	}
	return ""
}

// eventStarts lists the beginnings of a line of events.
var eventStarts = []string{`{"ts":"`}

// readEvents counts the records of a file of events. They make no rows of their own: the
// reader of the updates beside them uses them.
func readEvents(in *readers.Input) error {
	kinds, words := readers.NewKinds(in), readers.Interner{}
	err := readers.JSONLines(in, eventStarts, func(v *fastjson.Value, _ readers.Line) {
		kind := words.Intern(v.GetStringBytes("type"))
		kind = cmp.Or(kind, "(no type)")
		kinds.Record(v, "events/"+kind, eventKinds[kind], "", readers.Time(v.Get("ts")))
	})
	kinds.Emit(in.Emit)
	return err
}

// eventKinds lists the known events: those of recordings, and those of the program's
// source (FORMAT.md §3).
var eventKinds = readers.SetOf(`turn_started loop_started phase_changed first_token
	tool_started permission_requested permission_resolved tool_completed
	yolo_toggled turn_ended interjected
	goal_auto_paused goal_classifier_fired goal_classifier_verdict goal_classifier_fail_open
	goal_classifier_fail_closed goal_classifier_cap_reached goal_classifier_mid_turn_deferred
	goal_classifier_dropped_after_cap goal_classifier_pending_queue_cleared
	goal_planner_fired goal_planner_completed goal_planner_fail_closed
	goal_strategist_fired goal_strategist_completed goal_strategist_failed goal_strategist_contract_restore_failed
	goal_summarizer_fired goal_summarizer_completed goal_summarizer_fail_open
	goal_role_model_resolved goal_role_model_fail_open
	goal_verifier_skeptic_verdict goal_verifier_aggregate_verdict goal_premature_stop_detected
	todo_gate_fired todo_gate_exhausted
	laziness_classifier_fired laziness_nudge_fired laziness_classifier_aborted
	mcp_config_resolved mcp_managed_config_result mcp_oauth_discovery_timeout mcp_server_starting
	mcp_server_connected mcp_server_failed mcp_tool_registration_failed mcp_init_completed mcp_init_cancelled
	mcp_tool_call_started mcp_tool_call_completed mcp_transport_error mcp_transport_decode_error
	mcp_transport_reconnect mcp_auth_retry mcp_health_check mcp_server_toggled`)
