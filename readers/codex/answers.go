package codex

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// Codex's SQLite files below its home (FORMAT.md §15). What they hold of a session
// is looked up by its thread's id, when the session itself is read.
const (
	logsFile  = "logs_2.sqlite"
	stateFile = "state_5.sqlite"
)

// flushed is how long after its session an answer may still be on its way into
// the file: Codex writes them in batches. A rollout that changed since is read
// again when the file has changed.
const flushed = time.Minute

// answer is what a person said to a question about a call.
type answer struct {
	item, turn string // the id of the call, and of its turn; each may be empty
	kind       string // a ToolKind constant
	decision   string // a Decision constant; Cancelled for a "no" that ended the turn
	scope      string // a Scope constant of a grant; empty where not recorded
	at         time.Time
	taken      bool // a call has it
}

func (a *answer) grants() bool  { return a != nil && a.decision == tables.Granted }
func (a *answer) refuses() bool { return a != nil && a.decision != tables.Granted }
func (a *answer) denies() bool  { return a != nil && a.decision == tables.Refused } // and let the turn go on

func (a *answer) deniesCommand() bool { return a.denies() && a.kind == tables.ToolCommand }

// answers are those of a session, in their order.
type answers struct {
	asked    bool // whether they were looked up
	list     []*answer
	byItem   map[string]*answer // the last about each call
	reviewed bool
	reviews  []*review
}

// decisions are Codex's words, without case and underscores: those of its logs,
// and those of its source, which older versions wrote.
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

// submitted is the beginning of a line of the log that tells of an answer. Only
// the program's own fields stand before the name of what was submitted, so that a
// prompt which holds such a line is none.
var (
	submitted  = readers.Lazy(`^(?:[\w.:]+\{[^{}]*\}:)* ?Submission (?:(?:\w+=(?:"[\w.]*"|Some\("[^"]*"\)|[\w-]+) )*op=|sub=Submission \{ id: "[^"]*", op: )(ExecApproval|PatchApproval|ResolveElicitation) \{ (.*)`)
	answerItem = readers.Lazy(`^(?:id: |.*?\brequest_id: (?:String\()?)"([^"]*)"`)
	answerTurn = readers.Lazy(`^id: "[^"]*", turn_id: Some\("([^"]*)"\)`)
	answerWord = readers.Lazy(`\bdecision: (\w+)`)
)

// askedAbout is what each answer is about.
var askedAbout = map[string]string{"ExecApproval": tables.ToolCommand, "PatchApproval": tables.ToolEdit, "ResolveElicitation": tables.ToolMCP}

// elicited begins the id of a question about a call of a server of the MCP.
const elicited = "mcp_tool_call_approval_"

// answerIn reads a line of the log; nil for one that tells of no answer.
func answerIn(body string, at time.Time) *answer {
	m := submitted.FindStringSubmatch(body)
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
	a.item, a.at, a.kind = id, at, askedAbout[m[1]]
	if turn := answerTurn.FindStringSubmatch(m[2]); turn != nil {
		a.turn = turn[1]
	}
	return &a
}

// thread is the session's id as the databases have it: a revert's file has one
// more in its name.
func (t *rollout) thread() string {
	id, _, _ := strings.Cut(t.id, "_")
	return id
}

// given are the answers of the session, which are looked up at the first
// question about a call.
func (t *rollout) given() *answers {
	all := &t.answers
	if all.asked {
		return all
	}
	all.asked = true
	t.lookUp(logsFile, func(db *sqlite.DB) error {
		all.list = nil
		if !has(db, "logs", "ts", "ts_nanos", "target", "thread_id", "feedback_log_body") {
			return nil
		}
		if db.Size() > mostUnindexed && !indexed(db) {
			return errors.New("no index of thread_id, which Codex's own has; its answers are not looked up")
		}
		return db.Query(func(row *sqlite.Row) error {
			seconds, _ := row.Int(0)
			nanos, _ := row.Int(1)
			if a := answerIn(row.Text(2), time.Unix(seconds, nanos).UTC()); a != nil {
				all.list = append(all.list, a)
			}
			return nil
		}, answersOf, t.thread())
	})
	all.byItem = map[string]*answer{}
	for _, a := range all.list {
		all.byItem[a.item] = a
	}
	return all
}

// answersOf selects what a thread submitted. No more is taken of a line than
// tells of an answer.
const answersOf = `SELECT ts, ts_nanos, substr(feedback_log_body, 1, 2000) FROM logs
	WHERE thread_id = ? AND target LIKE 'codex_core::%handlers' AND feedback_log_body LIKE '%Submission %'
	ORDER BY ts, ts_nanos, rowid`

// mostUnindexed is the size of a database, in bytes, up to which each session may
// go through all of its lines.
const mostUnindexed = 8 << 20

// indexed says whether a thread's lines are found without reading all others.
func indexed(db *sqlite.DB) (found bool) {
	err := db.Query(func(*sqlite.Row) error { found = true; return nil },
		`SELECT 1 FROM pragma_index_list('logs') l, pragma_index_info(l.name) c WHERE c.seqno = 0 AND c.name = 'thread_id' AND NOT l.partial`)
	return found && err == nil
}

func has(db *sqlite.DB, table string, columns ...string) bool {
	there := readers.SetOf(strings.Join(db.Columns(table), " "))
	for _, c := range columns {
		if !there[c] {
			return false
		}
	}
	return true
}

// lookUp reads one of Codex's databases. One that is being written all the time
// says what it has at a later sync.
func (t *rollout) lookUp(file string, read func(*sqlite.DB) error) {
	if time.Since(t.in.ModifiedAt).Abs() < flushed {
		t.watch(file)
	}
	err := sqlite.ViewAside(t.in, file, read)
	switch {
	case errors.As(err, new(*readers.Unread)):
		t.watch(file)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		t.emit(&tables.Problem{What: err.Error()})
	}
}

func (t *rollout) watch(file string) {
	if t.in.Watch != nil {
		t.in.Watch(file)
		t.in.Watch(file + sqlite.With[0])
	}
}

// answerTo is the answer about a call; nil for none.
func (t *rollout) answerTo(info *call) *answer {
	if info.answer == nil && info.ToolUseID != "" && mayBeAsked(info.ToolKind) {
		if a := t.given().byItem[info.ToolUseID]; a != nil {
			a.taken, info.answer = true, a
		}
	}
	return info.answer
}

// mayBeAsked says whether a person is ever asked about calls of a kind.
func mayBeAsked(kind string) bool {
	return kind == tables.ToolCommand || kind == tables.ToolEdit || kind == tables.ToolMCP
}

// answerWithin is the first answer of a kind that a script got until some time
// about a call that no item tells of; nil for none. Of a server's call one does.
func (t *rollout) answerWithin(s *script, until time.Time, kind func(*answer) bool) *answer {
	for _, a := range t.given().list {
		if a.taken || !kind(a) || a.kind == tables.ToolMCP || t.calls[a.item] != nil || a.turn != "" && a.turn != s.turn {
			continue
		}
		if a.at.After(s.from.Add(-clockSlack)) && a.at.Before(until.Add(clockSlack)) {
			return a
		}
	}
	return nil
}

// give gives an answer to a call that no item tells of, so far.
func (t *rollout) give(c *call, a *answer) {
	if a == nil {
		return
	}
	a.taken, c.answer = true, a
	t.calls[a.item] = c
	if a.kind == tables.ToolEdit {
		c.ToolName, c.ToolKind, c.Command, c.Input = "apply_patch", a.kind, "", "{}"
	}
}

// commandOf is the command of a script's text that an answer is about; nil for
// none, and for a patch.
func (s *script) commandOf(a *answer) *scriptCommand {
	if a.kind != tables.ToolCommand {
		return nil
	}
	return s.asking(true)
}

// answered makes a refusal what the person said, where that is recorded.
func (t *rollout) answered(info *call, d refusal) refusal {
	if d.by == tables.ByUser && t.answerTo(info).refuses() {
		d.evidence, d.confidence = tables.EvidenceRecorded, 1
	}
	return d
}

// waitedFor is how long a call waited for its answer. When it was asked about,
// its line says, or the item of a script's call: not where calls of one response
// wait for each other.
func (t *rollout) waitedFor(info *call, a *answer) tables.Maybe[int64] {
	if info.at == nil || info.at.at.IsZero() || info.ParentToolUseID == "" && !t.madeAlone(info) || info.ParentToolUseID != "" && info.ended == nil {
		return tables.Maybe[int64]{}
	}
	ms := a.at.Sub(info.at.at).Milliseconds()
	return tables.Maybe[int64]{Value: ms, OK: ms >= 0 && ms < longestWait}
}

// madeAlone says, at the end of the file, whether a call is its response's only
// one.
func (t *rollout) madeAlone(info *call) bool {
	if t.perResponse == nil {
		t.perResponse = map[string]int{}
		for _, c := range t.made {
			if c.ParentToolUseID == "" {
				t.perResponse[c.uuid]++
			}
		}
	}
	return t.perResponse[info.uuid] == 1
}

// decided tells what a person said about a call; false where that isn't
// recorded.
func (t *rollout) decided(info *call) bool {
	a := t.answerTo(info)
	if a == nil || a.grants() == info.refused {
		return false
	}
	d := &tables.Decision{ToolUseID: info.ToolUseID, WaitedMS: t.waitedFor(info, a)}
	if a.grants() {
		d.Decision, d.DecidedBy, d.Scope, d.Confidence = tables.Granted, tables.ByUser, a.scope, 1
		if info.consent.saved {
			d.Scope = tables.ScopeAlways
		}
	}
	if !d.WaitedMS.OK {
		d.WaitedMS = t.waitedBy(info)
	}
	d.WaitUnknown = !d.WaitedMS.OK
	t.emit(d)
	return true
}
