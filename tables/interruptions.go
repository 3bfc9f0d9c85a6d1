package tables

import "time"

var interruptions = newSheet(Table{
	Name: "interruptions",
	Doc:  "One row per stop of the agent, by the user or by the system: rate limits, network, timeouts, shutdown.",
}, withOrigin(func(i *interruption) *Source { return &i.file.Source }, []column[interruption]{
	instant("timestamp", "time of the stop", func(i *interruption) time.Time { return i.Interruption.Timestamp }),
	text("agent", "which agent wrote the log", func(i *interruption) string { return i.file.Agent }),
	text("project", "working directory of its session", func(i *interruption) string { return i.Project }),
	text("type", "user or system", func(i *interruption) string { return i.Type }),
	text("phase", "what was going on: response, tool, approval or subagent", func(i *interruption) string { return i.Phase }),
	text("tool_name", "tool of that call", func(i *interruption) string {
		if i.call == nil {
			return ""
		}
		return i.call.ToolName
	}),
	long(text("partial_output", "what the cut response or tool had given so far", func(i *interruption) string { return i.PartialOutput })),
	text("marker", "the recorded text", func(i *interruption) string { return i.Marker }),
	boolean("paired_rejection", "true: the same keypress as a row of rejections", func(i *interruption) bool { return i.PairedRejection }),
	text("evidence", "recorded, inferred, text (only the model's own words say so) or wording (only the program's sentence, which nothing marks)", func(i *interruption) string { return i.Evidence }),
	double("confidence", "0 to 1", func(i *interruption) Maybe[float64] { return Some(i.Confidence) }),
	text("session_id", "session it stands in", func(i *interruption) string { return i.SessionID }),
	position("message_index", "message that marks it", func(i *interruption) int { return indexOf(i.at) }),
	position("interrupted_message_index", "response that was cut, or that made the calls that were; null where the log holds nothing of it, and for an answer that was complete", func(i *interruption) int { return indexOf(i.cut) }),
	position("prompt_index", "prompt that was being answered: the last before the stop, or a command that the model answered, or in a subagent what its parent asked; null where none stands there", func(i *interruption) int { return indexOf(i.prompt) }),
	text("tool_use_id", "call that was cut", func(i *interruption) string { return i.ToolUseID }),
	boolean("is_copy", "true when its message is a copy", func(i *interruption) bool { return false }),
	boolean(isInferred, isInferredDoc, func(i *interruption) bool { return isGuess(i.Evidence, i.Confidence) }),
	bigint("source_id", "the log file, see sources", func(i *interruption) int64 { return i.file.id }),
}))
