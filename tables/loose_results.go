package tables

import "slices"

// looseResults has calls, and results as calls of which nothing else is known.
var looseResults = newRowTable(Table{
	Name:     "loose_results",
	Doc:      "One row per result whose call the log lacks, and per call without a result of its own that has other facts: the result may belong to a call of another log, see link 4-results-elsewhere. The columns of tool_calls have what this log says.",
	Internal: true,
}, slices.Concat([]column[call]{
	boolean("is_call", "true for a call, false for a result", func(c *call) bool { return c.refusal == nil }),
	text("parent_session_id", "the session above", func(c *call) string { return c.ParentSessionID }),
	text("origin_session_id", "session that the result's line names", func(c *call) string { return lineOfResult(c).OriginSessionID }),
	text("parent_uuid", "the line above the result's line", func(c *call) string { return lineOfResult(c).ParentUUID }),
	boolean("stand_in", "true if the result isn't the call's own: a copy or a restart wrote it", func(c *call) bool { return c.resultOrEmpty().StandIn }),
	long(text("proposed_diff", "of an edit, for its refusal", func(c *call) string { return c.diff() })),
	text("rejection_type", "as in rejections, of a result that is a refusal; null for the tool's own type", func(c *call) string { return refusalOrEmpty(c).RejectionType }),
	text("reason", "as in rejections", func(c *call) string { return refusalOrEmpty(c).Reason }),
	text("denial_kind", "as in rejections", func(c *call) string { return refusalOrEmpty(c).DenialKind }),
	text("evidence", "as in rejections; null if the result is no refusal", func(c *call) string { return refusalOrEmpty(c).Evidence }),
	double("confidence", "as in rejections", func(c *call) Maybe[float64] {
		return Maybe[float64]{refusalOrEmpty(c).Confidence, refusalOrEmpty(c).Evidence != ""}
	}),
}, toolCalls.pick("agent", "status", "exit_code", "duration_ms", "decision", "decided_by", "decision_scope", "waited_ms", "output", "error_type", "is_error",
	"finished_at", "session_id", "tool_use_id", "subagent_session_id", "decision_confidence", "edit_kept", "answers", "command_parts", "source_id", "extra")))

// pick returns columns of the table.
func (s rowTable[R]) pick(names ...string) (list []column[R]) {
	for _, name := range names {
		list = append(list, s.columns[slices.IndexFunc(s.columns, func(c column[R]) bool { return c.Name == name })])
	}
	return list
}

// lineOfResult returns the message of a result whose call the log lacks.
func lineOfResult(c *call) *Message {
	if c.refusal == nil || c.result.at == nil {
		return &Message{}
	}
	return c.result.at.Message
}

func refusalOrEmpty(c *call) *Rejection {
	if c.refusal == nil {
		return &Rejection{}
	}
	return c.refusal
}

// looseResultsOf returns the session's results without a call, and its calls without a result
// of their own. A pending call about which there is nothing to tell is left out: many logs
// end in one while they are written, and a new row costs a block for each column. A call
// that was dropped with a refused one is left out, too.
func looseResultsOf(s *session) (list []*call) {
	refusals := map[string]*Rejection{}
	for _, r := range s.rejections {
		refusals[r.ToolUseID] = r.Rejection
	}
	for _, c := range s.calls {
		open := c.status == StatusPending && (c.decision.Decision != "" || c.ToolCall.Extra != "" || c.diff() != "")
		if refusals[c.ToolUseID] == nil && c.ToolUseID != "" && (open || c.resultOrEmpty().StandIn) {
			list = append(list, c)
		}
	}
	for _, r := range s.orphans {
		c := &call{session: s, ToolCall: &ToolCall{ToolUseID: r.ToolUseID}, result: r, status: r.Status, refusal: &Rejection{}}
		switch known := refusals[r.ToolUseID]; {
		case r.Refusal != nil:
			c.refusal, c.decision = r.Refusal, r.Refusal.decision()
		case known != nil:
			c.refusal, c.decision = known, known.decision()
		}
		for _, d := range s.decisions {
			if d.ToolUseID == r.ToolUseID {
				c.decision.merge(d)
			}
		}
		list = append(list, c)
	}
	return list
}
