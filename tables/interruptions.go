package tables

import "time"

var interruptions = newRowTable(Table{
	Name: "interruptions",
	Doc:  "One row per stop of the agent, by the user or by the system: rate limits, network, timeouts, shutdown.",
}, withOrigin(func(i *interruption) *Source { return &i.file.Source }, []column[interruption]{
	instant("timestamp", "time of the stop", func(i *interruption) time.Time { return i.Interruption.Timestamp }),
	text("agent", "agent that wrote the log", func(i *interruption) string { return i.file.Agent }),
	text("project", "working directory of the session", func(i *interruption) string { return i.Project }),
	text("type", "user or system", func(i *interruption) string { return i.Type }),
	text("phase", "activity at the stop: response, tool, approval or subagent", func(i *interruption) string { return i.Phase }),
	text("tool_name", "tool of the cut call", func(i *interruption) string {
		if i.call == nil {
			return ""
		}
		return i.call.ToolName
	}),
	long(text("partial_output", "output of the cut response or tool until the stop", func(i *interruption) string { return i.PartialOutput })),
	texts("files", "files that the agent had changed since the prompt, as in the log; null if the log doesn't tell", func(i *interruption) []string { return i.Files }),
	text("marker", "recorded text about the stop", func(i *interruption) string { return i.Marker }),
	boolean("paired_rejection", "true if the same keypress refused a call, see rejections", func(i *interruption) bool { return i.PairedRejection }),
	text("evidence", "recorded, inferred, text (known only by the model's own words) or wording (known only by the program's sentence)", func(i *interruption) string { return i.Evidence }),
	double("confidence", "0 to 1", func(i *interruption) Maybe[float64] { return Some(i.Confidence) }),
	text("session_id", "session of the stop", func(i *interruption) string { return i.SessionID }),
	position("message_index", "message that records the stop", func(i *interruption) int { return indexOf(i.at) }),
	position("interrupted_message_index", "response that was cut, or had a call cut; null if the log lacks the response, or if the answer was complete", func(i *interruption) int { return indexOf(i.cut) }),
	position("prompt_index", "prompt answered at the time of the stop: the last prompt, a command answered by the model, or a subagent's task; null if no prompt precedes the stop", func(i *interruption) int { return indexOf(i.prompt) }),
	text("tool_use_id", "cut call, see tool_calls", func(i *interruption) string { return i.ToolUseID }),
	boolean("is_copy", "true if the stop's message is a copy", func(i *interruption) bool { return false }),
	boolean(isInferred, isInferredDoc, func(i *interruption) bool { return isGuess(i.Evidence, i.Confidence) }),
	bigint("source_id", "the log file, see sources", func(i *interruption) int64 { return i.file.id }),
}))
