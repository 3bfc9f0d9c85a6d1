package codex

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// Codex's SQLite files in its home folder (FORMAT.md §15). When a session is read, the
// reader looks up the session's rows in them by thread id.
const (
	logsFile  = "logs_2.sqlite"
	stateFile = "state_5.sqlite"
)

// flushedWithin is how long Codex may take to write an answer into the database: it writes
// answers in batches. A rollout that changed within this time is read again after the
// database changes.
const flushedWithin = time.Minute

// answer is what a person said to a question about a call.
type answer struct {
	item, turn string // ids of the call and of its turn; each may be empty
	kind       string // a ToolKind constant
	decision   string // a Decision constant; Cancelled for a "no" that ended the turn
	scope      string // a grant's Scope constant; empty if not recorded
	at         time.Time
	isAssigned bool // the answer is assigned to a call
}

func (a *answer) isGrant() bool   { return a != nil && a.decision == tables.Granted }
func (a *answer) isRefusal() bool { return a != nil && a.decision != tables.Granted }
func (a *answer) isDenial() bool  { return a != nil && a.decision == tables.Refused } // a refusal that let the turn continue

func (a *answer) isAbort() bool { return a != nil && a.decision == tables.Cancelled }

func (a *answer) isCommandDenial() bool { return a.isDenial() && a.kind == tables.ToolCommand }
func (a *answer) isCommandGrant() bool  { return a.isGrant() && a.kind == tables.ToolCommand }

// answers holds a session's answers, oldest first.
type answers struct {
	isRead      bool // the database was queried
	list        []*answer
	byItem      map[string]*answer // the last answer about each call
	reviewsRead bool
	reviews     []*review
}

// decisions maps Codex's words for an answer to the answer's decision and scope. The
// words are written in lower case and without underscores. Some stand in the logs;
// others are words that older versions wrote, taken from Codex's source.
var decisions = map[string]answer{
	"approved":                       {decision: tables.Granted, scope: tables.ScopeOnce},
	"approvedforsession":             {decision: tables.Granted, scope: tables.ScopeSession},
	"approvedwithamendment":          {decision: tables.Granted, scope: tables.ScopeAlways},
	"approvedexecpolicyamendment":    {decision: tables.Granted, scope: tables.ScopeAlways},
	"approvedmcppolicyamendment":     {decision: tables.Granted, scope: tables.ScopeAlways},
	"approvedwithnetworkpolicyallow": {decision: tables.Granted, scope: tables.ScopeAlways},
	"accept":                         {decision: tables.Granted},
	"denied":                         {decision: tables.Refused},
	"deniedwithreason":               {decision: tables.Refused},
	"deniedwithnetworkpolicydeny":    {decision: tables.Refused},
	"decline":                        {decision: tables.Refused},
	"cancel":                         {decision: tables.Refused},
	"abort":                          {decision: tables.Cancelled},
}

// submission matches the start of a log line about an answer. Only the program's own
// fields may stand before the submission's name, so a prompt that quotes a log line
// doesn't match.
var (
	submission = pattern.Lazy(`^(?:[\w.:]+\{[^{}]*\}:)* ?Submission (?:(?:\w+=(?:"[\w.]*"|Some\("[^"]*"\)|[\w-]+) )*op=|sub=Submission \{ id: "[^"]*", op: )(ExecApproval|PatchApproval|ResolveElicitation) \{ (.*)`)
	answerItem = pattern.Lazy(`^(?:id: |.*?\brequest_id: (?:String\()?)"([^"]*)"`)
	answerTurn = pattern.Lazy(`^id: "[^"]*", turn_id: Some\("([^"]*)"\)`)
	answerWord = pattern.Lazy(`\bdecision: (\w+)`)
)

// kindBySubmission maps a submission's name to the kind of tool that was asked about.
var kindBySubmission = map[string]string{"ExecApproval": tables.ToolCommand, "PatchApproval": tables.ToolEdit, "ResolveElicitation": tables.ToolMCP}

// elicited begins the id of a question about an MCP server's call.
const elicited = "mcp_tool_call_approval_"

// parseAnswer reads the body of a row of the database's logs table. It returns nil if the
// body reports no answer.
func parseAnswer(body string, at time.Time) *answer {
	m := submission.FindStringSubmatch(body)
	if m == nil {
		return nil
	}
	item, word := answerItem.FindStringSubmatch(m[2]), answerWord.FindStringSubmatch(m[2])
	if item == nil || word == nil {
		return nil
	}
	a, known := decisions[strings.ToLower(strings.ReplaceAll(word[1], "_", ""))]
	id, ofCall := strings.CutPrefix(item[1], elicited)
	if !known || m[1] == "ResolveElicitation" && !ofCall {
		return nil
	}
	a.item, a.at, a.kind = id, at, kindBySubmission[m[1]]
	if turn := answerTurn.FindStringSubmatch(m[2]); turn != nil {
		a.turn = turn[1]
	}
	return &a
}

// threadID returns the session's id as the databases write it. The file name of a
// reverted session holds a second id after "_", which threadID removes.
func (t *rollout) threadID() string {
	id, _, _ := strings.Cut(t.id, "_")
	return id
}

// readAnswers returns the session's answers. The first call of readAnswers looks the
// answers up in the database.
func (t *rollout) readAnswers() *answers {
	all := &t.answers
	if all.isRead {
		return all
	}
	all.isRead = true
	t.viewDatabase(logsFile, func(db *sqlite.DB) error {
		all.list = nil
		if !hasColumns(db, "logs", "ts", "ts_nanos", "target", "thread_id", "feedback_log_body") {
			return nil
		}
		if db.Size() > mostUnindexed && !hasThreadIndex(db) {
			return errors.New("no index of thread_id, which Codex's own has; its answers are not looked up")
		}
		return db.Query(func(row *sqlite.Row) error {
			seconds, _ := row.Int(0)
			nanos, _ := row.Int(1)
			if a := parseAnswer(row.Text(2), time.Unix(seconds, nanos).UTC()); a != nil {
				all.list = append(all.list, a)
			}
			return nil
		}, selectAnswers, t.threadID())
	})
	all.byItem = map[string]*answer{}
	for _, a := range all.list {
		all.byItem[a.item] = a
	}
	return all
}

// selectAnswers selects the rows of a thread that report a submission, for example a
// person's answer. It takes only the start of each row's body, which holds the whole
// answer.
const selectAnswers = `SELECT ts, ts_nanos, substr(feedback_log_body, 1, 2000) FROM logs
	WHERE thread_id = ? AND target LIKE 'codex_core::%handlers' AND feedback_log_body LIKE '%Submission %'
	ORDER BY ts, ts_nanos, rowid`

// mostUnindexed is the size in bytes up to which a database without an index of
// thread_id is read. Without the index, each session scans all rows.
const mostUnindexed = 8 << 20

// hasThreadIndex reports whether an index finds a thread's lines without a scan of all
// lines.
func hasThreadIndex(db *sqlite.DB) (found bool) {
	err := db.Query(func(*sqlite.Row) error { found = true; return nil },
		`SELECT 1 FROM pragma_index_list('logs') l, pragma_index_info(l.name) c WHERE c.seqno = 0 AND c.name = 'thread_id' AND NOT l.partial`)
	return found && err == nil
}

func hasColumns(db *sqlite.DB, table string, columns ...string) bool {
	there := readers.SetOf(strings.Join(db.Columns(table), " "))
	return !slices.ContainsFunc(columns, func(c string) bool { return !there[c] })
}

// viewDatabase reads one of Codex's databases. If Codex keeps writing to the database, a
// later sync reads it.
func (t *rollout) viewDatabase(file string, read func(*sqlite.DB) error) {
	if time.Since(t.in.ModifiedAt).Abs() < flushedWithin {
		t.watchDatabase(file)
	}
	err := sqlite.ViewUnwatched(t.in, file, read)
	switch {
	case errors.As(err, new(*readers.Unread)):
		t.watchDatabase(file)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		t.emit(&tables.Problem{What: err.Error()})
	}
}

func (t *rollout) watchDatabase(file string) {
	if t.in.Watch != nil {
		t.in.Watch(file)
		t.in.Watch(file + sqlite.Suffixes[0])
	}
}

// answerTo returns the answer about a call; nil if the call has none.
func (t *rollout) answerTo(info *call) *answer {
	if info.answer == nil && info.ToolUseID != "" && mayBeAsked(info.ToolKind) {
		if a := t.readAnswers().byItem[info.ToolUseID]; a != nil {
			a.isAssigned, info.answer = true, a
		}
	}
	return info.answer
}

// mayBeAsked reports whether Codex ever asks a person about calls of a kind.
func mayBeAsked(kind string) bool {
	return kind == tables.ToolCommand || kind == tables.ToolEdit || kind == tables.ToolMCP
}

// answersWithin returns the answers that satisfy kind, were given between a script's
// start and the time until, and are not assigned to a call yet. It looks for answers
// about calls without an item. Calls of MCP servers always have an item and are left out.
func (t *rollout) answersWithin(s *script, until time.Time, kind func(*answer) bool) (found []*answer) {
	for _, a := range t.readAnswers().list {
		if a.isAssigned || !kind(a) || a.kind == tables.ToolMCP || t.calls[a.item] != nil || a.turn != "" && a.turn != s.turn {
			continue
		}
		if a.at.After(s.from.Add(-clockSlack)) && a.at.Before(until.Add(clockSlack)) {
			found = append(found, a)
		}
	}
	return found
}

// firstOf returns the first of a list of answers; nil if there is none.
func firstOf(found []*answer) *answer {
	if len(found) > 0 {
		return found[0]
	}
	return nil
}

// isBesideAbort reports whether a person stopped the turn at the question about another
// call of the response. Then nobody was asked about a call without an answer of its own.
func (t *rollout) isBesideAbort(r *record, info *call) bool {
	return slices.ContainsFunc(t.turn.open, func(c *call) bool {
		return c != info && c.uuid == info.uuid && (t.answerTo(c).isAbort() || c.script != nil && len(t.answersWithin(c.script, r.at, (*answer).isAbort)) > 0)
	})
}

// assignAnswer assigns an answer to c, a call that no item has described so far. For an
// answer about a patch, it turns c into a patch. A nil answer changes nothing.
func (t *rollout) assignAnswer(c *call, a *answer) {
	if a == nil {
		return
	}
	a.isAssigned, c.answer = true, a
	t.calls[a.item] = c
	if a.kind == tables.ToolEdit {
		c.ToolName, c.ToolKind, c.Command, c.Input = "apply_patch", a.kind, "", "{}"
	}
}

// waitForAnswer returns how long a call waited for the answer. The question came at the
// time of the call's line or, for a script's call, at the start recorded in the item.
// If one response made several calls, the wait is unknown, because calls wait for each
// other.
func (t *rollout) waitForAnswer(info *call, a *answer) tables.Maybe[int64] {
	if info.at == nil || info.at.at.IsZero() || info.ParentToolUseID == "" && !t.isOnlyCall(info) || info.ParentToolUseID != "" && info.end == nil {
		return tables.Maybe[int64]{}
	}
	ms := a.at.Sub(info.at.at).Milliseconds()
	return tables.Maybe[int64]{Value: ms, OK: ms >= 0 && ms < longestWait}
}

// isOnlyCall reports, at the end of the file, whether a call is the only one of its
// response.
func (t *rollout) isOnlyCall(info *call) bool {
	if t.perResponse == nil {
		t.perResponse = map[string]int{}
		for _, c := range t.callList {
			if c.ParentToolUseID == "" {
				t.perResponse[c.uuid]++
			}
		}
	}
	return t.perResponse[info.uuid] == 1
}

// emitRecordedDecision emits a decision for the person's answer about a call. It
// returns false if no answer is recorded, if it is about a script's unknown command, or if
// it contradicts how the call ended.
func (t *rollout) emitRecordedDecision(info *call) bool {
	a := t.answerTo(info)
	if a == nil || a.isGrant() == info.refused || info.script != nil {
		return false
	}
	d := &tables.Decision{ToolUseID: info.ToolUseID, WaitedMS: t.waitForAnswer(info, a)}
	if a.isGrant() {
		d.Decision, d.DecidedBy, d.Scope, d.Confidence = tables.Granted, tables.ByUser, a.scope, 1
		if info.rules.saved {
			d.Scope = tables.ScopeAlways
		}
	}
	if !d.WaitedMS.OK {
		d.WaitedMS = t.waitForDecision(info)
	}
	d.WaitUnknown = !d.WaitedMS.OK
	t.emit(d)
	return true
}
