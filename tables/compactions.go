package tables

import "time"

var compactions = newSheet(Table{
	Name: "compactions",
	Doc:  "One row per compaction: older messages replaced by a summary.",
}, withOrigin(func(c *compaction) *Source { return &c.file.Source }, []column[compaction]{
	instant("timestamp", "time of the boundary", func(c *compaction) time.Time { return c.Compaction.Timestamp }),
	text("agent", "which agent wrote the log", func(c *compaction) string { return c.file.Agent }),
	text("project", "working directory of its session", func(c *compaction) string { return c.Project }),
	text("trigger", "auto or manual; null where not recorded", func(c *compaction) string { return c.Trigger }),
	boolean("trigger_inferred", "true when trigger is worked out, not recorded", func(c *compaction) bool { return c.TriggerInferred }),
	maybeBigint("pre_tokens", "tokens of context before", func(c *compaction) Maybe[int64] { return c.PreTokens }),
	maybeBigint("post_tokens", "tokens of context after", func(c *compaction) Maybe[int64] { return c.PostTokens }),
	boolean("tokens_estimated", "true when the tokens are the agent's estimate", func(c *compaction) bool { return c.TokensEstimated }),
	maybeBigint("duration_ms", "milliseconds it took", func(c *compaction) Maybe[int64] { return c.DurationMS }),
	long(text("summary", "summary that took the messages' place", func(c *compaction) string { return c.Summary })),
	text("summary_source", "inline, memory file, encrypted or none", func(c *compaction) string { return c.SummarySource }),
	text("session_id", "session it stands in", func(c *compaction) string { return c.SessionID }),
	position("after_message_index", "last message before it", (*compaction).after),
	positions("replaced_message_indices", "messages it replaced", func(c *compaction) []int32 { return c.replaced }),
	text("uuid", "id of the boundary line", func(c *compaction) string { return c.UUID }),
	text("logical_parent_uuid", "last line before the boundary, as the boundary names it", func(c *compaction) string { return c.LogicalParentUUID }),
	boolean("is_copy", "true when it also stands in an older session", func(c *compaction) bool { return false }),
	bigint("source_id", "the log file, see sources", func(c *compaction) int64 { return c.file.id }),
}))
