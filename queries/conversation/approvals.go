package conversation

import (
	"context"
	"time"
)

// Approved is a call that the agent asked a person about, with the person's decision.
type Approved struct {
	Event
	Decision string        // granted or refused
	Scope    string        // how long a grant lasts: once, session, project, always; empty if unknown
	Waited   time.Duration // time the agent waited; zero if unknown
	Status   string        // result of the call, as in tool_calls
	Diff     string        // unified diff of a refused edit
	Reason   string        // reason for a refusal
}

var approvals = events{
	table: "tool_calls", fixed: `x.decided_by = 'user' AND x.decision IN ('granted', 'refused')
		AND NOT EXISTS (FROM with_copies.rejections i WHERE i.is_inferred AND i.agent = x.agent AND i.session_id = x.session_id AND i.tool_use_id = x.tool_use_id)`,
	order: "x.timestamp DESC, x.tool_use_id, x.agent, x.session_id", project: "x.project", tool: "x.tool_name", decision: "x.decision", kind: "x.tool_kind",
	texts: []string{"x.command", "x.file_path", "CAST(x.input AS VARCHAR)", "s.about"},
}

const approvalColumns = `x.message_index, x.tool_use_id, x.tool_name, x.tool_kind, x.command, x.file_path, x.decision, x.decision_scope, x.waited_ms, x.status, x.decision_confidence`

// approvalSQL joins tool_calls again to read inputs for the page's calls only.
var approvalSQL = `SELECT ` + shared + `, g.message_index, g.tool_use_id, g.tool_name, g.tool_kind, g.command, g.file_path, CAST(c.input AS VARCHAR), asked(c.input), g.message_index,
	nullif(about(file_in(g.folder, g.file_path), g.command, c.input), CAST(c.input AS VARCHAR)), g.decision_confidence, g.decision, g.decision_scope, g.waited_ms, g.status, r.proposed_diff, r.reason, r.next_prompt
FROM page g
LEFT JOIN tool_calls c ON c.agent = g.agent AND c.session_id = g.session_id AND c.tool_use_id = g.tool_use_id
LEFT JOIN rejections r ON r.agent = g.agent AND r.session_id = g.session_id AND r.tool_use_id = g.tool_use_id
ORDER BY g.n`

// Approvals returns the calls that a person was asked about, newest first, and the
// number of all matches.
func Approvals(ctx context.Context, run Run, f Filter) ([]Approved, int64, error) {
	return eventsListed(ctx, run, &f, &approvals, approvalColumns, approvalSQL, func(row []any) Approved {
		a := Approved{
			Event: eventOf(row), Decision: text(row[17]), Scope: text(row[18]), Waited: time.Duration(number(row[19])) * time.Millisecond, Status: text(row[20]),
			Diff: text(row[21]), Reason: text(row[22]),
		}
		a.callOf(row[6:])
		a.DecidedBy, a.Prompt = "user", text(row[23])
		a.Confidence, _ = row[16].(float64)
		return a
	})
}
