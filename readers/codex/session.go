package codex

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// sessionFacts holds facts about the whole session.
type sessionFacts struct {
	known                           bool // the first session_meta was read
	kind, parent, forkedFrom        string
	project, branch, commit, remote string
	origin, version, title, model   string
	byTerminal                      bool   // the head's source is the terminal
	approval, reviewer              string // approval policy of the last turn_context, and who answers
	minor                           int    // 40 for version 0.40.0; -1 if unknown
	continues                       string // session that this file continues after a revert
	continuesAt                     int64  // ordinal of the first undone line of the session in continues
	based                           bool   // the session continues another session's lines, or is a part of it
	subagentStart                   int64  // ordinal of a subagent's first own line; 0 if all are its own
	startedAt                       time.Time
	about                           string // of a subagent: the parent's task, or the subagent's name
	hasTask                         bool   // the parent's task was read
	clearedBy                       string // uuid of the prompt of an accepted plan that began the session in a clear
	extra                           readers.Extra
}

// handleMeta handles a session_meta, or a flat file's first line. The first one in a
// file is the session's own head. Further ones repeat the head, or begin lines copied
// from a parent session (FORMAT.md §7.2). A head may continue another file's lines without
// a copy of them: a fork or a revert. A revert keeps the session's id: its new file is named
// after this id and a second id.
func (t *rollout) handleMeta(r *record) {
	id := readers.Text(r.Value, "id")
	switch {
	case !t.facts.known:
		t.facts.known = true
		t.facts.addMeta(r)
		t.itemsOfMCP = r.Exists("session_id") // versions with this field always write items or events of MCP calls
		base := r.Get("history_base")
		of := readers.Text(base, "thread_id")
		t.facts.based = of != "" || readers.Text(r.Value, "parent_thread_id") != ""
		if of != "" && of == id && strings.HasPrefix(t.id, id+"_") {
			t.facts.continues, t.facts.continuesAt = id, base.GetInt64("end_ordinal_exclusive")
		}
		if t.facts.subagentStart > 1 {
			t.beginReplay(t.facts.parent)
		}
		if r.kind == flatHead { // before September 2025, local time labelled as UTC (FORMAT.md §2)
			t.started = readers.Time(r.Get("timestamp"))
		}
	case id != "" && id != t.id && id != t.facts.continues:
		t.beginReplay(id)
		if t.facts.forkedFrom == "" && t.facts.kind == tables.SessionMain {
			t.facts.forkedFrom = id
		}
	default:
		t.facts.addGit(r.Get("git"))
	}
}

func (f *sessionFacts) addMeta(r *record) {
	f.project = readers.Text(r.Value, "cwd")
	f.version = readers.Text(r.Value, "cli_version")
	f.minor = minorOf(f.version)
	f.origin = readers.Text(r.Value, "originator")
	f.byTerminal = readers.Text(r.Value, "source") == "cli"
	if f.startedAt = readers.Time(r.Get("timestamp")); f.startedAt.IsZero() || r.kind == flatHead {
		f.startedAt = r.at
	}
	f.forkedFrom = readers.Text(r.Value, "forked_from_id")
	f.subagentStart = r.GetInt64("subagent_history_start_ordinal")
	f.addGit(r.Get("git"))
	f.setSource(r)
	for _, key := range []string{"source", "model_provider", "history_mode", "history_base", "agent_nickname", "agent_role", "memory_mode"} {
		f.extra.JSON(key, r.Get(key))
	}
}

// continuesOther reports whether the session continues the conversation and the token
// count of another session.
func (f *sessionFacts) continuesOther() bool {
	return f.forkedFrom != "" || f.extra["history_base"] != nil
}

func (f *sessionFacts) addGit(v *fastjson.Value) {
	f.branch = cmp.Or(readers.Text(v, "branch"), f.branch)
	f.commit = cmp.Or(f.commit, readers.Text(v, "commit_hash"))
	f.remote = cmp.Or(readers.Text(v, "repository_url"), f.remote)
}

// setTask keeps the first of a parent's words as what its subagent is about.
func (f *sessionFacts) setTask(text string, isCopy bool) {
	if f.kind == tables.SessionSubagent && !isCopy && !f.hasTask {
		f.hasTask, f.about = true, cmp.Or(text, f.about) // the text may be encrypted
	}
}

// setSource distinguishes a subagent's session from a person's (FORMAT.md §3.1).
func (f *sessionFacts) setSource(r *record) {
	sub, thread := r.Get("source", "subagent"), readers.Text(r.Value, "thread_source")
	guards := readers.Text(sub, "other") == "guardian" || thread == "guardian_review"
	if strings.HasSuffix(thread, "_side_chat") { // /side in the terminal
		f.kind, f.parent = tables.SessionSide, f.forkedFrom
		return
	}
	if sub == nil && !guards && thread != "subagent" && !r.Exists("source", "internal") {
		return
	}
	f.kind = tables.SessionSubagent
	name := readers.Text(sub, "thread_spawn", "agent_path") // /root/NAME
	f.about = cmp.Or(name[strings.LastIndex(name, "/")+1:], readers.Text(sub, "thread_spawn", "agent_nickname"), readers.Text(sub))
	switch {
	case guards:
		f.kind, f.about = tables.SessionGuardian, ""
	case readers.Text(sub) == "compact":
		f.kind = tables.SessionCompaction
	}
	root := readers.Text(r.Value, "session_id")
	if root == readers.Text(r.Value, "id") {
		root = ""
	}
	f.parent = cmp.Or(readers.Text(sub, "thread_spawn", "parent_thread_id"), readers.Text(r.Value, "parent_thread_id"), f.forkedFrom, root)
}

// replay describes the lines of a file that were copied from another session.
type replay struct {
	of    string // id of the copied session; empty outside the copy
	turns bool   // the copied lines have turn ids
	after bool   // the copied part is over
}

// replayGap is longer than the time between two copied lines, so a longer pause ends
// the copy. Codex writes a copy in one go, and puts the time of writing on every line
// (FORMAT.md §7.2).
const replayGap = time.Second

func (t *rollout) beginReplay(of string) {
	if of == "" {
		return
	}
	t.replay = replay{of: of}
	if len(t.uuids) == 0 && t.response == nil {
		t.chain = of
	}
}

func (t *rollout) endReplay(r *record) {
	if t.replay.of == "" || r.kind == metaLine {
		return
	}
	over := !r.at.IsZero() && !t.lastAt.IsZero() && r.at.Sub(t.lastAt) > replayGap
	if own, known := t.ownTurn(r); known {
		over, t.replay.turns = own, true
	} else if t.replay.turns {
		over = false // the next line with a turn id decides
	}
	if start := t.facts.subagentStart; start > 0 {
		over = r.ordinal >= start
	}
	if over {
		t.flushPending()
		t.replay = replay{after: true}
	}
}

// ownTurn reports whether a line belongs to a turn of this session, not of the copied
// one: the turn began after the session did. It compares the times in the turn's and
// the session's id. known is false if one of the ids holds no time.
func (t *rollout) ownTurn(r *record) (own, known bool) {
	turn := timeInID(cmp.Or(readers.Text(r.Value, "turn_id"), readers.Text(r.Value, "internal_chat_message_metadata_passthrough", "turn_id")))
	session := timeInID(t.id)
	return turn >= session, turn != "" && session != ""
}

var timedID = pattern.Lazy(`^([0-9a-f]{8})-([0-9a-f]{4})-7`)

// timeInID returns the time in a version-7 UUID, as hexadecimal digits that sort by time;
// empty if the id has no time.
func timeInID(id string) string {
	m := timedID.FindStringSubmatch(id)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// handleTurnContext handles a turn_context: the settings of the turn that begins or, in old
// versions, of the lines after each call (FORMAT.md §3.1).
func (t *rollout) handleTurnContext(r *record) {
	f := &t.facts
	t.flushPending()
	t.compaction.addTurnContext()
	t.turnID = cmp.Or(readers.Text(r.Value, "turn_id"), t.turnID)
	f.project = cmp.Or(f.project, readers.Text(r.Value, "cwd"))
	f.model = cmp.Or(t.words.Intern(r.GetStringBytes("model")), f.model)
	f.approval = t.words.Intern(r.GetStringBytes("approval_policy"))
	f.reviewer = t.words.Intern(r.GetStringBytes("approvals_reviewer"))
	for _, k := range contextKeys {
		if v := r.Get(k.keys...); v != nil && !f.hasExtra(k.as, v) {
			f.extra.JSON(k.as, v)
		}
	}
}

// hasExtra reports whether the facts already have the value v under the key as. The check
// saves work, because most turn_contexts repeat the previous values.
func (f *sessionFacts) hasExtra(as string, v *fastjson.Value) bool {
	old, ok := f.extra[as].(json.RawMessage)
	s := v.GetStringBytes()
	return ok && s != nil && len(old) == len(s)+2 && string(old[1:len(old)-1]) == string(s)
}

var contextKeys = []struct {
	as   string
	keys []string
}{
	{"approval_policy", []string{"approval_policy"}},
	{"approvals_reviewer", []string{"approvals_reviewer"}},
	{"effort", []string{"effort"}},
	{"collaboration_mode", []string{"collaboration_mode", "mode"}},
	{"sandbox", []string{"sandbox_policy", "mode"}},
	{"sandbox", []string{"sandbox_policy", "type"}},
}

var environmentCwd = pattern.Lazy(`<cwd>([^<]+)</cwd>`)

// addEnvironment sets the working directory from Codex's environment text, if no field
// has named the directory so far (FORMAT.md §2).
func (f *sessionFacts) addEnvironment(text string) {
	if f.project != "" || !strings.HasPrefix(text, "<environment_context>") {
		return
	}
	if m := environmentCwd.FindStringSubmatch(text); m != nil {
		f.project = m[1]
	}
}

func (t *rollout) session() *tables.Session {
	f := &t.facts
	return &tables.Session{
		SessionID:       t.id,
		NativeID:        f.continues,
		Continues:       f.continues,
		ContinuesAt:     f.continuesAt,
		Kind:            f.kind,
		ParentSessionID: f.parent,
		ForkedFrom:      f.forkedFrom,
		Title:           f.title,
		About:           f.about,
		Project:         f.project,
		GitBranch:       f.branch,
		GitCommit:       f.commit,
		GitRemote:       f.remote,
		Origin:          f.origin,
		AgentVersion:    f.version,
		Extra:           readers.Object(f.extra),
	}
}

// inferClear emits a possible clear for a session begun by a person. /clear and
// /new leave no trace, so any of these sessions may follow a clear (FORMAT.md §7.1).
// Editors and the desktop app have no /clear. A plan accepted with a cleared context is
// recorded by the session's first prompt.
func (t *rollout) inferClear() {
	f := &t.facts
	if f.kind != tables.SessionMain || f.forkedFrom != "" || f.based || f.parent != "" || f.startedAt.IsZero() || strings.Contains(f.origin, "exec") || t.isCarriedOver() {
		return
	}
	c := &tables.Clear{
		NextSessionID: t.id,
		Project:       f.project,
		Timestamp:     f.startedAt,
		Evidence:      tables.EvidenceInferred,
		Confidence:    0.25,
	}
	switch {
	case f.clearedBy != "":
		c.UUID, c.Trigger, c.Evidence, c.Confidence = f.clearedBy, tables.ClearByPlan, tables.EvidenceSessionStart, 1
	case f.inTerminal():
		c.Trigger = tables.ClearByCommand
	}
	t.emit(c)
}

var terminals = readers.SetOf("codex_cli_rs codex-tui codex_tui")

// inTerminal reports whether the session ran in Codex's own terminal, the only program
// with Codex's commands. Flat files name no program: Codex had only the terminal then.
func (f *sessionFacts) inTerminal() bool {
	return f.origin == "" || terminals[f.origin] || f.byTerminal
}

// carriedStarts lists the beginnings of first prompts written by an editor: it continues an
// older conversation, or orders a review.
var carriedStarts = []string{"## Prior conversation with Codex:", "## Code review guidelines"}

// opening is one of the first prompts of a session.
type opening struct {
	*tables.Message
	carries bool
}

const mostOpenings = 8

// addOpening keeps the session's first prompts. The end of the file shows which prompts a
// person typed.
func (t *rollout) addOpening(m *tables.Message, text string) {
	if len(t.openings) == mostOpenings {
		return
	}
	text = strings.TrimSpace(text)
	t.openings = append(t.openings, opening{m, slices.ContainsFunc(carriedStarts, func(start string) bool { return strings.HasPrefix(text, start) })})
}

// isCarriedOver reports, at the end of the file, whether the session began with the text
// of another conversation or with a review.
func (t *rollout) isCarriedOver() bool {
	for _, o := range t.openings {
		if o.Kind == tables.KindPrompt || o.carries {
			return o.carries
		}
	}
	return false
}
