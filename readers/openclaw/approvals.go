package openclaw

import (
	"io/fs"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// listApprovals lists the questions about calls in the database of all agents. Each
// question is a part. If OpenClaw deletes an old question, a store keeps its rows.
// Leases and other writes to the database change no part.
func listApprovals(db *sqlite.DB) (parts []readers.Part, err error) {
	if db.Columns("operator_approvals") == nil {
		return nil, nil
	}
	err = db.Query(func(row *sqlite.Row) error {
		parts = append(parts, readers.Part{Name: row.Text(0), Stamp: row.Text(1), Size: 512})
		return nil
	}, `SELECT approval_id, updated_at_ms || ' ' || status FROM operator_approvals
		WHERE source_tool_call_id IS NOT NULL AND source_session_key IS NOT NULL ORDER BY created_at_ms, approval_id`)
	return parts, err
}

// question is a row of operator_approvals.
type question struct {
	key, call, status, decision, reason, shown string
	asked, answered                            int64 // ms since 1970
}

// readApproval reads a question and its answer.
func readApproval(in *readers.Input) error {
	var q *question
	err := sqlite.View(in, func(db *sqlite.DB) error {
		q = nil
		if db.Columns("operator_approvals") == nil {
			return nil
		}
		return db.Query(func(row *sqlite.Row) error {
			q = &question{key: row.Text(0), call: row.Text(1), status: row.Text(2), decision: row.Text(3), reason: row.Text(4), shown: row.Text(5)}
			q.asked, _ = row.Int(6)
			q.answered, _ = row.Int(7)
			return nil
		}, `SELECT source_session_key, source_tool_call_id, status, decision, terminal_reason,
			CASE WHEN octet_length(presentation_json) <= ? THEN presentation_json END, created_at_ms, resolved_at_ms
			FROM operator_approvals WHERE approval_id = ?`, cellLimit, in.Part)
	})
	if err != nil {
		return err
	}
	if q == nil {
		return fs.ErrNotExist
	}
	kinds := readers.NewKinds(in)
	a, known := q.approval()
	kinds.Count(strings.TrimSpace("approval/"+q.status+" "+q.reason), known, "", a.AskedAt)
	in.Emit(a)
	kinds.Emit(in.Emit)
	return nil
}

// outcomes maps the words of a question's end, status and terminal_reason, to a decision
// (FORMAT.md §4).
var outcomes = map[[2]string]tables.Approval{
	{"allowed", "user"}:              {Decision: tables.Granted, DecidedBy: tables.ByUser},
	{"denied", "user"}:               {Decision: tables.Refused, DecidedBy: tables.ByUser, Status: tables.StatusRejected},
	{"denied", "no-route"}:           {Decision: tables.Refused, DecidedBy: tables.ByNobody, Status: tables.StatusDenied},
	{"expired", "timeout"}:           {Decision: tables.Unanswered, DecidedBy: tables.ByNobody, Status: tables.StatusDenied},
	{"cancelled", "run-aborted"}:     {Decision: tables.Cancelled, DecidedBy: tables.ByUser, StoppedBy: tables.InterruptedByUser},
	{"cancelled", "gateway-restart"}: {Decision: tables.Cancelled, DecidedBy: tables.ByNobody, StoppedBy: tables.InterruptedBySystem},
	{"denied", "malformed-verdict"}:  {Decision: tables.Refused, DecidedBy: tables.ByUnknown, Status: tables.StatusDenied},
	{"denied", "storage-corrupt"}:    {Decision: tables.Refused, DecidedBy: tables.ByUnknown, Status: tables.StatusDenied},
	{"pending", ""}:                  {Decision: tables.Unanswered, DecidedBy: tables.ByNobody},
}

// scopes maps OpenClaw's words for a grant to how long it lasts.
var scopes = map[string]string{"allow-once": tables.ScopeOnce, "allow-always": tables.ScopeAlways}

// approval returns the question as an event. known is false if OpenClaw's words for the end
// are unknown.
func (q *question) approval() (a *tables.Approval, known bool) {
	end, known := outcomes[[2]string{q.status, q.reason}]
	end.Key, end.ToolUseID, end.DenialKind = q.key, q.call, q.reason
	end.AskedAt, end.AnsweredAt = readers.Millis(q.asked), readers.Millis(q.answered)
	end.Parts = readers.CommandParts
	if end.DecidedBy == tables.ByUser && q.answered >= q.asked && q.answered-q.asked <= tables.MaxCount {
		end.WaitedMS = tables.Some(q.answered - q.asked)
	}
	if end.Decision == tables.Granted {
		end.Scope, end.DenialKind = scopes[q.decision], ""
	}
	if v, err := fastjson.Parse(q.shown); err == nil {
		end.Command = readers.Text(v, "commandText")
	}
	return &end, known
}
