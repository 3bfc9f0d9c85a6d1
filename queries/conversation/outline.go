package conversation

import (
	"context"
	"regexp"
)

// Mark lists the noteworthy events at one message.
type Mark struct {
	Index int64
	Kinds []MarkKind // without duplicates
}

// MarkKind is a kind of mark.
type MarkKind string

// The kinds of marks. A call's marks stand at the message that makes the call.
const (
	MarkPrompt     MarkKind = "prompt" // typed by a person
	MarkRefused    MarkKind = "refused"
	MarkDenied     MarkKind = "denied"  // by a rule, hook … and not by a person
	MarkSkipped    MarkKind = "skipped" // the call was dropped with another call, or lost
	MarkStop       MarkKind = "stop"
	MarkError      MarkKind = "error"
	MarkCompaction MarkKind = "compaction"
	MarkClear      MarkKind = "clear"
)

// outlineSQL reads no texts.
const outlineSQL = `WITH marks AS (
	SELECT message_index AS place, 'prompt' AS mark FROM messages WHERE agent = $agent AND session_id = $id AND kind IN ('prompt', 'command') AND typed_by = 'human'
	UNION ALL
	SELECT coalesce(c.message_index, r.message_index), CASE WHEN r.cascaded THEN 'skipped' WHEN r.decided_by = 'user' THEN 'refused' ELSE 'denied' END
	FROM rejections r LEFT JOIN tool_calls c ON c.agent = r.agent AND c.session_id = r.session_id AND c.tool_use_id = r.tool_use_id
	WHERE r.agent = $agent AND r.session_id = $id
	UNION ALL
	SELECT message_index, CASE WHEN status = 'error' THEN 'error' ELSE 'skipped' END FROM tool_calls
	WHERE agent = $agent AND session_id = $id AND status IN ('error', 'skipped', 'lost')
	UNION ALL
	SELECT message_index, 'error' FROM messages WHERE agent = $agent AND session_id = $id AND kind = 'error'
	UNION ALL
	SELECT message_index, 'stop' FROM interruptions WHERE agent = $agent AND session_id = $id AND NOT paired_rejection
	UNION ALL
	SELECT after_message_index, 'compaction' FROM compactions WHERE agent = $agent AND session_id = $id
	UNION ALL
	SELECT after_message_index, 'clear' FROM clears WHERE agent = $agent AND session_id = $id
)
SELECT DISTINCT place, mark FROM marks WHERE place IS NOT NULL ORDER BY place, mark`

// Outline returns the marks of a session in the order of its messages, for a strip that
// shows the whole session at once.
func Outline(ctx context.Context, run Run, agent, id string) (marks []Mark, err error) {
	set, err := run(ctx, outlineSQL, map[string]any{"agent": agent, "id": id})
	for _, row := range set.Rows {
		at := numberOr(row[0], -1)
		if len(marks) == 0 || marks[len(marks)-1].Index != at {
			marks = append(marks, Mark{Index: at})
		}
		last := &marks[len(marks)-1]
		last.Kinds = append(last.Kinds, MarkKind(text(row[1])))
	}
	return marks, err
}

// FindIn returns the messages of a session that contain a text, in any case. FindIn
// searches messages, thinking, inputs and outputs of calls, reasons of refusals, output
// that a stop cut off, and summaries of compactions. A match in a call counts for the
// message that makes the call.
func FindIn(ctx context.Context, run Run, agent, id, sought string) (messages []int64, err error) {
	if sought == "" {
		return nil, nil
	}
	plain, input := quotedPattern(regexp.QuoteMeta(sought)), quotedPattern(inJSON(sought))
	const of = " WHERE agent = $agent AND session_id = $id AND "
	has := func(column, pattern string) string { return "regexp_matches(" + column + ", " + pattern + ", 'i')" }
	set, err := run(ctx, `WITH found AS (
	SELECT message_index AS place FROM messages`+of+"("+has("text", plain)+" OR "+has("thinking", plain)+`)
	UNION ALL SELECT message_index FROM tool_calls`+of+"("+has("CAST(input AS VARCHAR)", input)+" OR "+has("output", plain)+`)
	UNION ALL SELECT coalesce(c.message_index, r.message_index) FROM (FROM rejections`+of+has("reason", plain)+`) r
	LEFT JOIN tool_calls c ON c.agent = r.agent AND c.session_id = r.session_id AND c.tool_use_id = r.tool_use_id
	UNION ALL SELECT message_index FROM interruptions`+of+has("partial_output", plain)+`
	UNION ALL SELECT after_message_index FROM compactions`+of+has("summary", plain)+`
) SELECT DISTINCT place FROM found WHERE place IS NOT NULL ORDER BY place`, map[string]any{"agent": agent, "id": id})
	for _, row := range set.Rows {
		messages = append(messages, numberOr(row[0], -1))
	}
	return messages, err
}
