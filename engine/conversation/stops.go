package conversation

import "context"

// Stopped is a stop of the agent, by a person or by the system.
type Stopped struct {
	Event          // Kind is that of the call that was cut
	Phase   string // what was going on: response, tool, approval
	Partial string // what the cut response or tool had given so far
	Cut     string // text of the response that was cut
	Asked   string // the prompt that was being answered
	Marker  string // as the log has it
}

var stops = events{
	table: "interruptions", fixed: "x.phase IS DISTINCT FROM 'subagent' AND NOT x.paired_rejection",
	order: "x.timestamp DESC, x.message_index DESC, x.agent, x.session_id, x.tool_use_id", project: "s.project", tool: "x.tool_name", by: "x.type", kind: "x.phase", call: "x.tool_use_id",
	texts: []string{"x.partial_output", "x.marker", "x.tool_name", "c.command", "c.file_path", "m.text", "p.text", "s.about"},
	joins: `LEFT JOIN with_copies.tool_calls c ON c.agent = x.agent AND c.session_id = x.session_id AND c.tool_use_id = x.tool_use_id
LEFT JOIN with_copies.messages m ON m.agent = x.agent AND m.session_id = x.session_id AND m.message_index = x.interrupted_message_index
LEFT JOIN with_copies.messages p ON p.agent = x.agent AND p.session_id = x.session_id AND p.message_index = x.prompt_index
`,
}

const (
	stopColumns = `x.message_index, x.tool_use_id, x.tool_name, c.tool_kind, c.command, c.file_path, c.input, c.message_index AS place, x.type, x.confidence, x.evidence,
	x.phase, x.partial_output, m.text AS cut, x.marker, p.text AS asked`
	stopSQL = `SELECT ` + shared + `, g.message_index, g.tool_use_id, g.tool_name, g.tool_kind, g.command, g.file_path, CAST(g.input AS VARCHAR), NULL, coalesce(g.message_index, g.place),
	g.type, g.confidence, g.evidence, g.phase, g.partial_output, g.cut, g.marker, g.asked, (
		SELECT arg_min(m.text, m.message_index) FROM messages m
		WHERE m.agent = g.agent AND m.session_id = g.session_id AND m.message_index > g.message_index AND m.kind IN ('prompt', 'command') AND m.typed_by = 'human'
	)
FROM page g ORDER BY g.n`
)

// Stops gives the stops, newest first, and how many match in all. A refusal that
// also stopped the agent is none, nor is what a subagent's log repeats of its
// parent's.
func Stops(ctx context.Context, run Run, f Filter) ([]Stopped, int64, error) {
	return eventsListed(ctx, run, &f, &stops, stopColumns, stopSQL, func(row []any) Stopped {
		s := Stopped{Event: eventOf(row), Phase: text(row[19]), Partial: text(row[20]), Cut: text(row[21]), Marker: text(row[22]), Asked: text(row[23])}
		s.callOf(row[7:])
		s.DecidedBy, s.Evidence, s.Prompt = text(row[16]), text(row[18]), text(row[24])
		s.Confidence, _ = row[17].(float64)
		return s
	})
}
