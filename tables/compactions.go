package tables

import "time"

var compactions = newRowTable(Table{
	Name: "compactions",
	Doc:  "One row per compaction: older messages replaced by a summary.",
}, withOrigin(func(c *compaction) *Source { return &c.file.Source }, []column[compaction]{
	instant("timestamp", "time of the boundary", func(c *compaction) time.Time { return c.Compaction.Timestamp }),
	text("agent", "agent that wrote the log", func(c *compaction) string { return c.file.Agent }),
	text("project", "working directory of the session", func(c *compaction) string { return c.Project }),
	text("trigger", "auto or manual; null if not recorded", func(c *compaction) string { return c.Trigger }),
	boolean("trigger_inferred", "true if trigger is inferred, not recorded", func(c *compaction) bool { return c.TriggerInferred }),
	maybeBigint("pre_tokens", "context tokens before the compaction", func(c *compaction) Maybe[int64] { return c.PreTokens }),
	maybeBigint("post_tokens", "context tokens after the compaction", func(c *compaction) Maybe[int64] { return c.PostTokens }),
	boolean("tokens_estimated", "true if a token count is the agent's estimate", func(c *compaction) bool { return c.TokensEstimated }),
	maybeBigint("duration_ms", "duration in milliseconds", func(c *compaction) Maybe[int64] { return c.DurationMS }),
	long(text("summary", "summary that replaced the messages", func(c *compaction) string { return c.Summary })),
	text("summary_source", "inline, memory file, encrypted or none", func(c *compaction) string { return c.SummarySource }),
	text("session_id", "session of the compaction", func(c *compaction) string { return c.SessionID }),
	position("after_message_index", "last message before the compaction", (*compaction).lastIndex),
	positions("replaced_message_indices", "messages replaced by the summary", func(c *compaction) []int32 { return c.replaced }),
	text("uuid", "id of the boundary line", func(c *compaction) string { return c.UUID }),
	text("logical_parent_uuid", "last line before the boundary, as named in the boundary", func(c *compaction) string { return c.LogicalParentUUID }),
	boolean("is_copy", "true if the compaction also stands in an older session, in another file of the session or on another machine", func(c *compaction) bool { return false }),
	bigint("source_id", "the log file, see sources", func(c *compaction) int64 { return c.file.id }),
}))
