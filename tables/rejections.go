package tables

import (
	"cmp"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
)

var rejections = newRowTable(Table{
	Name: "rejections",
	Doc:  "One row per refused tool call. WHERE decided_by = 'user' gives the calls refused by a person. Other calls were refused by a rule, hook, classifier or sandbox, or dropped with a refused call of the same batch (cascaded).",
	Key:  []string{"agent", "session_id", "tool_use_id"},
}, withOrigin(func(r *rejection) *Source { return &r.file.Source }, []column[rejection]{
	instant("timestamp", "time of the refusal", func(r *rejection) time.Time { return r.Rejection.Timestamp }),
	text("agent", "agent that wrote the log", func(r *rejection) string { return r.file.Agent }),
	text("project", "working directory of the session", func(r *rejection) string { return r.Project }),
	text("tool_name", "tool, in the agent's own word; null if the log no longer holds the call", func(r *rejection) string { return r.refusedCall().ToolName }),
	text("tool_kind", "edit, command, read, search, web, mcp, plan, question, agent, script or other", func(r *rejection) string { return r.refusedCall().ToolKind }),
	text("rejection_type", "edit, command, option (a plan or question), permission (by a rule, not a choice about this call) or other", func(r *rejection) string {
		return cmp.Or(r.RejectionType, RejectionTypeOf(r.refusedCall().ToolKind))
	}),
	text("decided_by", "user, rule, mode, setting, hook, classifier, sandbox, nobody (the question got no answer, or there was nobody to ask) or unknown", func(r *rejection) string { return r.DecidedBy }),
	text("reason", "words of the user, or of the deciding hook or classifier; null if not recorded, and for decisions by a rule or nobody", func(r *rejection) string { return r.Reason }),
	long(text("next_prompt", "the user's next prompt or command: in the session, or, for a refusal in a subagent or helper, in the topmost session above", func(r *rejection) string { return r.next })),
	long(text("command", "refused shell command", func(r *rejection) string { return r.refusedCall().Command })),
	text("file_path", "file that the call was about", func(r *rejection) string { return r.refusedCall().FilePath }),
	long(text("proposed_diff", "unified diff of the refused edit; line numbers count within the replaced text", func(r *rejection) string { return r.refusedCall().diff() })),
	long(object("tool_input", "arguments of the refused call", func(r *rejection) string { return r.refusedCall().Input })),
	text("denial_kind", "the agent's own word for the denial: user-rejected, permission-rule, automode-blocked …; null if the agent has no word", func(r *rejection) string { return r.DenialKind }),
	boolean("cascaded", "true if the call was not refused, but dropped with a refused call of the same batch: skipped, interrupted or lost; decided_by is then rule", func(r *rejection) bool { return r.Cascaded }),
	text("evidence", "recorded, inferred, or wording (known only by the program's sentence in the result)", func(r *rejection) string { return r.Evidence }),
	double("confidence", "0 to 1", func(r *rejection) Maybe[float64] { return Some(r.Confidence) }),
	text("session_id", "session of the refusal", func(r *rejection) string { return r.SessionID }),
	position("message_index", "message with the refusal", func(r *rejection) int { return indexOf(r.at) }),
	text("tool_use_id", "the refused call, see tool_calls", func(r *rejection) string { return r.ToolUseID }),
	text("cause_tool_use_id", "the refused call of the batch, if cascaded", func(r *rejection) string { return r.CauseToolUseID }),
	boolean("is_copy", "true if the refusal's message is a copy", func(r *rejection) bool { return false }),
	boolean(isInferred, isInferredDoc, func(r *rejection) bool { return isGuess(r.Evidence, r.Confidence) }),
	bigint("source_id", "the log file, see sources", func(r *rejection) int64 { return r.file.id }),
}))

var noCall = ToolCall{}

// refusedCall returns the refused call; an empty call if the log lacks it.
func (r *rejection) refusedCall() *ToolCall {
	if r.call == nil {
		return &noCall
	}
	return r.call.ToolCall
}

func (c *ToolCall) diff() string {
	switch {
	case c.Diff != nil:
		return c.Diff()
	case c.Edits != nil:
		return unifiedDiff(c.Edits())
	}
	return ""
}

// unifiedDiff returns edits as one unified diff a file, in the order of the edits. Line
// numbers count within each edit's own text, because the log doesn't give the text's
// place in the file.
func unifiedDiff(edits []Edit) string {
	var out strings.Builder
	headed := -1 // index of the last printed edit, whose header the next edit may share; -1 if none
	for i, e := range edits {
		from := "a/" + strings.TrimPrefix(e.Path, "/")
		if e.Old == "" {
			from = "/dev/null"
		}
		if e.Old != "" && !strings.HasSuffix(e.Old, "\n") && !strings.HasSuffix(e.New, "\n") {
			// A piece of a file, cut before the newline: not a file without a final
			// newline.
			e.Old += "\n"
			if e.New != "" {
				e.New += "\n"
			}
		}
		diff := udiff.Unified(from, "b/"+strings.TrimPrefix(e.Path, "/"), e.Old, e.New)
		if diff == "" {
			continue
		}
		if headed >= 0 && e.Path == edits[headed].Path {
			for range 2 { // the lines of the head
				_, diff, _ = strings.Cut(diff, "\n")
			}
		}
		out.WriteString(diff)
		headed = i
	}
	return out.String()
}

// UnifiedDiff returns the unified diff of two texts, "" for equal texts. If both texts
// lack a final newline, they are treated as pieces of a file.
func UnifiedDiff(old, new string) string {
	if old != "" && new != "" && !strings.HasSuffix(old, "\n") && !strings.HasSuffix(new, "\n") {
		old, new = old+"\n", new+"\n"
	}
	return udiff.Unified("old", "new", old, new)
}
